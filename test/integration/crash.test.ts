import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import { against, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatEur, flatUsage } from './harness/flatPrice.ts'

describe('a daemon that is killed in the middle of calls', () => {
  let upstream: Upstream
  let dir: string
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(() => {
    upstream.reset()
    dir = mkdtempSync(join(tmpdir(), 'tollgate-crash-'))
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const start = (config: object) => startDaemon({ config: against(upstream, config), dataDir: dir })

  const post = (daemon: Daemon, outputTokens: number, more: object = {}, task = 'work') =>
    fetch(`${daemon.base('openai', { task })}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(outputTokens, more)),
    })

  const check = async (daemon: Daemon) => assert.deepEqual(await daemon.json('/api/check'), { drift: [] })

  it('A06 settles three open reservations at their worst case, says so, and refuses nobody because of ghosts', async () => {
    const first = await start(flatConfig(0.02))
    upstream.script(() => ({ firstByteDelayMs: 60_000 }))
    const lost = Array.from({ length: 3 }, () => post(first, 400).catch(() => 'lost'))
    await upstream.waitForRequests(3)
    assert.equal((await first.status()).today.reservedEur, 0.012)
    await first.kill9()
    assert.deepEqual(await Promise.all(lost), ['lost', 'lost', 'lost'])
    for (const request of upstream.generations) assert.equal((await upstream.waitForClose(request)).finished, false)

    upstream.reset()
    upstream.script(() => flatUsage(400))
    const second = await start(flatConfig(0.02))
    const { today, integrity, inFlight } = await second.status()
    assert.deepEqual([today.spentEur, today.reservedEur, integrity.orphaned, inFlight.length], [0.012, 0, 3, 0])
    const rows = await second.calls()
    assert.deepEqual(
      rows.map((row) => [row.state, row.settlement, row.outcome, row.eur, row.usage.output]),
      Array<unknown>(3).fill(['settled', 'orphaned', 'orphaned', 0.004, 400]),
    )
    const [said, ...others] = await second.events('orphaned')
    assert.deepEqual([said?.['calls'], said?.['eur'], others.length], [3, 0.012, 0])
    assert.match(await (await second.api('/metrics')).text(), /^tollgate_ledger_orphaned_total 3$/m)
    // Two more calls fit exactly: what the ghosts held is spent once and not held again.
    for (const status of [200, 200, 429]) {
      const response = await post(second, 400)
      assert.equal(response.status, status)
      await response.text()
      await second.settled()
    }
    await check(second)
  })

  it('A06 charges the tasks of lost calls too, and counts orphans over several crashes', async () => {
    upstream.script(() => ({ firstByteDelayMs: 60_000 }))
    for (const [crash, calls] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const daemon = await start(flatConfig(1))
      for (let call = 0; call < calls; call += 1) post(daemon, 400, {}, `task-${crash}`).catch(() => undefined)
      await upstream.waitForRequests(crash === 1 ? 2 : 3)
      await daemon.kill9()
    }
    const daemon = await start(flatConfig(1))
    assert.equal((await daemon.status()).integrity.orphaned, 3)
    const { calls } = await daemon.json<{ calls: readonly { readonly settlement: string }[] }>('/api/calls?task=task-1')
    assert.deepEqual(
      calls.map(({ settlement }) => settlement),
      ['orphaned', 'orphaned'],
    )
    await daemon.kill9()
    const again = await start(flatConfig(1))
    assert.equal((await again.status()).integrity.orphaned, 3, 'an orphan is settled once')
    await check(again)
  })

  it('charges a stream that was half delivered', async () => {
    const first = await start(flatConfig(1))
    upstream.next({ outputTokens: 400, hangAfterChunks: 50 })
    const response = await post(first, 400, { stream: true })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await first.kill9()
    await assert.rejects(async () => {
      for (;;) if ((await reader.read()).done) return
    }, 'the client sees a torn stream and no clean end')
    const second = await start(flatConfig(1))
    const [row] = await second.calls()
    assert.deepEqual([row!.settlement, row!.eur, row!.stream], ['orphaned', 0.004, true])
  })

  it('loses no money under load: whatever reached the provider has a row, and the spent total covers it', async () => {
    const first = await start(flatConfig(null, { plan: { task: null } }))
    upstream.script(({ number }) => ({ ...flatUsage(100), firstByteDelayMs: number % 3 === 0 ? 30 : 1 }))
    const calls = Array.from({ length: 20 }, async () => {
      for (;;) {
        const answer = await post(first, 150).then(
          (response) => response.text(),
          () => null,
        )
        if (answer === null) return
      }
    })
    await upstream.waitForRequests(150)
    await first.kill9()
    await Promise.all(calls)
    const sent = upstream.generations.length

    const second = await start(flatConfig(null, { plan: { task: null } }))
    const rows = await second.calls()
    assert.ok(rows.length >= sent, `${rows.length} rows for ${sent} requests`)
    assert.ok(rows.every((row) => row.state === 'settled'))
    const { today, integrity } = await second.status()
    assert.ok(today.spentEur >= sent * flatEur(100), `${today.spentEur} for ${sent} calls`)
    assert.equal(today.reservedEur, 0)
    assert.equal(integrity.orphaned, rows.filter((row) => row.settlement === 'orphaned').length)
    assert.ok(integrity.orphaned <= 20 + 20, 'only what ran or had just ended')
    await check(second)
  })

  it('remembers alerts, caps and switches', async () => {
    const first = await start(flatConfig(0.01))
    upstream.script(() => flatUsage(400))
    for (const call of [1, 2]) {
      await (await post(first, 400)).text()
      await first.settled(call)
    }
    assert.equal((await first.events('alert')).length, 1)
    await first.json('/api/caps', { userDailyEur: 0.5, until: 'midnight' })
    await first.json('/api/kill', { scope: 'task', ref: 'work' })
    // Events are written a few milliseconds late, and before anything is read.
    await first.calls()
    await first.kill9()

    const second = await start(flatConfig(0.01))
    const status = await second.status()
    assert.deepEqual([status.today.capEur, status.today.spentEur], [0.5, 0.008])
    assert.deepEqual(status.kills, [{ scope: 'task', ref: 'work' }])
    const refusal = await readRefusal(await post(second, 400))
    assert.deepEqual([refusal.status, refusal.code, refusal.figures.scope], [403, 'killed', 'task'])
    const response = await post(second, 400, {}, 'other')
    assert.equal(response.status, 200)
    await response.text()
    await second.settled(3)
    assert.equal((await second.events('alert')).length, 1, 'said once per window, over restarts')
  })
})
