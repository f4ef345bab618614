import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import { runCommand } from './harness/command.ts'
import { against, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'

/** The price of one of the calls below, in euros and nano-euro. */
const callEur = 0.0001
const callNano = 100_000

interface Report {
  readonly verdict: string
  readonly checks: readonly { readonly name: string; readonly verdict: string; readonly says: string }[]
}

describe('tollgate doctor --ledger', () => {
  let upstream: Upstream
  let dir: string
  let file: string

  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(() => {
    upstream.reset()
    upstream.script(() => flatUsage(10))
    dir = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'))
    file = join(dir, 'ledger.db')
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const start = (): Promise<Daemon> => startDaemon({ config: against(upstream, flatConfig(1)), dataDir: dir })
  const doctor = (...words: readonly string[]) =>
    runCommand(['doctor', '--ledger', '--data-dir', dir, '--config', join(dir, 'test-config.json'), ...words])

  const post = (daemon: Daemon) =>
    fetch(`${daemon.base('openai')}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(flatAsk(10)) })

  async function call(daemon: Daemon, times: number, before = 0): Promise<void> {
    for (let done = 1; done <= times; done += 1) {
      assert.equal(((await (await post(daemon)).json()) as { object: string }).object, 'chat.completion')
      await daemon.settled(before + done)
    }
  }

  /** A closed ledger with so many settled calls. */
  async function ledgerWith(calls: number): Promise<void> {
    const daemon = await start()
    await call(daemon, calls)
    await daemon.stop()
  }

  async function report(): Promise<{ readonly code: number | null; readonly checks: ReadonlyMap<string, string> }> {
    const { code, stdout } = await doctor('--json')
    const { checks } = JSON.parse(stdout) as Report
    return { code, checks: new Map(checks.map(({ name, verdict, says }) => [name, `${verdict}: ${says}`])) }
  }

  function tamper(sql: string): void {
    const database = new Database(file)
    database.pragma('foreign_keys = OFF')
    database.exec(sql)
    database.close()
  }

  /** Pages of the calls. */
  function callPages(): readonly number[] {
    const database = new Database(file, { readonly: true })
    const pages = database
      .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf' ORDER BY pageno")
      .pluck()
      .all()
    database.close()
    return pages
  }

  function wipe(page: number): void {
    const bytes = readFileSync(file)
    bytes.fill(0xa5, (page - 1) * 2048, page * 2048)
    writeFileSync(file, bytes)
  }

  /** A daemon takes the ledger, its totals are right, and it counts on. */
  async function startsWith(spentEur: number, calls: number): Promise<void> {
    const daemon = await start()
    const { today, integrity } = await daemon.status()
    assert.ok(Math.abs(today.spentEur - spentEur) < 1e-9, `${today.spentEur} instead of ${spentEur}`)
    assert.equal(today.calls, calls)
    assert.equal(integrity.ledgerAvailable, true)
    assert.deepEqual(await daemon.json('/api/check'), { drift: [] })
    assert.equal((await post(daemon)).status, 200)
    assert.equal((await daemon.stop()).code, 0)
  }

  /**
   * A start on the file refuses calls with a sentence that names file, problem and next step, and leaves the file. One that
   * SQLite can open is written to as ever, and only its sums are refused.
   */
  async function isRefused(says: RegExp, canBeOpened = false): Promise<void> {
    const isFile = !canBeOpened && existsSync(file) && statSync(file).isFile()
    const before = isFile ? readFileSync(file) : null
    const seen = upstream.requests.length
    const daemon = await start()
    const refusal = await readRefusal(await post(daemon))
    assert.deepEqual([refusal.status, refusal.code], [503, 'ledger_unavailable'])
    const { message } = refusal.body['error'] as { readonly message: string }
    assert.ok(message.includes(file), message)
    assert.match(message, says)
    assert.match(message, /tollgate doctor --ledger/)
    assert.equal(upstream.requests.length, seen, 'nothing reached the provider')
    const status = await daemon.status()
    assert.equal(status.integrity.ledgerAvailable, false)
    assert.equal((await daemon.stop()).code, 0)
    if (before !== null) assert.ok(readFileSync(file).equals(before), 'the file was changed')
  }

  it('A09 M01 proves a ledger beside the daemon that writes to it, and leaves it to work', async () => {
    const daemon = await start()
    await call(daemon, 3)
    const working = Array.from({ length: 20 }, () => post(daemon).then((response) => response.text()))
    const { code, checks } = await report()
    assert.equal(code, 0)
    assert.match(checks.get('ledger.file') ?? '', /^ok: The file is whole/)
    assert.match(checks.get('ledger.sums') ?? '', /^ok: \d+ windows and 1 day sum equal the sum of the calls/)
    await Promise.all(working)
    await daemon.settled(23)
    assert.equal((await daemon.status()).integrity.ledgerAvailable, true)
  })

  it('finds the whole gate well, and names what is not', async () => {
    const daemon = await start()
    await call(daemon, 1)
    const whole = await runCommand(['doctor', '--data-dir', dir, '--json'])
    const { checks } = JSON.parse(whole.stdout) as Report
    const byName = new Map(checks.map((check) => [check.name, check.verdict]))
    for (const name of ['ledger.sums', 'files.rights', 'daemon.running', 'daemon.version', 'daemon.ledger']) {
      assert.equal(byName.get(name), 'ok', `${name} in ${whole.stdout}`)
    }
    await daemon.kill9()
    const after = await runCommand(['doctor', '--data-dir', dir])
    assert.match(
      after.stdout,
      /warn {2}The daemon of .* is gone without having said so\.\n {8}> Start it: tollgate serve/,
    )
    assert.ok(after.code === 1 || after.code === 2)
  })

  it('M08 backs up beside a running daemon: the copy opens, equals, and a daemon goes on from it', async () => {
    const daemon = await start()
    await call(daemon, 5)
    const copy = join(dir, 'copies')
    mkdirSync(copy)
    const target = join(copy, 'ledger.db')
    assert.deepEqual(await doctor('--backup', target), {
      code: 0,
      stdout: `The ledger was copied to ${target}.\n`,
      stderr: '',
    })
    assert.equal((await doctor('--backup', target)).code, 1)
    await daemon.kill9()
    const rows = (path: string): unknown => {
      const database = new Database(path, { readonly: true })
      const all = ['calls', 'windows', 'lines'].map((table) => database.prepare(`SELECT * FROM ${table}`).all())
      database.close()
      return all
    }
    assert.deepEqual(rows(target), rows(file))
    dir = copy
    file = target
    await startsWith(5 * callEur, 5)
    dir = join(copy, '..')
  })

  it('A09 repairs sums that differ, only when the daemon has ended, and the daemon counts on', async () => {
    const daemon = await start()
    await call(daemon, 4)
    tamper('UPDATE windows SET spent_nano = 1, spent_tokens = 1; UPDATE lines SET spent_nano = 5')
    const found = await report()
    assert.equal(found.code, 2)
    assert.match(found.checks.get('ledger.sums') ?? '', /^fail: \d sums differ/)
    const early = await doctor('--repair')
    assert.equal(early.code, 1)
    assert.match(early.stderr, /^A daemon has the ledger of .* open\. Stop it, then run this command again\.\n$/)
    await daemon.stop()
    const { code, stdout } = await doctor('--repair')
    assert.equal(code, 0)
    assert.match(stdout, /ledger-\d{4}-\d\d-\d\d-\d{6}\.backup\.db/)
    assert.match(stdout, /Counted against the caps from now on:\n {2}Today, .*: €0\.0004 of 1\.00\n/)
    await startsWith(4 * callEur, 4)
  })

  it('M08 refuses a file with a lost page, exports and rebuilds what is left, and loses no cent', async () => {
    await ledgerWith(40)
    const pages = callPages()
    assert.ok(pages.length > 2)
    wipe(pages[0]!)
    const found = await report()
    assert.equal(found.code, 2)
    assert.match([...found.checks.values()].join('\n'), /^fail: The file .*ledger\.db is damaged/m)
    const calls = join(dir, 'calls.jsonl')
    const saved = await doctor('--export', calls)
    assert.equal(saved.code, 1)
    assert.match(
      saved.stderr,
      /^The ledger is damaged: 1 page could not be read\. The sums of the days know \d+ more calls?\.\n$/,
    )
    const lines = readFileSync(calls, 'utf8').trimEnd().split('\n')
    const exported = lines.map((line) => (JSON.parse(line) as { readonly eur: number }).eur)
    assert.ok(exported.length < 40 && exported.every((eur) => eur === callEur))
    const { code, stdout } = await doctor('--repair')
    assert.equal(code, 1, 'something was lost')
    assert.match(stdout, new RegExp(`A new ledger was built from ${exported.length} calls that could be read`))
    assert.match(
      stdout,
      new RegExp(`${40 - exported.length} calls? that could not be read are still in the sums of their days`),
    )
    assert.match(stdout, /Today, .*: €0\.0040 of 1\.00\n/)
    assert.equal(readdirSync(dir).filter((name) => name.endsWith('.damaged.db')).length, 1)
    await startsWith(40 * callEur, 40)
  })

  it('M08 refuses a ledger whose journal is gone after the daemon was killed, instead of 0 spent, and says what is lost', async () => {
    const daemon = await start()
    await call(daemon, 5)
    await daemon.kill9()
    truncateSync(`${file}-wal`, 0)
    await isRefused(/The end of the journal .*ledger\.db-wal is missing \(0 of \d+ pages are left\)/)
    const found = await report()
    assert.match(found.checks.get('ledger.journal') ?? '', /^fail: /)
    await isRefused(/The end of the journal/)
    const { code, stdout } = await doctor('--repair')
    assert.equal(code, 1)
    assert.match(
      stdout,
      /Of the journal 0 of \d+ pages were left: what was spent last is not known and does not count\./,
    )
    assert.match(stdout, /Counted against the caps from now on:\n {2}Today, .*: €0\.00 of 1\.00\n/)
    await startsWith(0, 0)
  })

  it('M08 counts everything after a kill where the journal is whole', async () => {
    const daemon = await start()
    await call(daemon, 5)
    await daemon.kill9()
    assert.equal((await report()).code, 0)
    await startsWith(5 * callEur, 5)
  })

  it('M08 refuses sums that are none and calls them by their value, repairs them, and counts on', async () => {
    await ledgerWith(3)
    tamper('UPDATE windows SET spent_nano = -7')
    await isRefused(/holds -7 where a sum belongs/, true)
    const found = await report()
    assert.match(found.checks.get('ledger.figures') ?? '', /^fail: \d+ rows hold numbers/)
    assert.equal((await doctor('--repair')).code, 0)
    await startsWith(3 * callEur, 3)
  })

  it('M08 refuses a ledger of the future whose daemon was killed, changes none of its files, and exports it', async () => {
    const daemon = await start()
    await call(daemon, 2)
    await daemon.kill9()
    // A newer version would have written its journal as well: the version lies in it only.
    const newer = new Database(file)
    newer.pragma('user_version = 900')
    const files = ['', '-wal'].map((suffix) => [file + suffix, readFileSync(file + suffix)] as const)
    const shared = readFileSync(`${file}-shm`)
    newer.close()
    for (const [name, bytes] of files) writeFileSync(name, bytes)
    writeFileSync(`${file}-shm`, shared)
    await isRefused(/newer version of Tollgate \(schema 900, this one knows \d+\)/)
    for (const [name, bytes] of files) assert.ok(readFileSync(name).equals(bytes), name)
    const repaired = await doctor('--repair')
    assert.equal(repaired.code, 1)
    assert.match(repaired.stderr, /Repair it with that version/)
    const calls = join(dir, 'calls.csv')
    assert.equal((await doctor('--export', calls)).code, 0)
    assert.equal(readFileSync(calls, 'utf8').trimEnd().split('\r\n').length, 3)
    for (const [name, bytes] of files) assert.ok(readFileSync(name).equals(bytes), name)
  })

  for (const [name, spoil, says] of [
    ['is a folder', () => (rmSync(file), mkdirSync(file)), /is a folder and no ledger/],
    ['is empty', () => truncateSync(file, 0), /is empty \(0 bytes\)/],
    ['holds random bytes', () => writeFileSync(file, Buffer.alloc(20_000, 0x5a)), /is damaged/],
    [
      'is gone and left an empty journal',
      () => (rmSync(file), writeFileSync(`${file}-wal`, '')),
      /is missing, but its journal/,
    ],
  ] as const) {
    it(`M08 refuses a ledger that ${name}, and the doctor says the same`, async () => {
      await ledgerWith(1)
      spoil()
      await isRefused(says)
      const { code, checks } = await report()
      assert.equal(code, 2)
      assert.match(checks.get('ledger.unreadable') ?? '', /^fail: /)
    })
  }

  it('M08 goes on after a repair that found calls of a dead daemon still open, which count at their worst case', async () => {
    const daemon = await start()
    await call(daemon, 30)
    await daemon.kill9()
    tamper(`UPDATE calls SET settlement = NULL, cost_nano = 0, input = 0, output = 0 WHERE seq = (SELECT max(seq) FROM calls);
      UPDATE windows SET spent_nano = spent_nano - ${callNano}, spent_tokens = 0; UPDATE lines SET calls = calls - 1, spent_nano = spent_nano - ${callNano}`)
    wipe(callPages()[0]!)
    assert.equal((await doctor('--repair')).code, 1)
    await startsWith(30 * callEur, 30)
  })
})
