import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
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

/** Runs a program that may write no file beyond so many blocks of 512 bytes: a disk that is full for it. */
const withDisk = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']

describe('a ledger that cannot be used', () => {
  let upstream: Upstream
  let dir: string
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(() => {
    upstream.reset()
    upstream.script(() => flatUsage(10))
    dir = mkdtempSync(join(tmpdir(), 'tollgate-ledger-'))
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const start = (more: object = {}) => startDaemon({ config: against(upstream, flatConfig(1)), dataDir: dir, ...more })

  const post = (daemon: Daemon, upstreamName = 'openai') =>
    fetch(`${daemon.base(upstreamName)}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(flatAsk(10)) })

  /** A closed ledger with three settled calls in the directory. */
  async function ledgerWithCalls(): Promise<void> {
    const daemon = await start()
    for (let call = 1; call <= 3; call += 1) {
      await (await post(daemon)).text()
      await daemon.settled(call)
    }
    await daemon.stop()
    upstream.reset()
  }

  async function refusesEverything(daemon: Daemon, says: RegExp): Promise<void> {
    const seen = upstream.requests.length
    for (const name of ['openai', 'ollama']) {
      const response = await post(daemon, name)
      assert.equal(response.headers.get('x-should-retry'), 'false')
      const refusal = await readRefusal(response)
      assert.deepEqual([refusal.status, refusal.code], [503, 'ledger_unavailable'], name)
      assert.match((refusal.body['error'] as { message: string }).message, says)
    }
    assert.equal(upstream.requests.length, seen, 'nothing reached the provider')
    const status = await daemon.status()
    assert.equal(status.integrity.ledgerAvailable, false)
    assert.ok(status.counters['ledger_unavailable']! >= 2)
    assert.match(await (await daemon.api('/metrics')).text(), /^tollgate_ledger_available 0$/m)
    const { code, stdout } = await runCommand(['status', '--data-dir', dir])
    if (code === 0) assert.match(stdout, /The ledger cannot be used, so calls are refused/)
  }

  it('A08 refuses calls with 503 when the disk fills up, sends nothing, and goes on when there is room again', async () => {
    const daemon = await start({ via: withDisk(500) })
    let passed = 0
    for (; passed < 500; passed += 1) {
      const response = await post(daemon)
      await response.text()
      if (response.status !== 200) break
    }
    assert.ok(passed > 5 && passed < 500, `${passed} calls passed`)
    assert.equal(upstream.generations.length, passed, 'the refused one did not reach the provider')
    await refusesEverything(daemon, /The (disk|ledger) .*ledger\.db/)
    const models = await fetch(`${daemon.base('openai')}/v1/models`)
    assert.equal(models.status, 200, 'what costs nothing still passes')
    assert.equal((await daemon.json<{ cancelled: number }>('/api/kill', {})).cancelled, 0, 'the switch still works')
    assert.equal((await post(daemon)).status, 403)
    assert.equal((await daemon.stop()).code, 0, 'the end is still an orderly one')
    assert.ok(!existsSync(join(dir, 'daemon.json')))

    const roomy = await start()
    await roomy.json('/api/resume', {})
    const { today } = await roomy.status()
    assert.equal(today.reservedEur, 0)
    // What could not be written any more counts at its worst case, which is here what it cost.
    assert.ok(Math.abs(today.spentEur - passed * 0.0001) < 1e-9, `${today.spentEur} for ${passed} calls`)
    assert.deepEqual(await roomy.json('/api/check'), { drift: [] })
    assert.equal((await post(roomy)).status, 200)
  })

  it('A08 starts on a full disk only to say so', async () => {
    await ledgerWithCalls()
    const daemon = await start({ via: withDisk(0) })
    await refusesEverything(daemon, /The (disk|ledger) .*ledger\.db/)
    assert.equal((await daemon.stop()).code, 0)
    const roomy = await start()
    assert.equal((await roomy.status()).today.calls, 3)
    assert.equal((await post(roomy)).status, 200)
  })

  for (const [name, spoil, says] of [
    ['is cut to half of its length', (file: string) => truncateSync(file, 20_000), /damaged/],
    ['was overwritten by something else', (file: string) => writeFileSync(file, 'x'.repeat(50_000)), /damaged/],
    ['is empty', (file: string) => truncateSync(file, 0), /empty/],
    [
      'comes from the future',
      (file: string) => {
        const database = new Database(file)
        database.pragma('user_version = 900')
        database.close()
      },
      /newer version of Tollgate/,
    ],
    [
      'is a directory',
      (file: string) => {
        rmSync(file)
        mkdirSync(file)
      },
      /is a folder and no ledger/,
    ],
  ] as const) {
    it(`M08 fails closed on a ledger that ${name}, and leaves it as it is`, async () => {
      await ledgerWithCalls()
      const file = join(dir, 'ledger.db')
      spoil(file)
      const before = existsSync(file) && name !== 'is a directory' ? readFileSync(file) : null
      const daemon = await start()
      await refusesEverything(daemon, says)
      assert.equal((await daemon.stop()).code, 0)
      if (before !== null) assert.deepEqual(readFileSync(file), before)
      assert.deepEqual(
        readdirSync(dir).filter((entry) => entry.endsWith('.new')),
        [],
      )
    })
  }

  it('A08 refuses calls while another program holds the file, and goes on when it lets go', async () => {
    const daemon = await start()
    assert.equal((await post(daemon)).status, 200)
    await daemon.settled(1)
    const other = new Database(join(dir, 'ledger.db'))
    other.exec('BEGIN IMMEDIATE')
    const refusal = await readRefusal(await post(daemon))
    assert.deepEqual([refusal.status, refusal.code], [503, 'ledger_unavailable'])
    other.exec('COMMIT')
    other.close()
    assert.equal(upstream.requests.length, 1)
    assert.equal((await post(daemon)).status, 200)
    assert.equal((await daemon.status()).integrity.ledgerAvailable, true)
    assert.equal((await daemon.settled(2)).length, 2)
  })
})
