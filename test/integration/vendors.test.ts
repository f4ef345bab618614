import assert from 'node:assert/strict'
import type { CallRow } from '../../shared/status.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { Step } from '../upstream/step.ts'
import { vendorBaseUrl } from '../upstream/vendors.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { providerKey } from './harness/gate.ts'
import { rawExchange } from './harness/raw.ts'

const names = ['openrouter', 'groq', 'mistral', 'deepseek', 'xai'] as const

/** One dollar a million read, ten cents cached, ten dollars written; a dollar is a euro. */
const flat = { match: 'flat-*', prices: { input_mtok: 1, cache_read_mtok: 0.1, output_mtok: 10 } }

describe('other vendors', () => {
  let upstream: Upstream
  let daemon: Daemon
  before(async () => {
    upstream = await startUpstream()
    const { upstreams } = against(upstream) as { readonly upstreams: object }
    const vendors = names.map((name) => [name, { baseUrl: vendorBaseUrl(upstream.url, name), dialect: 'openai' }])
    daemon = await startDaemon({
      config: against(upstream, {
        currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
        prices: { overrides: [flat] },
        budgets: { userDaily: { eur: 100 }, heldWaitMs: 0 },
        plans: { agent: { task: null, loop: null, storm: null } },
        upstreams: { ...upstreams, ...(Object.fromEntries(vendors) as object) },
      }),
    })
  })
  after(async () => {
    await daemon.discard()
    await upstream.close()
  })
  beforeEach(() => upstream.reset())

  const messages = [{ role: 'user', content: 'hello' }]
  async function call(
    name: string,
    path: string,
    body: object,
    step: Step = {},
  ): Promise<{ text: string; row: CallRow }> {
    const before = (await daemon.calls()).length
    upstream.next(step)
    const response = await fetch(`${daemon.base(name)}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${providerKey}` },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const [row] = await daemon.settled(before + 1)
    return { text, row: row! }
  }
  const chat = (name: string, stream: boolean, step: Step, more: object = {}): ReturnType<typeof call> =>
    call(name, '/v1/chat/completions', { model: 'flat-1', max_tokens: 900, messages, stream, ...more }, step)

  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'in one piece'
    it(`OpenRouter, ${how}: settles at what was charged, and says so`, async () => {
      const usage = { cost: 0.0123456789, is_byok: false, cost_details: { upstream_inference_cost: 0.0123 } }
      const { text, row } = await chat('openrouter', stream, { inputTokens: 1000, outputTokens: 50, usage })
      assert.deepEqual([row.settlement, row.eur, row.usage.input, row.usage.output], ['exact', 0.012345679, 1000, 50])
      assert.ok(row.warnings.includes('price_reported'))
      assert.ok(row.reservedEur >= 0.009, 'the table still decides what is held')
      assert.match(text, /"cost":0\.0123456789/, 'B12: the client gets the provider’s own figures')
      assert.equal(upstream.generations[0]!.json['stream_options'], undefined)
    })
    it(`Groq, ${how}: reads its own object`, async () => {
      const { text, row } = await chat('groq', stream, { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 50 })
      assert.deepEqual([row.settlement, row.usage.input, row.usage.cacheRead], ['exact', 600, 400])
      assert.equal(row.eur, (600 + 40 + 500) / 1_000_000)
      assert.match(text, /x_groq/)
    })
    it(`D02: DeepSeek, ${how}: charges the cached part once, at its rate`, async () => {
      const { row } = await chat('deepseek', stream, { inputTokens: 1000, cacheReadTokens: 640, outputTokens: 50 })
      assert.deepEqual([row.settlement, row.usage.input, row.usage.cacheRead], ['exact', 360, 640])
      assert.equal(row.eur, (360 + 64 + 500) / 1_000_000)
    })
    it(`D12: xAI, ${how}: charges reasoning that the completion leaves out`, async () => {
      const { row } = await chat('xai', stream, { inputTokens: 1000, thinkingTokens: 98, outputTokens: 9 })
      assert.deepEqual([row.settlement, row.usage.output, row.usage.reasoning], ['exact', 107, 98])
      assert.equal(row.eur, (1000 + 1070) / 1_000_000)
    })
    it(`xAI, ${how}: settles at its ticks where it sends them`, async () => {
      const step = { inputTokens: 1000, outputTokens: 9, usage: { cost_in_usd_ticks: 37_756_000 } }
      const { row } = await chat('xai', stream, step)
      assert.deepEqual([row.eur, row.warnings.includes('price_reported')], [0.0037756, true])
    })
    it(`Mistral, ${how}: is asked for nothing that it refuses`, async () => {
      const { text, row } = await chat(
        'mistral',
        stream,
        { inputTokens: 1000, outputTokens: 50 },
        { max_tokens: undefined },
      )
      assert.deepEqual([row.status, row.settlement, row.usage.output], [200, 'exact', 50])
      assert.equal(typeof upstream.generations[0]!.json['max_tokens'], 'number')
      assert.match(text, /"usage":\{/)
    })
  }

  it('Groq: hides the chunk that it asked for, and leaves Groq’s own', async () => {
    const { text } = await chat('groq', true, { outputTokens: 5 })
    assert.doesNotMatch(text, /"choices":\[\]/)
    assert.match(text, /x_groq/)
  })

  it('OpenRouter: takes the table where a priced answer is said to have cost nothing', async () => {
    const { row } = await chat('openrouter', false, { inputTokens: 1000, outputTokens: 50, usage: { cost: 0 } })
    assert.deepEqual([row.eur, row.warnings.includes('price_reported')], [0.0015, false])
  })

  it('OpenRouter: reserves at the dearest of the models that it may fall back on', async () => {
    const alone = await chat('openrouter', false, {})
    const many = await chat('openrouter', false, {}, { models: ['flat-1', 'openai/gpt-5.5-pro'] })
    assert.ok(many.row.reservedEur > 2 * alone.row.reservedEur)
    const unheard = await fetch(`${daemon.base('openrouter')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'flat-1', max_tokens: 9, messages, models: ['someone/unheard-of'] }),
    })
    assert.equal(unheard.headers.get('x-tollgate-code'), 'unpriced_model')
  })

  const anthropic = (body: object, step: Step): ReturnType<typeof call> =>
    call('anthropic', '/v1/messages', { model: 'claude-opus-5', max_tokens: 1000, messages, ...body }, step)
  const tokens = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output })

  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'in one piece'
    it(`Anthropic, ${how}: adds compaction, which the totals leave out`, async () => {
      const iterations = [
        { type: 'compaction', ...tokens(18_000, 350) },
        { type: 'message', ...tokens(2000, 100) },
      ]
      const { row } = await anthropic({ stream }, { usage: { ...tokens(2000, 100), iterations } })
      assert.deepEqual([row.settlement, row.usage.input, row.usage.output], ['exact', 20_000, 450])
      assert.equal(row.eur, (20_000 * 5 + 450 * 25) / 1_000_000)
    })
    it(`Anthropic, ${how}: charges a fallback at its own model`, async () => {
      const iterations = [
        { type: 'message', model: 'claude-opus-5', ...tokens(400, 12) },
        { type: 'fallback_message', model: 'claude-haiku-4-5', ...tokens(420, 90) },
      ]
      const ask = { stream, fallbacks: [{ model: 'claude-haiku-4-5', max_tokens: 4000 }] }
      const { row } = await anthropic(ask, { usage: { ...tokens(820, 102), iterations } })
      assert.deepEqual([row.usage.input, row.usage.output], [820, 102])
      assert.equal(row.eur, (400 * 5 + 12 * 25 + 420 * 1 + 90 * 5) / 1_000_000)
      assert.ok(row.reservedEur >= (4000 * 25) / 1_000_000, 'held at the dearest model and the largest ceiling')
    })
  }

  it('Anthropic: lowers the ceiling of a fallback to what the plan allows, and leaves the rest', async () => {
    const fallbacks = [{ model: 'claude-haiku-4-5', max_tokens: 64_000 }]
    await anthropic({ fallbacks }, {})
    const sent = upstream.generations[0]!.json
    assert.equal(sent['max_tokens'], 1000)
    assert.deepEqual(sent['fallbacks'], [{ model: 'claude-haiku-4-5', max_tokens: 32_000 }])
  })

  it('D10: Anthropic: charges searches beside the tokens', async () => {
    const { row } = await anthropic({}, { inputTokens: 1000, outputTokens: 100, webSearches: 3 })
    assert.deepEqual([row.usage.webSearches, row.eur], [3, (1000 * 5 + 100 * 25 + 30_000) / 1_000_000])
  })

  it('B13: settles a streamed legacy completion, which is asked for its usage', async () => {
    const ask = { model: 'flat-1', prompt: 'hello', max_tokens: 900, stream: true }
    const { text, row } = await call('openai', '/v1/completions', ask, { inputTokens: 1000, outputTokens: 50 })
    assert.deepEqual([row.settlement, row.eur], ['exact', (1000 + 500) / 1_000_000])
    assert.doesNotMatch(text, /"choices":\[\]/)
  })

  const responses = (body: object, step: Step): ReturnType<typeof call> =>
    call('openai', '/v1/responses', { model: 'flat-1', input: 'hello', stream: true, ...body }, step)

  it('B10: settles an incomplete response exactly', async () => {
    const { row } = await responses({ max_output_tokens: 64 }, { inputTokens: 900, outputTokens: 200 })
    assert.deepEqual(
      [row.settlement, row.outcome, row.finish, row.usage.input, row.usage.output],
      ['exact', 'ok', 'max_output_tokens', 900, 64],
    )
    assert.equal(row.eur, (900 + 640) / 1_000_000)
  })
  it('B10: settles a failed response without usage by its input and what was delivered', async () => {
    const { row } = await responses({}, { outputTokens: 40, midStreamError: { afterChunks: 20 } })
    assert.deepEqual([row.settlement, row.outcome], ['estimated', 'upstream_error'])
    assert.ok(row.usage.input > 0 && row.usage.output >= 20 && row.eur > 0)
  })
  it('refuses a background response, whose cost comes when nobody looks', async () => {
    const response = await fetch(`${daemon.base('openai')}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'flat-1', input: 'hello', background: true }),
    })
    assert.deepEqual([response.status, response.headers.get('x-tollgate-code')], [422, 'unsupported'])
    assert.equal(upstream.generations.length, 0)
  })
  it('answers 426 to Responses over a WebSocket, with a sentence', async () => {
    const url = `${daemon.base('openai')}/v1/responses`
    const { host, pathname } = new URL(url)
    const answer = await rawExchange(url, [
      `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    ])
    assert.equal(answer.status, 426)
    assert.match(answer.head, /x-should-retry: false/)
    assert.match((JSON.parse(answer.body.toString()) as { error: { message: string } }).error.message, /HTTP/)
    assert.equal(upstream.requests.length, 0)
  })
})
