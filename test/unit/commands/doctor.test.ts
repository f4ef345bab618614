import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createSilentServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { readArguments } from '../../../daemon/commands/arguments.ts'
import type { Check } from '../../../daemon/commands/doctor/check.ts'
import { diagnose } from '../../../daemon/commands/doctor/doctor.ts'
import { backUp, exportLedger, repair } from '../../../daemon/commands/doctor/ledgerActions.ts'
import { lookAround, type DoctorWorld } from '../../../daemon/commands/doctor/world.ts'
import { acquireInstanceLock } from '../../../daemon/lifecycle/instanceLock.ts'
import { loadSecrets, writeDiscovery } from '../../../daemon/lifecycle/discovery.ts'
import { version } from '../../../shared/build.ts'
import { filledLedger, pagesOf, tamper, wipePages } from '../ledger/rescue/damage.ts'
import { FakeDaemon, recordedTerminal, status } from './fakeDaemon.ts'

const nowMs = Date.UTC(2026, 10, 30, 12)
const config = {
  user: 'ada',
  tenant: 'acme',
  timezone: 'Europe/Berlin',
  currency: { code: 'EUR', usdRate: 0.9, asOf: '2026-11-20' },
  budgets: { userDaily: { eur: 10 } },
}

describe('tollgate doctor', () => {
  let dataDir: string
  let daemon: FakeDaemon | null
  let freePort: number

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'))
    daemon = null
    loadSecrets(dataDir, (count) => Buffer.alloc(count, 7))
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const probe = createServer()
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
    freePort = (probe.address() as AddressInfo).port
    await new Promise((resolve) => probe.close(resolve))
  })

  afterEach(async () => {
    await daemon?.remove()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const look = (more: { readonly usualPort?: number; readonly systemTimezone?: string; readonly now?: number } = {}) =>
    lookAround({
      dataDir: daemon?.dataDir ?? dataDir,
      config: null,
      terminal: { env: {}, platform: 'linux' },
      nowMs: more.now ?? nowMs,
      systemTimezone: more.systemTimezone ?? 'Europe/Berlin',
      usualPort: more.usualPort ?? freePort,
      isUsualDir: true,
    })

  async function examined(
    world: DoctorWorld,
  ): Promise<{ readonly code: number; readonly checks: ReadonlyMap<string, Check> }> {
    const terminal = recordedTerminal()
    const code = await diagnose(world, { ledger: false, action: null, config: null, json: true }, terminal)
    const { checks } = JSON.parse(terminal.written()) as { readonly checks: readonly Check[] }
    return { code, checks: new Map(checks.map((check) => [check.name, check])) }
  }

  const ledger = (): string => join(dataDir, 'ledger.db')

  async function running(health: object = {}): Promise<void> {
    daemon = new FakeDaemon()
    daemon.health = { name: 'tollgate', version, protocol: 1, pid: process.pid, inFlight: 0, ...health }
    await daemon.start()
    daemon.answers['GET /api/status'] = { status: 200, body: status() }
  }

  describe('reads its arguments', () => {
    const read = (...words: readonly string[]) => readArguments(['doctor', ...words])

    it('with and without an action', () => {
      const nothing = { ledger: false, action: null, config: null, json: false }
      assert.deepEqual(read(), { command: 'doctor', dataDir: null, ask: nothing })
      assert.deepEqual(read('--ledger', '--json', '--data-dir', 'd'), {
        command: 'doctor',
        dataDir: 'd',
        ask: { ...nothing, ledger: true, json: true },
      })
      for (const [words, action] of [
        [['--backup', 'a.db'], { kind: 'backup', file: 'a.db' }],
        [['--export', 'a.CSV'], { kind: 'export', file: 'a.CSV' }],
        [['--repair'], { kind: 'repair' }],
      ] as const) {
        assert.deepEqual(read('--ledger', ...words), {
          command: 'doctor',
          dataDir: null,
          ask: { ...nothing, ledger: true, action },
        })
      }
    })

    it('and refuses two actions, a file of an unknown kind, and JSON of an action', () => {
      for (const [words, says] of [
        [['--repair', '--backup', 'a'], /only one of/],
        [['--export', 'calls.txt'], /\.jsonl or \.csv/],
        [['--repair', '--json'], /--json is for the checks/],
      ] as const) {
        const result = read(...words)
        assert.ok(result.command === 'mistake' && says.test(result.problem))
      }
    })
  })

  describe('looks at the daemon', () => {
    it('that runs, is of this version and can record calls: all is well', async () => {
      await running()
      await filledLedger(join(daemon!.dataDir, 'ledger.db'), 3)
      writeFileSync(join(daemon!.dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
      const { code, checks } = await examined(await look({ now: Date.UTC(2026, 10, 21) }))
      assert.deepEqual(
        [...checks.values()].filter(({ verdict }) => verdict !== 'ok'),
        [],
      )
      assert.equal(code, 0)
      assert.deepEqual(
        [
          'daemon.running',
          'daemon.version',
          'daemon.ledger',
          'ledger.file',
          'ledger.sums',
          'files.rights',
          'config.rate',
        ].filter((name) => !checks.has(name)),
        [],
      )
    })

    it('of another version or protocol, and gives the latter no token', async () => {
      await running({ version: '0.0.1' })
      assert.equal((await examined(await look())).checks.get('daemon.version')?.verdict, 'warn')
      await daemon!.remove()
      await running({ protocol: 99 })
      assert.equal((await examined(await look())).checks.get('daemon.version')?.verdict, 'fail')
      assert.ok(daemon!.seen.every(({ authorization }) => authorization === undefined))
    })

    it('A08: that cannot use its ledger', async () => {
      await running()
      const { integrity } = status()
      daemon!.answers['GET /api/status'] = {
        status: 200,
        body: status({ integrity: { ...integrity, ledgerAvailable: false } }),
      }
      const check = (await examined(await look())).checks.get('daemon.ledger')
      assert.equal(check?.verdict, 'fail')
      assert.match(check.says, /refuses every call/)
    })

    it('that is gone, or whose port somebody else has by now, who is given no token', async () => {
      await running({ pid: 1 })
      const taken = (await examined(await look())).checks.get('daemon.running')
      assert.match(taken?.says ?? '', /another program answers/)
      assert.ok(daemon!.seen.every(({ authorization }) => authorization === undefined))
      await daemon!.remove()
      daemon = null
      writeDiscovery(dataDir, {
        url: `http://127.0.0.1:${freePort}`,
        port: freePort,
        key: 'local-key',
        token: 'old-token',
        pid: 1,
        version,
        protocol: 1,
        startedAtMs: nowMs,
      })
      const gone = (await examined(await look())).checks.get('daemon.running')
      assert.match(gone?.says ?? '', /is gone without having said so/)
    })

    it('that is not there: the usual port is free, another daemon’s, or taken', async () => {
      const free = await examined(await look())
      assert.deepEqual(
        [free.checks.get('daemon.running')?.verdict, free.checks.get('daemon.port')?.verdict],
        ['warn', 'ok'],
      )
      const other = createServer((_, response) => response.end(JSON.stringify({ name: 'tollgate', pid: 5 })))
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      const { port } = other.address() as AddressInfo
      assert.match(
        (await examined(await look({ usualPort: port }))).checks.get('daemon.port')?.says ?? '',
        /another data directory/,
      )
      await new Promise((resolve) => other.close(resolve))
      const rude = createSilentServer((socket) => socket.end('no HTTP\r\n', () => socket.destroy()))
      await new Promise<void>((resolve) => rude.listen(port, '127.0.0.1', resolve))
      const taken = (await examined(await look({ usualPort: port }))).checks.get('daemon.port')
      await new Promise((resolve) => rude.close(resolve))
      assert.deepEqual([taken?.verdict, taken?.says], ['fail', 'Port 4141 is used by another program.'])
    })
  })

  describe('looks at files and configuration', () => {
    it('that others may read: the folder shut is a warning, the folder open a failure', async () => {
      chmodSync(join(dataDir, 'key'), 0o644)
      const shut = (await examined(await look())).checks.get('files.rights')
      assert.deepEqual([shut?.verdict, shut?.details], ['warn', [join(dataDir, 'key')]])
      assert.ok(shut?.next?.includes(`chmod go-rwx '${join(dataDir, 'key')}'`))
      chmodSync(dataDir, 0o755)
      assert.equal((await examined(await look())).checks.get('files.rights')?.verdict, 'fail')
    })

    it('that is not valid, with each field', async () => {
      writeFileSync(join(dataDir, 'config.json'), '{"budgets": {"userDaily": {"eur": "10"}}, "drain": 1}', {
        mode: 0o600,
      })
      const { code, checks } = await examined(await look())
      assert.equal(code, 2)
      assert.match(checks.get('config.valid')?.details?.join('\n') ?? '', /budgets\.userDaily\.eur/)
      assert.match(checks.get('config.valid')?.details?.join('\n') ?? '', /drain/)
    })

    it('whose prices and rate are old, and whose zone is not known', async () => {
      writeFileSync(join(dataDir, 'config.json'), '{"currency": {"asOf": "2026-11-20"}}', { mode: 0o600 })
      const { checks } = await examined(await look({ now: nowMs + 120 * 86_400_000, systemTimezone: 'Etc/Nowhere' }))
      for (const name of ['config.prices', 'config.rate', 'config.timezone']) {
        assert.equal(checks.get(name)?.verdict, 'warn', name)
        assert.ok(checks.get(name)?.next, name)
      }
    })

    it('of a data directory that is not there yet', async () => {
      rmSync(dataDir, { recursive: true })
      const { code, checks } = await examined(await look())
      assert.equal(code, 1)
      assert.equal(checks.get('files.folder')?.verdict, 'warn')
      assert.equal(checks.get('ledger.missing')?.verdict, 'warn')
    })
  })

  it('writes a line for each check, its details, and what to do', async () => {
    await filledLedger(ledger(), 3)
    tamper(ledger(), "UPDATE windows SET spent_nano = 0 WHERE scope = 'user'")
    const terminal = recordedTerminal()
    const code = await diagnose(await look(), { ledger: true, action: null, config: null, json: false }, terminal)
    assert.equal(code, 2)
    assert.match(
      terminal.written(),
      /^Ledger .*ledger\.db\n {2}ok {4}The file is whole: schema \d+, 3 calls, 2026-11-30 to 2026-11-30\.\n {2}ok {4}Every reservation ended once or is still running\.\n {2}fail {2}1 sum differs .*\n {10}user acme\/ada 2026-11-30: .*\n {8}> Stop Tollgate, then run: tollgate doctor --repair \(it makes a backup first\)\.\n$/,
    )
  })

  describe('takes care of the ledger', () => {
    it('M08: repairs the sums of a sound file and says what counts against the caps now', async () => {
      await filledLedger(ledger(), 1000)
      tamper(ledger(), "UPDATE windows SET spent_nano = 9000000000, spent_tokens = 5 WHERE scope = 'user'")
      const terminal = recordedTerminal()
      assert.equal(await repair(await look(), terminal), 0)
      const text = terminal.written()
      assert.match(
        text,
        /^The ledger as it was is kept as .*ledger-2026-11-30-120000\.backup\.db\.\n1 window and 0 day sums were added up anew/,
      )
      assert.match(text, /user acme\/ada 2026-11-30: 9\.00 and 5 tokens, now 0\.0012 and 120000 tokens\n/)
      assert.match(
        text,
        /Counted against the caps from now on:\n {2}Today, ada: €0\.0012 of 10\.00\n {2}This month, acme: €0\.0012( of .*)?\n$/,
      )
      assert.equal((await examined(await look())).checks.get('ledger.sums')?.verdict, 'ok')
    })

    it('M08: says of a damaged file what was read, what was lost and what was kept', async () => {
      await filledLedger(ledger(), 150)
      wipePages(ledger(), pagesOf(ledger(), 'calls').slice(0, 1))
      const terminal = recordedTerminal()
      assert.equal(await repair(await look(), terminal), 1)
      assert.match(
        terminal.written(),
        /^The damaged ledger is kept as .*\.damaged\.db\.\nA new ledger was built from \d+ calls that could be read\.\n1 page and 0 rows could not be read\.\n\d+ calls that could not be read are still in the sums of their days: €0\.\d+ is kept/,
      )
      assert.match(terminal.written(), /Today, ada: €0\.0002 of 10\.00/)
    })

    it('M08: says of a file with nothing in it that every cap begins at 0, and never silently', async () => {
      writeFileSync(ledger(), 'x'.repeat(10_000))
      const terminal = recordedTerminal()
      assert.equal(await repair(await look(), terminal), 1)
      assert.match(
        terminal.written(),
        /Nothing could be read\. What was spent before is not known: every cap begins at 0 spent again\./,
      )
    })

    it('repairs nothing while a daemon holds the directory, nor with a configuration that is not valid', async () => {
      await filledLedger(ledger(), 3)
      const lock = acquireInstanceLock(dataDir)
      await assert.rejects(repair(await look(), recordedTerminal()), /A daemon has the ledger of .* open\. Stop it/)
      lock?.release()
      writeFileSync(join(dataDir, 'config.json'), '{"tenant": 5}')
      await assert.rejects(repair(await look(), recordedTerminal()), /Correct the configuration first/)
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name.endsWith('.backup.db')),
        [],
      )
    })

    it('copies and exports, and says when the target is there or the ledger is not', async () => {
      const [copy, calls] = [join(dataDir, 'copy.db'), join(dataDir, 'calls.csv')]
      await assert.rejects(backUp(await look(), copy, recordedTerminal()), /There is no ledger/)
      await filledLedger(ledger(), 150)
      const terminal = recordedTerminal()
      assert.equal(await backUp(await look(), copy, terminal), 0)
      assert.equal(await exportLedger(await look(), calls, terminal), 0)
      assert.match(terminal.written(), /copied to .*copy\.db\.\n150 calls written to .*calls\.csv\.\n$/)
      await assert.rejects(backUp(await look(), copy, terminal), /copy\.db is there already/)
      await assert.rejects(exportLedger(await look(), calls, terminal), /calls\.csv is there already/)
      wipePages(ledger(), pagesOf(ledger(), 'calls').slice(0, 1))
      const lossy = recordedTerminal()
      assert.equal(await exportLedger(await look(), join(dataDir, 'rest.jsonl'), lossy), 1)
      assert.match(
        lossy.complained(),
        /^The ledger is damaged: 1 page could not be read\. The sums of the days know \d+ more calls\.\n$/,
      )
    })

    it('M08: refuses a ledger of the future and names the way out', async () => {
      await filledLedger(ledger(), 3)
      const database = new Database(ledger())
      database.pragma('user_version = 900')
      database.close()
      const check = (await examined(await look())).checks.get('ledger.schema_newer')
      assert.match(check?.next ?? '', /Update Tollgate\. To save the calls: tollgate doctor --export calls\.jsonl/)
      await assert.rejects(repair(await look(), recordedTerminal()), /schema 900/)
      assert.equal(await exportLedger(await look(), join(dataDir, 'calls.jsonl'), recordedTerminal()), 0)
    })
  })
})
