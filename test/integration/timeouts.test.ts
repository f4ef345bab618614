import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { figuresOf, lastMessage, readRefusal } from './harness/answers.ts'
import { startDeafServer } from './harness/deafServer.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig } from './harness/flatPrice.ts'
import { bulkyFrames } from './harness/prompts.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'

/** Limits of which one is short and the others are out of the way. */
const limits = (short: object) => ({
  connectMs: 30_000,
  firstByteMs: 30_000,
  idleMs: 30_000,
  totalMs: 50_000,
  ...short,
})

describe('the four limits of time', () => {
  let gate: Gate
  afterEach(() => gate.close())

  const start = async (short: object, more: object = {}) => {
    gate = await startGate({ ...flatConfig(1, { plan: { timeouts: limits(short) } }), ...more })
  }

  async function lastRow() {
    const [row] = await gate.daemon.settled()
    assert.equal((await gate.daemon.status()).today.reservedEur, 0)
    return row!
  }

  it('G07 connect: a provider that takes no connection is a 504 that costs nothing', async () => {
    const deaf = await startDeafServer()
    try {
      await start({ connectMs: 400 }, { upstreams: { openai: { baseUrl: `${deaf.url}/v1`, dialect: 'openai' } } })
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(100)))
      assert.deepEqual([refusal.status, refusal.code, refusal.figures.phase], [504, 'upstream_timeout', 'connect'])
      assert.match((refusal.body['error'] as { message: string }).message, /400 ms.*plans\.agent\.timeouts\.connectMs/)
      const row = await lastRow()
      assert.deepEqual([row.outcome, row.settlement, row.eur, row.usage.input], ['upstream_timeout', 'released', 0, 0])
      assert.deepEqual(await gate.daemon.json('/api/check'), { drift: [] })
    } finally {
      await deaf.close()
    }
  })

  it('A23 charges nothing either when the client leaves, or the call is stopped, before there is a connection', async () => {
    const deaf = await startDeafServer()
    try {
      await start({}, { upstreams: { openai: { baseUrl: `${deaf.url}/v1`, dialect: 'openai' } } })
      const left = new AbortController()
      const call = gate.post('openai', chat, flatAsk(100), { signal: left.signal })
      const stopped = gate.post('openai', chat, flatAsk(100))
      await eventually('both calls', async () => ((await gate.daemon.calls()).length === 2 ? true : null))
      left.abort()
      await assert.rejects(call)
      await eventually('one of them to end', async () =>
        (await gate.daemon.status()).inFlight.length === 1 ? true : null,
      )
      await gate.daemon.json('/api/kill', {})
      assert.equal((await readRefusal(await stopped)).code, 'killed')
      const rows = await gate.daemon.settled(2)
      assert.deepEqual(rows.map((row) => [row.outcome, row.settlement, row.eur]).sort(), [
        ['client_closed', 'released', 0],
        ['killed', 'released', 0],
      ])
    } finally {
      await deaf.close()
    }
  })

  it('G07 first byte: a provider that takes the request and says nothing is a 504, and the input is charged', async () => {
    await start({ firstByteMs: 300 })
    gate.upstream.next({ hangForever: true })
    const refusal = await readRefusal(await gate.post('openai', chat, { ...flatAsk(100), model: 'gpt-4o-mini' }))
    assert.deepEqual([refusal.status, refusal.code, refusal.figures.phase], [504, 'upstream_timeout', 'first_byte'])
    assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
    const row = await lastRow()
    assert.deepEqual([row.outcome, row.settlement], ['upstream_timeout', 'partial'])
    assert.ok(row.usage.input > 0 && row.eur > 0)
  })

  for (const [name, upstream, path, model] of [
    ['OpenAI', 'openai', chat, 'flat-1'],
    ['Anthropic', 'anthropic', '/v1/messages', 'flat-1'],
    ['Ollama', 'ollama', '/api/chat', 'gemma3:4b'],
  ] as const) {
    it(`G07 idle: silence inside an answer ends in the terminal error of ${name}, and what came is charged`, async () => {
      await start({ idleMs: 400 })
      gate.upstream.next({ outputTokens: 90, hangAfterChunks: 60 })
      const response = await gate.post(upstream, path, flatAsk(100, { model, stream: true }))
      const last = lastMessage(await response.text())
      assert.deepEqual([figuresOf(last).code, figuresOf(last).phase], ['upstream_timeout', 'idle'])
      assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
      const row = await lastRow()
      assert.deepEqual([row.outcome, row.settlement], ['upstream_timeout', 'partial'])
      assert.ok(row.usage.output >= 50 && row.usage.output <= 100, `output ${row.usage.output}`)
    })
  }

  it('G07 idle: a body that is no stream is held, so that its client is told with a 504 too', async () => {
    await start({ idleMs: 400 })
    gate.upstream.next({ outputTokens: 90, hangAfterChunks: 2 })
    const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(100)))
    assert.deepEqual([refusal.status, refusal.figures.phase], [504, 'idle'])
    assert.equal((await lastRow()).outcome, 'upstream_timeout')
  })

  it('F04 idle: comments of the provider count as signs of life', async () => {
    await start({ idleMs: 500 })
    const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'at last' } }] })}\n\n`
    const frames = [...Array<string>(4).fill(': PROCESSING\n\n'), word, 'data: [DONE]\n\n']
    gate.upstream.next({ frames, chunkDelayMs: 250 })
    const response = await gate.post('openai', chat, flatAsk(100, { stream: true }))
    assert.match(await response.text(), /at last.*\n\ndata: \[DONE\]/)
    assert.equal((await lastRow()).outcome, 'ok')
  })

  it('G07 idle: a client that reads slowly is not a provider that falls silent', async () => {
    await start({ idleMs: 400 })
    gate.upstream.next({ frames: bulkyFrames(300) })
    const response = await gate.post('openai', chat, flatAsk(100, { stream: true }))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let bytes = (await reader.read()).value?.length ?? 0
    await pause(1500)
    let tail = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      tail = Buffer.from(value).toString('latin1').slice(-200)
    }
    assert.ok(bytes > 300 * 128 * 1024, `${bytes} bytes`)
    assert.match(tail, /\[DONE\]/)
  })

  it('G07 total: a stream that goes on is cut with a terminal error, and what came is charged', async () => {
    await start({ totalMs: 900 })
    gate.upstream.next({ outputTokens: 90, chunkDelayMs: 50 })
    const response = await gate.post('openai', chat, flatAsk(100, { stream: true }))
    const text = await response.text()
    assert.equal(figuresOf(lastMessage(text)).phase, 'total')
    assert.doesNotMatch(text, /\[DONE\]/)
    const row = await lastRow()
    assert.equal(row.outcome, 'upstream_timeout')
    assert.ok(row.usage.output > 0 && row.usage.output < 90)
  })

  it('G07 takes null for no limit', async () => {
    await start({ connectMs: null, firstByteMs: null, idleMs: null, totalMs: null })
    gate.upstream.next({ firstByteDelayMs: 700, bodyDelayMs: 700 })
    assert.equal((await gate.post('openai', chat, flatAsk(100))).status, 200)
  })

  it('G07 limits what costs nothing in the same way', async () => {
    await start({ firstByteMs: 300 })
    gate.upstream.script(() => ({ hangForever: true }))
    const response = await fetch(`${gate.daemon.base('openai')}/v1/models`)
    assert.deepEqual([response.status, response.headers.get('x-tollgate-code')], [504, 'upstream_timeout'])
  })
})
