import assert from 'node:assert/strict'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const longPrompt = 'A story about a lighthouse keeper who counts the waves. '.repeat(400)

describe('a client that leaves, and the kill switch', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const ask = (extra: object = {}) => ({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: longPrompt }],
    stream: true,
    max_tokens: 3000,
    ...extra,
  })

  /** Reads until `count` deltas have arrived. */
  async function readDeltas(response: Response, count: number): Promise<void> {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (text.split('"content":"').length - 1 <= count) {
      const { done, value } = await reader.read()
      assert.equal(done, false, 'the stream goes on')
      text += decoder.decode(value, { stream: true })
    }
    reader.releaseLock()
  }

  async function newestRow(countBefore: number) {
    const [row, ...older] = await gate.daemon.settled(countBefore + 1)
    assert.equal(older.length, countBefore, 'settled once')
    return row!
  }

  it('C01 charges an aborted stream for its input and what was produced', async () => {
    const before = (await gate.daemon.calls()).length
    const spent = (await gate.daemon.status()).today.spentEur
    gate.upstream.next({ outputTokens: 3000, chunkDelayMs: 4 })
    const left = new AbortController()
    const response = await gate.post('openai', '/v1/chat/completions', ask(), { signal: left.signal })
    await readDeltas(response, 40)
    left.abort()
    const row = await newestRow(before)
    assert.equal(row.outcome, 'client_closed')
    assert.equal(row.settlement, 'partial')
    assert.ok(row.usage.output >= 40 && row.usage.output < 1500, `output ${row.usage.output}`)
    assert.ok(row.usage.input >= 3000, `input ${row.usage.input}`)
    const status = await gate.daemon.status()
    assert.ok(Math.abs(status.today.spentEur - spent - row.eur) < 1e-9 && row.eur > 0, 'the cap has moved by the row')
    assert.equal(status.today.reservedEur, 0)
  })

  it('C02 and C03 close the upstream socket when the client hangs up during the answer', async () => {
    gate.upstream.next({ outputTokens: 3000, chunkDelayMs: 4 })
    const left = new AbortController()
    const response = await gate.post('openai', '/v1/chat/completions', ask(), { signal: left.signal })
    await readDeltas(response, 3)
    const request = gate.upstream.generations[0]!
    assert.equal(request.closed, null)
    left.abort()
    assert.equal((await gate.upstream.waitForClose(request)).finished, false)
  })

  it('C03 does not take the end of the request body for a hang-up', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ firstByteDelayMs: 300, outputTokens: 20 })
    const response = await gate.post('openai', '/v1/chat/completions', ask())
    assert.match(await response.text(), /DONE/)
    assert.equal((await newestRow(before)).outcome, 'ok')
  })

  it('C04 keeps the abort alive after the headers, through a long silence in the stream', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ outputTokens: 50, hangAfterChunks: 5 })
    const left = new AbortController()
    const response = await gate.post('openai', '/v1/chat/completions', ask(), { signal: left.signal })
    await readDeltas(response, 5)
    left.abort()
    assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
    assert.equal((await newestRow(before)).outcome, 'client_closed')
  })

  it('C05 charges at least the input when the client leaves before the first delta', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ bodyDelayMs: 60_000 })
    const left = new AbortController()
    await gate.post('openai', '/v1/chat/completions', ask(), { signal: left.signal })
    left.abort()
    const row = await newestRow(before)
    assert.equal(row.outcome, 'client_closed')
    assert.ok(row.usage.input >= 3000 && row.eur > 0)
  })

  it('C06 drains nothing behind the back of a client that left before the first byte', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ firstByteDelayMs: 60_000, outputTokens: 3000 })
    const left = new AbortController()
    const call = gate.post('openai', '/v1/chat/completions', ask({ stream: false }), { signal: left.signal })
    const request = await gate.upstream.waitForRequests(1)
    left.abort()
    await assert.rejects(call)
    assert.equal((await gate.upstream.waitForClose(request)).finished, false)
    const row = await newestRow(before)
    assert.ok(row.usage.input >= 3000)
    assert.ok(row.usage.output < 3000, 'not billed as a whole answer')
  })

  it('C12 stops five open streams: sockets closed, terminal errors, rows settled, new calls refused', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.script(() => ({ outputTokens: 3000, chunkDelayMs: 4 }))
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => gate.post('openai', '/v1/chat/completions', ask())),
    )
    const bodies = responses.map((response) => response.text())
    await gate.upstream.waitForRequests(5)
    const result = await gate.daemon.json<{ cancelled: number; tookMs: number }>('/api/kill', { scope: 'global' })
    try {
      assert.equal(result.cancelled, 5)
      assert.ok(Number.isFinite(result.tookMs))
      for (const request of gate.upstream.generations) {
        assert.equal((await gate.upstream.waitForClose(request)).finished, false)
      }
      for (const body of await Promise.all(bodies)) {
        const last = body.trimEnd().split('\n\n').at(-1)!
        assert.equal((JSON.parse(last.replace(/^data: /, '')) as { error: { code: string } }).error.code, 'killed')
        assert.doesNotMatch(body, /\[DONE\]/)
      }
      const rows = (await gate.daemon.settled(before + 5)).slice(0, 5)
      assert.deepEqual(
        rows.map((row) => row.outcome),
        Array<string>(5).fill('killed'),
      )
      assert.ok(rows.every((row) => row.usage.input >= 3000))
      assert.equal((await gate.daemon.status()).today.reservedEur, 0)
      const refused = await gate.post('openai', '/v1/chat/completions', ask())
      assert.equal(refused.status, 403)
      assert.equal(refused.headers.get('x-tollgate-code'), 'killed')
      assert.equal(gate.upstream.generations.length, 5)
    } finally {
      await gate.daemon.json('/api/resume', { scope: 'global' })
    }
    gate.upstream.reset()
    assert.equal((await gate.post('openai', '/v1/chat/completions', ask())).status, 200)
  })

  it('C12 kills one task and leaves the others running', async () => {
    gate.upstream.script(() => ({ outputTokens: 200, chunkDelayMs: 10 }))
    const start = (task: string) =>
      gate.post('openai', '/v1/chat/completions', ask(), { headers: { 'x-tollgate-task': task } })
    const [stopped, other] = await Promise.all([start('stopped'), start('other')])
    const texts = Promise.all([stopped.text(), other.text()])
    const result = await gate.daemon.json<{ cancelled: number }>('/api/kill', { scope: 'task', ref: 'stopped' })
    const [killed, whole] = await texts
    assert.equal(result.cancelled, 1)
    assert.match(killed, /"killed"/)
    assert.match(whole, /\[DONE\]/)
    assert.equal((await start('stopped')).status, 403)
    await gate.daemon.json('/api/resume', { scope: 'task', ref: 'stopped' })
    assert.equal((await start('stopped')).status, 200)
  })
})
