import assert from 'node:assert/strict'
import { sse } from '../upstream/reply.ts'
import type { Step } from '../upstream/step.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { rawExchange, rawPost } from './harness/raw.ts'

const text = '北京🌍 naïve'
const chatFrames = [
  sse({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  sse({ id: 'c', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
  sse({
    id: 'c',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 321, completion_tokens: 9, total_tokens: 330 },
  }),
  'data: [DONE]\n\n',
]

describe('the bytes of a stream', () => {
  let gate: Gate
  before(async () => {
    // The idle limit is what a keep-alive has to reset (F04).
    gate = await startGate({ plans: { agent: { timeouts: { idleMs: 1000 } } } })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const chatBody = JSON.stringify({
    model: 'gpt-4o-mini',
    stream: true,
    max_tokens: 500,
    messages: [{ role: 'user', content: 'x' }],
  })
  const messagesBody = JSON.stringify({
    model: 'claude-haiku-4-5',
    stream: true,
    max_tokens: 500,
    messages: [{ role: 'user', content: 'x' }],
  })

  /** One call over a socket of its own, and the row that it left. */
  async function streamed(step: Step, path = 'openai/v1/chat/completions', body = chatBody) {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next(step)
    const [upstream = '', ...rest] = path.split('/')
    const url = `${gate.daemon.base(upstream)}/${rest.join('/')}`
    const answer = await rawExchange(url, rawPost(url, body))
    const [row] = await gate.daemon.settled(before + 1)
    return { answer, row: row! }
  }

  it('F01 passes a stream that is split at every byte, unchanged, and reads its usage', async () => {
    const { answer, row } = await streamed({ frames: chatFrames, splitBytes: 1 })
    assert.equal(answer.body.toString(), chatFrames.join(''))
    assert.equal(answer.torn, false)
    assert.doesNotMatch(answer.body.toString(), /\uFFFD/)
    assert.deepEqual([row.usage.input, row.usage.output, row.settlement], [321, 9, 'exact'])
  })

  it('F01 hides its own usage chunk from a stream that is split at every byte', async () => {
    gate.upstream.next({ text, splitBytes: 1 })
    const response = await gate.post('openai', '/v1/chat/completions', chatBody)
    const body = await response.text()
    assert.doesNotMatch(body, /"choices":\[\]/)
    assert.match(body, /🌍/)
    assert.match(body, /data: \[DONE\]\n\n$/)
  })

  for (const [name, lineEnd] of [
    ['CRLF', '\r\n'],
    ['a lone CR', '\r'],
  ] as const) {
    it(`F02 reads a stream whose lines end in ${name}, whole and split in the middle of a line end`, async () => {
      for (const splitBytes of [100_000, 7]) {
        const { answer, row } = await streamed({ frames: chatFrames, lineEnd, splitBytes })
        assert.equal(answer.body.toString(), chatFrames.join('').replaceAll('\n', lineEnd))
        assert.deepEqual([row.usage.input, row.usage.output, row.settlement, row.outcome], [321, 9, 'exact', 'ok'])
      }
    })
  }

  it('F04 forwards comments and pings, and lets them reset the idle timer', async () => {
    const comments = await streamed({ frames: [':\n\n', ': ping - 2026\n\n', ...chatFrames] })
    assert.match(comments.answer.body.toString(), /^:\n\n: ping - 2026\n\n/)
    assert.equal(comments.row.outcome, 'ok')
    // Four silences of 400 ms are longer than the idle limit of 1,000 ms: only the keep-alives between them save the call.
    const pings = Array.from({ length: 4 }, () => sse({ type: 'ping' }, 'ping'))
    const { answer, row } = await streamed({ frames: [...pings, ...chatFrames], chunkDelayMs: 400 })
    assert.equal(answer.torn, false)
    assert.equal(row.outcome, 'ok')
  })

  it('F04 passes the pings of Anthropic', async () => {
    const { answer, row } = await streamed({ pings: 3 }, 'anthropic/v1/messages', messagesBody)
    assert.equal(answer.body.toString().split('event: ping').length - 1, 3)
    assert.deepEqual([row.outcome, row.settlement], ['ok', 'exact'])
  })

  for (const [path, body] of [
    ['openai/v1/chat/completions', chatBody],
    ['anthropic/v1/messages', messagesBody],
    ['openai/v1/responses', JSON.stringify({ model: 'gpt-4o-mini', stream: true, max_output_tokens: 500, input: 'x' })],
    ['ollama/api/chat', JSON.stringify({ model: 'gemma3:4b', messages: [{ role: 'user', content: 'x' }] })],
  ] as const) {
    it(`F06 and F09: ${path} without its terminal event is torn for the client, never completed by an invented one`, async () => {
      const { answer, row } = await streamed({ outputTokens: 60, cutAfterChunks: 40 }, path, body)
      assert.equal(answer.status, 200)
      assert.equal(answer.torn, true)
      assert.doesNotMatch(answer.body.toString(), /\[DONE\]|message_stop|response\.completed|"done":true/)
      assert.equal(row.outcome, 'upstream_truncated')
      assert.ok(row.usage.output >= 40, `output ${row.usage.output}`)
      assert.ok(row.usage.input > 0)
    })

    it(`F08 ${path}: a reset in mid-body closes the client's connection without a final chunk`, async () => {
      const { answer, row } = await streamed({ outputTokens: 60, resetAfterChunks: 20 }, path, body)
      assert.equal(answer.torn, true)
      assert.doesNotMatch(answer.body.toString(), /\[DONE\]|message_stop|response\.completed|"done":true/)
      assert.notEqual(row.outcome, 'ok')
      assert.ok(row.usage.output > 0)
    })
  }

  it('F07 records an error after 200 as an error, bills the part, and invents nothing', async () => {
    const frames = [...chatFrames.slice(0, 2), sse({ error: { code: 500, message: 'engine failed' } })]
    const { answer, row } = await streamed({ frames })
    assert.equal(answer.body.toString(), frames.join(''))
    assert.equal(row.outcome, 'upstream_error')
    assert.notEqual(row.settlement, 'exact')
    assert.ok(row.usage.output > 0)
  })

  it('F07 records overloaded_error of Anthropic and keeps the known input', async () => {
    const step = {
      inputTokens: 1111,
      outputTokens: 50,
      midStreamError: { afterChunks: 10, type: 'overloaded_error', message: 'Overloaded' },
    }
    const { answer, row } = await streamed(step, 'anthropic/v1/messages', messagesBody)
    assert.match(answer.body.toString(), /overloaded_error/)
    assert.doesNotMatch(answer.body.toString(), /message_stop/)
    assert.equal(row.outcome, 'upstream_error')
    assert.equal(row.usage.input, 1111)
    assert.ok(row.usage.output >= 10 && row.usage.output < 50)
  })

  it('F08 does not complete a plain JSON answer whose second half never came', async () => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 500, messages: [{ role: 'user', content: 'x' }] })
    const { answer, row } = await streamed({ resetAfterChunks: 2 }, 'openai/v1/chat/completions', body)
    assert.ok(answer.torn || answer.status === 502, 'the client cannot take it for complete')
    assert.notEqual(row.outcome, 'ok')
  })
})
