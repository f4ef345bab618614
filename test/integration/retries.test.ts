import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { connectControl } from './harness/controlClient.ts'
import { readRefusal } from './harness/answers.ts'
import { eventually } from './harness/eventually.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { chatAsk, promptOfTokens } from './harness/prompts.ts'
import { codeOf, faultOf } from './harness/sdkAgents.ts'

const chat = '/v1/chat/completions'
const model = 'gpt-4o-mini'
const messages = [{ role: 'user' as const, content: 'Say it once.' }]

/** A provider that reads a request and breaks the connection before it has said a byte. */
async function startBreaker() {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      requests += 1
      socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests: () => requests,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('attempts', () => {
  let gate: Gate
  let breaker: Awaited<ReturnType<typeof startBreaker>>
  before(async () => {
    breaker = await startBreaker()
    gate = await startGate({
      currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
      prices: { overrides: [{ match: 'even-*', prices: { input_mtok: 10, output_mtok: 10 } }] },
      plans: { hasty: { timeouts: { totalMs: 2000 } }, agent: { storm: null } },
      keys: [
        { key: 'key-of-plan-hasty', plan: 'hasty' },
        { key: 'key-of-a-poor-user', user: 'poor' },
      ],
    })
  })
  after(async () => {
    await gate.close()
    await breaker.close()
  })
  beforeEach(() => gate.upstream.reset())

  const rowsSince = async (before: number, count: number) => {
    const rows = await gate.daemon.settled(before + count)
    assert.equal(rows.length, before + count, 'a row per attempt and no more')
    return rows.slice(0, count)
  }
  const iterationsOf = async (task: string) =>
    (await gate.daemon.status()).tasks.find(({ id }) => id === task)?.iterations

  for (const [name, step, stream] of [
    ['after the head of its answer', { resetAfterChunks: 0 }, false],
    ['in the middle of its answer', { resetAfterChunks: 2 }, false],
    ['in the middle of a stream', { outputTokens: 40, resetAfterChunks: 7 }, true],
  ] as const) {
    it(`L01: makes one attempt where the provider breaks off ${name}, and two rows of two attempts of a client`, async () => {
      const before = (await gate.daemon.calls()).length
      const task = `broken-${before}`
      const client = gate.openai({ task })
      for (const attempt of [1, 2]) {
        gate.upstream.next(step, { text: 'This must not be asked for.' })
        const call = async (): Promise<string> => {
          if (!stream)
            return (await client.chat.completions.create({ model, messages })).choices[0]!.message.content ?? ''
          let text = ''
          for await (const part of await client.chat.completions.create({ model, messages, stream })) {
            text += part.choices[0]?.delta.content ?? ''
          }
          return text
        }
        await assert.rejects(call())
        assert.equal(gate.upstream.generations.length, 1, `attempt ${attempt}`)
        gate.upstream.reset()
      }
      const rows = await rowsSince(before, 2)
      assert.deepEqual(
        rows.map(({ outcome, settlement }) => [outcome, settlement]),
        Array(2).fill(['upstream_truncated', 'partial']),
      )
      assert.ok(rows.every(({ usage }) => usage.input > 0))
      assert.equal(await iterationsOf(task), 2)
    })
  }

  it('L01 and A23: a connection that breaks before a byte costs the input of one attempt, and leaves room for the next', async () => {
    const own = await startGate({
      currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
      prices: { overrides: [{ match: 'even-*', prices: { input_mtok: 10, output_mtok: 10 } }] },
      // One reservation (about 100 tokens of input, 400 of output) and half of another.
      budgets: { userDaily: { eur: 0.0075 }, heldWaitMs: 0, minOutputTokens: 1_000_000 },
      upstreams: { openai: { baseUrl: breaker.baseUrl, dialect: 'openai' } },
    })
    try {
      const ask = chatAsk(promptOfTokens(100), { model: 'even-1', max_tokens: 400 })
      for (const attempt of [1, 2]) {
        const refusal = await readRefusal(await own.post('openai', chat, ask))
        assert.deepEqual([refusal.status, refusal.code], [502, 'upstream_unreachable'])
        assert.equal(breaker.requests(), attempt)
      }
      const rows = await own.daemon.settled(2)
      for (const { outcome, settlement, usage, eur } of rows) {
        assert.deepEqual([outcome, settlement, usage.output], ['upstream_truncated', 'partial', 0])
        assert.ok(usage.input >= 100 && usage.input < 150, `input ${usage.input}`)
        assert.equal(eur, usage.input / 100_000)
      }
      assert.equal((await own.daemon.status()).today.reservedEur, 0)
    } finally {
      await own.close()
    }
  })

  it('A23: what was never sent, and what the provider refused, costs nothing and is no reason to refuse the next', async () => {
    const closed = await startBreaker()
    await closed.close()
    const own = await startGate({
      upstreams: {
        openai: { baseUrl: closed.baseUrl, dialect: 'openai' },
        other: { baseUrl: gate.upstream.baseUrls.openai, dialect: 'openai' },
      },
    })
    try {
      const unreachable = await readRefusal(await own.post('openai', chat, chatAsk('hi', { max_tokens: 50 })))
      assert.deepEqual([unreachable.status, unreachable.code], [502, 'upstream_unreachable'])
      gate.upstream.next({ status: 400 }, { status: 429 }, {})
      for (const status of [400, 429, 200]) {
        const response = await own.post('other', chat, chatAsk('hi', { max_tokens: 50 }))
        assert.equal(response.status, status)
        await response.text()
      }
      const rows = (await own.daemon.settled(4)).toReversed()
      assert.deepEqual(
        rows.map(({ settlement, eur, usage }) => [settlement, eur > 0, usage.input > 0]),
        [
          ['released', false, false],
          ['exact', false, false],
          ['exact', false, false],
          ['exact', true, true],
        ],
      )
    } finally {
      await own.close()
    }
  })

  it('L02: an attempt that its client gave up and the one that the SDK makes after it are two rows, two iterations, and a mark', async () => {
    const before = (await gate.daemon.calls()).length
    const baseURL = `${gate.daemon.base('openai', { task: 'impatient' })}/v1`
    const client = new OpenAI({ apiKey: providerKey, baseURL, timeout: 1500, maxRetries: 1 })
    gate.upstream.next({ firstByteDelayMs: 60_000 }, { inputTokens: 20, outputTokens: 7 })
    await client.chat.completions.create({ model, messages })
    const [second, first] = await rowsSince(before, 2)
    assert.deepEqual([first!.isRetry, second!.isRetry], [false, true])
    assert.deepEqual([first!.outcome, first!.settlement], ['client_closed', 'partial'])
    assert.deepEqual([second!.outcome, second!.settlement], ['ok', 'exact'])
    assert.ok(first!.eur > 0 && second!.eur > 0, 'the provider bills both')
    assert.deepEqual(
      gate.upstream.generations.map(({ headers }) => headers['x-stainless-retry-count']),
      ['0', '1'],
    )
    assert.equal(await iterationsOf('impatient'), 2)
  })

  it('L02: the retry of a request without any name is found to be of the same task', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ status: 500 }, { outputTokens: 7 })
    const client = gate.openai()
    const content = 'A question that nobody asked before.'
    await client.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    const [second, first] = await rowsSince(before, 2)
    assert.deepEqual([first!.isRetry, second!.isRetry], [false, true])
    assert.equal(second!.task, first!.task)
    assert.equal(await iterationsOf(first!.task ?? ''), 2)
  })

  it('L03: the last chunks and the leaving of the client in one moment settle each of sixty calls once', async () => {
    const before = (await gate.daemon.calls()).length
    const spentBefore = (await gate.daemon.status()).today.spentEur
    const control = await connectControl(gate.daemon)
    gate.upstream.script(() => ({ inputTokens: 30, outputTokens: 12 }))
    const lastWords = ['"finish_reason":"stop"', '"usage":{', '[DONE]']
    async function leave(word: string, number: number): Promise<void> {
      const left = new AbortController()
      const ask = chatAsk(`Question ${number}`, {
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 50,
      })
      const response = await gate.post('openai', chat, ask, { signal: left.signal })
      let text = ''
      try {
        for await (const part of response.body!) {
          text += Buffer.from(part as Uint8Array).toString('utf8')
          if (text.includes(word)) left.abort()
        }
      } catch (fault) {
        assert.equal((fault as Error).name, 'AbortError')
      }
    }
    const count = 60
    for (let batch = 0; batch < count; batch += 12) {
      await Promise.all(Array.from({ length: 12 }, (_, at) => leave(lastWords[at % 3]!, batch + at)))
    }
    const rows = await rowsSince(before, count)
    for (const { outcome, settlement, usage, eur } of rows) {
      // Either side may win; what the provider reported is charged in both cases where it came.
      assert.ok(['ok exact', 'client_closed partial'].includes(`${outcome} ${settlement}`), `${outcome} ${settlement}`)
      assert.ok(usage.input > 0 && usage.output > 0 && usage.output <= 50 && eur > 0)
      if (outcome === 'ok') assert.deepEqual([usage.input, usage.output], [30, 12])
    }
    const ids = new Set(rows.map(({ id }) => id))
    const settledEvents = () =>
      control.messages
        .filter((one) => one.event === 'call_settled')
        .map((one) => String((one as { call?: unknown }).call))
    await eventually('an event for every call', () => (new Set(settledEvents()).size >= count ? true : null))
    assert.deepEqual(settledEvents().toSorted(), [...ids].toSorted(), 'and no second one')
    control.close()
    const { today } = await gate.daemon.status()
    const sum = rows.reduce((total, { eur }) => total + eur, 0)
    assert.ok(Math.abs(today.spentEur - spentBefore - sum) < 1e-9)
    assert.equal(today.reservedEur, 0)
    assert.deepEqual(await gate.daemon.json('/api/check'), { drift: [] })
  })

  describe('L04: the total limit bounds the call', () => {
    const hasty = (): OpenAI =>
      new OpenAI({ apiKey: providerKey, baseURL: `${gate.daemon.base('openai', { key: 'key-of-plan-hasty' })}/v1` })

    it('of an SDK with its default retries: one attempt, one row', async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.script(() => ({ hangForever: true }))
      const fault = await faultOf(hasty().chat.completions.create({ model, messages }))
      assert.deepEqual(codeOf(fault), { status: 504, code: 'upstream_timeout' })
      assert.equal(gate.upstream.generations.length, 1)
      const [row] = await rowsSince(before, 1)
      assert.deepEqual([row!.outcome, row!.settlement], ['upstream_timeout', 'partial'])
    })

    it('of a stream that never falls silent', async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.script(() => ({ outputTokens: 2000, chunkDelayMs: 50 }))
      const stream = await hasty().chat.completions.create({ model, messages, stream: true })
      const read = async (): Promise<void> => {
        for await (const part of stream) assert.ok(part.choices.length > 0)
      }
      assert.match((await faultOf(read())).message, /did not finish within 2000 ms/)
      assert.equal(gate.upstream.generations.length, 1)
      const [row] = await rowsSince(before, 1)
      assert.ok(row!.usage.output > 0)
    })

    it('also where the gate itself asks again, without the option that the server does not know', async () => {
      const before = (await gate.daemon.calls()).length
      const late = { firstByteDelayMs: 1200 }
      gate.upstream.script(({ json }) =>
        json['stream_options'] === undefined
          ? { ...late, text: 'Too late.' }
          : { ...late, status: 400, errorBody: { error: { message: 'Unknown parameter: stream_options.' } } },
      )
      const fault = await faultOf(
        hasty()
          .chat.completions.create({ model, messages, stream: true })
          .then(() => 'an answer'),
      )
      assert.deepEqual(codeOf(fault), { status: 504, code: 'upstream_timeout' })
      assert.equal(gate.upstream.generations.length, 2)
      await rowsSince(before, 1)
    })

    it('and a failure of the provider is handed on and not repeated', async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.script(() => ({ status: 503 }))
      const response = await gate.post('openai', chat, chatAsk('hi', { max_tokens: 50 }))
      assert.equal(response.status, 503)
      await response.text()
      assert.equal(gate.upstream.generations.length, 1)
      await rowsSince(before, 1)
    })
  })
})
