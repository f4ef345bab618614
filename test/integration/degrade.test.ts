import assert from 'node:assert/strict'
import type { EventRow } from '../../shared/status.ts'
import { readRefusal } from './harness/answers.ts'
import { runDaemon } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'
const capEur = 0.01

/** A gate whose daily cap holds two calls of 500 output tokens, with the plan's way out. */
async function withGate(degrade: object, use: (gate: Gate) => Promise<void>, plan: object = {}): Promise<void> {
  const gate = await startGate(flatConfig(capEur, { plan: { degrade, ...plan } }))
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** Uses the whole cap with two calls that differ from what the test asks later. */
async function useUp(gate: Gate): Promise<void> {
  for (const turn of [1, 2]) {
    gate.upstream.next(flatUsage(500))
    const response = await gate.post('openai', chat, flatAsk(500, { seed: turn }))
    assert.equal(response.status, 200)
    await response.text()
    await gate.daemon.settled(turn)
  }
}

async function degradedEvents(gate: Gate): Promise<readonly EventRow[]> {
  return gate.daemon.events('degraded')
}

describe('an identical earlier answer, when the budget is used up', () => {
  const ask = flatAsk(100, { messages: [{ role: 'user', content: 'what is the capital of Austria?' }] })

  async function fill(gate: Gate, body: object): Promise<{ readonly text: string; readonly type: string | null }> {
    gate.upstream.next({ text: 'Vienna it is.', ...flatUsage(100) })
    const first = await gate.post('openai', chat, body)
    assert.equal(first.headers.get('x-tollgate-degraded'), null)
    const answer = { text: await first.text(), type: first.headers.get('content-type') }
    for (const tokens of [450, 450]) {
      gate.upstream.next(flatUsage(tokens))
      await (await gate.post('openai', chat, flatAsk(tokens))).text()
    }
    await gate.daemon.settled(3)
    return answer
  }

  it('comes from the cache byte for byte, says so, and costs nothing', () =>
    withGate({ cache: true }, async (gate) => {
      const first = await fill(gate, ask)
      const again = await gate.post('openai', chat, {
        messages: [{ content: 'what is the capital of Austria?', role: 'user' }],
        model: 'flat-1',
        max_tokens: 100,
      })
      assert.equal(again.status, 200)
      assert.equal(again.headers.get('x-tollgate-degraded'), 'cache')
      assert.equal(await again.text(), first.text)
      assert.equal(gate.upstream.generations.length, 3)
      const status = await gate.daemon.status()
      assert.deepEqual([status.today.spentEur, status.today.calls], [capEur, 3])
      assert.equal(status.counters['degraded'], 1)
      const [event] = await degradedEvents(gate)
      assert.deepEqual([event?.['to'], event?.['model'], event?.['scope']], ['cache', 'flat-1', 'user'])
    }))

  it('keeps its form: a stream is a stream again, to the last byte', () =>
    withGate({ cache: true }, async (gate) => {
      const streamed = { ...ask, stream: true }
      const first = await fill(gate, streamed)
      assert.match(first.type ?? '', /event-stream/)
      const again = await gate.post('openai', chat, streamed)
      assert.match(again.headers.get('content-type') ?? '', /event-stream/)
      assert.equal(again.headers.get('x-tollgate-degraded'), 'cache')
      assert.equal(await again.text(), first.text)
    }))

  it('is no answer to another question, and the refusal stands', () =>
    withGate({ cache: true }, async (gate) => {
      await fill(gate, ask)
      const other = await readRefusal(await gate.post('openai', chat, { ...ask, temperature: 1 }))
      assert.deepEqual([other.status, other.code], [429, 'budget_exhausted'])
      assert.deepEqual(await degradedEvents(gate), [])
    }))

  it('is not looked for while there is money: the provider is asked each time', () =>
    withGate({ cache: true }, async (gate) => {
      for (const turn of [1, 2]) {
        gate.upstream.next(flatUsage(100))
        const response = await gate.post('openai', chat, ask)
        assert.equal(response.headers.get('x-tollgate-degraded'), null)
        await response.text()
        await gate.daemon.settled(turn)
      }
      assert.equal(gate.upstream.generations.length, 2)
    }))

  it('is not kept where the plan does not ask for it', () =>
    withGate({ cache: false }, async (gate) => {
      await fill(gate, ask)
      assert.equal((await readRefusal(await gate.post('openai', chat, ask))).code, 'budget_exhausted')
    }))
})

describe('the fallback upstream, when the budget is used up', () => {
  const fallback = { upstream: 'ollama', model: 'qwen3:4b' }

  it('answers in the same dialect, is named in a header, an event and the row, and never sees the key', () =>
    withGate({ fallback }, async (gate) => {
      await useUp(gate)
      gate.upstream.next({ text: 'from the local model' })
      const response = await gate.post('openai', chat, flatAsk(500))
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('x-tollgate-degraded'), 'ollama/qwen3:4b')
      assert.match(response.headers.get('x-tollgate-changes') ?? '', /model=qwen3:4b/)
      assert.match(await response.text(), /from the local model/)
      const [row] = await gate.daemon.settled(3)
      assert.deepEqual([row?.upstream, row?.model, row?.eur], ['ollama', 'qwen3:4b', 0])
      assert.deepEqual(row?.warnings, ['degraded'])
      const [event] = await degradedEvents(gate)
      assert.equal(event?.['to'], 'ollama/qwen3:4b')
      const last = gate.upstream.generations.at(-1)
      assert.match(last?.path ?? '', /\/ollama\/v1\/chat\/completions$/)
      assert.ok(!last?.rawHeaders.some((value) => value.includes(providerKey)), 'the key stays with its provider')
    }))

  it('streams, and the usage that was asked for stays hidden', () =>
    withGate({ fallback }, async (gate) => {
      await useUp(gate)
      const stream = await gate.openai().chat.completions.create({
        model: 'flat-1',
        max_completion_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: 'hello' }],
      })
      let words = 0
      for await (const chunk of stream) {
        assert.equal(chunk.choices.length, 1)
        words += 1
      }
      assert.ok(words > 0)
      const [row] = await gate.daemon.settled(3)
      assert.deepEqual([row?.upstream, row?.settlement], ['ollama', 'exact'])
    }))

  it('speaks the Anthropic dialect too', () =>
    withGate({ fallback }, async (gate) => {
      await useUp(gate)
      const message = await gate.anthropic().messages.create({
        model: 'flat-1',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'hello' }],
      })
      assert.equal(message.type, 'message')
      const [row] = await gate.daemon.settled(3)
      assert.deepEqual([row?.upstream, row?.dialect, row?.model], ['ollama', 'anthropic-messages', 'qwen3:4b'])
    }))

  it('takes no embeddings, whose numbers mean nothing in another model', () =>
    withGate({ fallback }, async (gate) => {
      await useUp(gate)
      const response = await gate.post('openai', '/v1/embeddings', { model: 'flat-1', input: 'hello' })
      // Its input is free at this price, so what is asked for here is only that no other model answered.
      await response.text()
      assert.equal(response.headers.get('x-tollgate-degraded'), null)
    }))

  it('is not reached by a call that a task ceiling stops', () =>
    withGate(
      { fallback },
      async (gate) => {
        gate.upstream.next(flatUsage(10))
        await (await gate.post('openai', chat, flatAsk(10), { headers: { 'x-tollgate-task': 't1' } })).text()
        const refused = await readRefusal(
          await gate.post('openai', chat, flatAsk(10), { headers: { 'x-tollgate-task': 't1' } }),
        )
        assert.equal(refused.code, 'task_halted')
      },
      { task: { maxIterations: 1 } },
    ))

  it('leaves the refusal as it was where the local server is away', () =>
    withGate({ fallback }, async (gate) => {
      await useUp(gate)
      gate.upstream.next({ status: 503 })
      const response = await gate.post('openai', chat, flatAsk(500))
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('x-tollgate-degraded'), 'ollama/qwen3:4b')
      await response.text()
    }))

  it('must be free: a configuration that names a paid one is refused', async () => {
    const plans = { agent: { degrade: { fallback: { upstream: 'groq', model: 'llama' } } } }
    const { code, stderr } = await runDaemon({ config: { plans } })
    assert.equal(code, 2)
    assert.match(stderr, /plans\.agent\.degrade\.fallback\.upstream must be a free upstream/)
  })
})
