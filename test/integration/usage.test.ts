import assert from 'node:assert/strict'
import { sse } from '../upstream/reply.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

describe('usage in streams', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const messages = [{ role: 'user', content: 'How many words has this?' }]
  const chat = (extra: object = {}) =>
    gate.post('openai', '/v1/chat/completions', { model: 'gpt-4o-mini', messages, stream: true, ...extra })
  const anthropic = () =>
    gate.post('anthropic', '/v1/messages', { model: 'claude-haiku-4-5', max_tokens: 400, messages, stream: true })
  /** Runs one call to its end and returns its text and its row. */
  async function finished(call: () => Promise<Response>) {
    const before = (await gate.daemon.calls()).length
    const text = await (await call()).text()
    const [row] = await gate.daemon.settled(before + 1)
    return { text, row: row! }
  }
  const dataOf = (text: string): { choices?: unknown[] | null; usage?: unknown }[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as { choices?: unknown[]; usage?: unknown })

  it('B01 asks for the usage of a stream, settles exactly, and hides the extra chunk again', async () => {
    gate.upstream.next({ inputTokens: 812, outputTokens: 33 })
    const { text, row } = await finished(() => chat())
    const sent = gate.upstream.generations[0]!.json
    assert.deepEqual(sent['stream_options'], { include_usage: true })
    assert.deepEqual([row.settlement, row.usage.input, row.usage.output], ['exact', 812, 33])
    assert.ok(dataOf(text).every((chunk) => Array.isArray(chunk.choices) && chunk.choices.length > 0))
    assert.ok(dataOf(text).every((chunk) => !chunk.usage))
    assert.match(text, /data: \[DONE\]\n\n$/)
  })

  it('B01 leaves the usage chunk to a client that asked for it, byte for byte', async () => {
    const ask = { stream_options: { include_usage: true }, max_tokens: 400 }
    gate.upstream.next({ inputTokens: 812, outputTokens: 33 })
    const { text, row } = await finished(() => chat(ask))
    assert.deepEqual(dataOf(text).at(-1)!.choices, [])
    assert.equal(row.settlement, 'exact')
    const untouched = JSON.stringify({ model: 'gpt-4o-mini', messages, stream: true, ...ask })
    assert.equal(gate.upstream.generations[0]!.body.toString(), untouched)
  })

  it('B01 falls back to its own count where the provider never sends usage', async () => {
    gate.upstream.next({ usage: 'missing', outputTokens: 120 })
    const { row } = await finished(() => chat())
    assert.equal(row.settlement, 'estimated')
    assert.ok(row.usage.output >= 100 && row.usage.output < 240, `output ${row.usage.output}`)
    assert.ok(row.usage.input > 0)
    assert.ok(row.warnings.includes('usage_missing'))
  })

  it('B02 respects an explicit false towards the client', async () => {
    gate.upstream.next({ outputTokens: 21 })
    const { text, row } = await finished(() => chat({ stream_options: { include_usage: false } }))
    assert.ok(dataOf(text).every((chunk) => chunk.choices?.length === 1))
    assert.deepEqual([row.settlement, row.usage.output], ['exact', 21])
    assert.deepEqual(gate.upstream.generations[0]!.json['stream_options'], { include_usage: true })
  })

  it('B02 passes chunks with choices that are null, missing or empty, and reads past them', async () => {
    const word = { choices: [{ index: 0, delta: { content: 'word' }, finish_reason: null }] }
    const frames = [
      sse({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] }),
      sse({ choices: null }),
      sse({ id: 'no-choices' }),
      sse(word),
      sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      sse({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } }),
      'data: [DONE]\n\n',
    ]
    gate.upstream.next({ frames })
    const { text, row } = await finished(() => chat())
    assert.equal(text, frames.filter((frame) => !frame.includes('"usage"')).join(''))
    assert.deepEqual([row.usage.input, row.usage.output, row.finish], [9, 1, 'stop'])
  })

  it('B03 takes the maximum of cumulative usage, not its sum, and ignores a final null', async () => {
    gate.upstream.next({ inputTokens: 48, outputTokens: 16, usageOnEveryChunk: true })
    const { row } = await finished(() => chat())
    assert.deepEqual([row.usage.input, row.usage.output, row.settlement], [48, 16, 'exact'])
  })

  it('B04 treats usage that is null everywhere as missing', async () => {
    gate.upstream.next({ usage: null, outputTokens: 100 })
    const { row } = await finished(() => chat())
    assert.equal(row.settlement, 'estimated')
    assert.ok(row.usage.output >= 80)
    assert.ok(row.warnings.includes('usage_missing'))
  })

  it('B04 treats all zeros after delivered text as missing, and counts it', async () => {
    const missing = async () => (await gate.daemon.status()).counters['usage_missing'] ?? 0
    const before = await missing()
    gate.upstream.next({ usage: 'zeros', outputTokens: 100 })
    const { row } = await finished(() => chat())
    assert.equal(row.settlement, 'estimated')
    assert.ok(row.usage.output >= 80 && row.eur > 0)
    assert.equal(await missing(), before + 1)
  })

  it('B06 does not add the seed of message_start to the cumulative output', async () => {
    const usage = { input_tokens: 20, output_tokens: 1 }
    gate.upstream.next({ frames: messageFrames(usage, { output_tokens: 15 }) })
    const { row } = await finished(() => anthropic())
    assert.deepEqual([row.usage.input, row.usage.output, row.settlement], [20, 15, 'exact'])
  })

  it('B07 does not double input and cache that message_delta repeats', async () => {
    const usage = { input_tokens: 2, cache_creation_input_tokens: 47_119, output_tokens: 4 }
    gate.upstream.next({ frames: messageFrames(usage, { ...usage, output_tokens: 64 }) })
    const { row } = await finished(() => anthropic())
    assert.deepEqual(
      [row.usage.input, row.usage.cacheWrite5m + row.usage.cacheWrite1h, row.usage.output],
      [2, 47_119, 64],
    )
  })

  it('keeps five-minute and one-hour cache writes apart', async () => {
    gate.upstream.next({
      inputTokens: 5000,
      cacheReadTokens: 1000,
      cacheWrite5mTokens: 700,
      cacheWrite1hTokens: 300,
      outputTokens: 5,
    })
    const { row } = await finished(() => anthropic())
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = row.usage
    assert.deepEqual(
      { input, cacheRead, cacheWrite5m, cacheWrite1h },
      { input: 3000, cacheRead: 1000, cacheWrite5m: 700, cacheWrite1h: 300 },
    )
  })

  it('reads the zeroed usage chunks of the Ollama completions emulation and its real last one', async () => {
    gate.upstream.next({ inputTokens: 400, outputTokens: 12 })
    const ask = { model: 'gemma3:4b', prompt: 'x', stream: true }
    const { row } = await finished(() => gate.post('ollama', '/v1/completions', ask))
    assert.deepEqual([row.usage.input, row.usage.output, row.settlement], [400, 12, 'exact'])
  })

  it("prefers the real count of the Ollama messages emulation to message_start's guess", async () => {
    gate.upstream.next({ inputTokens: 1234, outputTokens: 12 })
    const ask = { model: 'gemma3:4b', max_tokens: 100, messages, stream: true }
    const { row } = await finished(() => gate.post('ollama', '/v1/messages', ask))
    assert.deepEqual([row.usage.input, row.usage.output, row.settlement], [1234, 12, 'exact'])
  })
})

function messageFrames(start: object, delta: object): readonly string[] {
  const event = (type: string, fields: object) => sse({ type, ...fields }, type)
  return [
    event('message_start', {
      message: { id: 'm1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [], usage: start },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Fifteen tokens or so.' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: delta }),
    event('message_stop', {}),
  ]
}
