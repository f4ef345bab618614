import assert from 'node:assert/strict'
import type { CallRow } from '../../shared/status.ts'
import { dataEvents, namedEvents } from '../unit/dialects/builders.ts'
import { readRefusal } from './harness/answers.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { promptOfTokens } from './harness/prompts.ts'

/** The inputs of the public reports, through the whole gate, at one euro a dollar. */
const settings = {
  currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
  prices: { overrides: [{ match: 'same-*', prices: { input_mtok: 2.5, cache_read_mtok: 0.25, output_mtok: 10 } }] },
  budgets: { userDaily: { eur: 160 }, tenantMonthly: { eur: null }, heldWaitMs: 0 },
  plans: { agent: { loop: null, storm: null } },
}
const messages = [{ role: 'user', content: 'hello' }]
const million = 1_000_000

interface Asked {
  readonly upstream?: 'openai' | 'anthropic' | 'gemini'
  readonly path?: string
  readonly body: object
  readonly answer: object | string
  readonly task?: string
}

describe('what the cases of public reports cost', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate(settings)
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  /** One call that the provider answers with exactly this document, or these events. */
  async function call(
    asked: Asked,
  ): Promise<{ readonly row: CallRow; readonly response: Response; readonly text: string }> {
    const { upstream = 'openai', path = '/v1/chat/completions', body, answer, task } = asked
    const before = (await gate.daemon.calls()).length
    const events = typeof answer === 'string'
    gate.upstream.next({
      pieces: [Buffer.from(events ? answer : JSON.stringify(answer))],
      headers: { 'content-type': events ? 'text/event-stream' : 'application/json' },
    })
    const response = await gate.post(
      upstream,
      path,
      body,
      task === undefined ? {} : { headers: { 'x-tollgate-task': task } },
    )
    const text = await response.text()
    assert.equal(response.status, 200, text)
    const [row] = await gate.daemon.settled(before + 1)
    return { row: row!, response, text }
  }
  const chat = (model: string, usage: object, more: object = {}, ask: object = {}): ReturnType<typeof call> => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
    return call({ body: { model, max_tokens: 1000, messages, ...ask }, answer: { model, choices, usage, ...more } })
  }
  const anthropic = (model: string, usage: object, more: Partial<Asked> & { readonly ask?: object } = {}) => {
    const { ask = {}, ...rest } = more
    const content = [{ type: 'text', text: 'Hello' }]
    const answer = { type: 'message', model, content, stop_reason: 'end_turn', usage }
    return call({
      upstream: 'anthropic',
      path: '/v1/messages',
      body: { model, max_tokens: 1000, messages, ...ask },
      answer,
      ...rest,
    })
  }

  it('B12: an Anthropic stream passes byte for byte, and the figures of the gate stand in its headers alone', async () => {
    const answer = namedEvents(
      {
        type: 'message_start',
        message: { id: 'm1', model: 'claude-opus-5', usage: { input_tokens: 9, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    )
    const body = { model: 'claude-opus-5', max_tokens: 1000, messages, stream: true }
    const { text, response, row } = await call({ upstream: 'anthropic', path: '/v1/messages', body, answer })
    assert.equal(text, answer)
    assert.ok(Number(response.headers.get('x-tollgate-reserved-eur')) > 0)
    assert.equal(row.eur, (9 * 5 + 2 * 25) / million)
  })

  it('B12: a chat stream with its own fields passes byte for byte to a client that asked for usage', async () => {
    const answer = dataEvents(
      { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], cost: 7, usage: null },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, cost: 7 } },
      '[DONE]',
    )
    const body = { model: 'gpt-5', max_tokens: 1000, messages, stream: true, stream_options: { include_usage: true } }
    const { text, row } = await call({ body, answer })
    assert.equal(text, answer)
    assert.equal(row.eur, (9 * 1.25 + 2 * 10) / million, 'a figure of a vendor that states no cost is none')
  })

  it('D01: 12,304 written tokens are charged once: 0.054399 and not 0.091311', async () => {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 12_304,
      cache_read_input_tokens: 0,
      output_tokens: 550,
    }
    assert.equal((await anthropic('claude-3-7-sonnet-20250219', usage)).row.eur, 0.054399)
  })

  it('D02: a cached prompt costs the same by the convention of OpenAI and by that of Anthropic', async () => {
    const eur = (3914 * 2.5 + 16_298 * 0.25 + 931 * 10) / million
    const openai = { prompt_tokens: 20_212, completion_tokens: 931, prompt_tokens_details: { cached_tokens: 16_298 } }
    assert.equal((await chat('same-1', openai)).row.eur, eur)
    const own = { input_tokens: 3914, cache_read_input_tokens: 16_298, output_tokens: 931 }
    assert.equal((await anthropic('same-1', own)).row.eur, eur)
  })

  it('D03: the cached part of a prompt is a part of it: for the task, for the budgets and for the look at truncation', async () => {
    const before = (await gate.daemon.status()).today.tokens
    const usage = { input_tokens: 12, cache_read_input_tokens: 98_000, output_tokens: 300 }
    const ask = { messages: [{ role: 'user', content: promptOfTokens(90_000) }] }
    const { row, response } = await anthropic('claude-opus-5', usage, { ask, task: 'cached' })
    assert.equal(row.eur, (12 * 5 + 98_000 * 0.5 + 300 * 25) / million)
    assert.deepEqual([row.warnings, response.headers.get('x-tollgate-warning')], [[], null])
    const { tasks, today } = await gate.daemon.status()
    assert.equal(tasks.find(({ id }) => id === 'cached')!.inputTokens, 98_012)
    assert.equal(today.tokens.cacheRead - before.cacheRead, 98_000)
    assert.equal(today.tokens.input - before.input, 12)
  })

  it('D04: 3,904 tokens that are written for an hour cost 10 per million', async () => {
    const usage = {
      input_tokens: 0,
      cache_creation_input_tokens: 3904,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3904 },
      output_tokens: 1,
    }
    const { row } = await anthropic('claude-opus-5', usage)
    assert.equal(row.eur, (3904 * 10 + 25) / million)
    assert.deepEqual([row.usage.cacheWrite5m, row.usage.cacheWrite1h], [0, 3904])
  })

  it('D10: searches are held before the call by their bound, and charged by what was made', async () => {
    const searches = [1, 2].map(() => ({ type: 'web_search_call', action: { type: 'search' } }))
    const output = [...searches, { type: 'message', content: [{ type: 'output_text', text: 'Found.' }] }]
    const usage = { input_tokens: 1000, output_tokens: 100 }
    const answer = { id: 'r1', model: 'gpt-5', status: 'completed', output, usage }
    const body = { model: 'gpt-5', input: 'hello', max_output_tokens: 100, store: false }
    const plain = await call({ path: '/v1/responses', body, answer: { ...answer, output: output.slice(2) } })
    const searching = { ...body, tools: [{ type: 'web_search' }], max_tool_calls: 5 }
    const { row } = await call({ path: '/v1/responses', body: searching, answer })
    assert.equal(row.usage.webSearches, 2)
    assert.equal(Math.round((row.eur - plain.row.eur) * million), 20_000)
    assert.ok(row.reservedEur >= 0.05, `${row.reservedEur} held for five searches`)
    const bounded = { ask: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] } }
    const used = { input_tokens: 9, output_tokens: 2, server_tool_use: { web_search_requests: 3 } }
    const own = (await anthropic('claude-opus-5', used, bounded)).row
    assert.equal(own.eur, (9 * 5 + 2 * 25 + 30_000) / million)
    assert.ok(own.reservedEur >= 0.03, `${own.reservedEur} held for three searches`)
  })

  it('D13: the tier that was served decides, whatever was asked for', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100 }
    const standard = (1000 * 1.25 + 100 * 10) / million
    for (const [asked, served, factor] of [
      ['auto', 'flex', 0.5],
      ['auto', 'default', 1],
      ['auto', 'priority', 2],
      ['flex', 'priority', 2],
      ['priority', 'default', 1],
    ] as const) {
      const { row } = await chat('gpt-5', usage, { service_tier: served }, { service_tier: asked })
      assert.equal(row.eur, standard * factor, `${served} for ${asked}`)
    }
  })

  it('D15: audio costs its own rate; where it has none the text rate is charged and said to be a guess', async () => {
    const usage = {
      prompt_tokens: 15,
      completion_tokens: 47,
      completion_tokens_details: { audio_tokens: 34, text_tokens: 13 },
    }
    const dear = (await chat('gpt-audio', usage)).row
    assert.deepEqual([dear.eur, dear.warnings], [(15 * 2.5 + 13 * 10 + 34 * 64) / million, []])
    const floor = (await chat('gpt-5', usage)).row
    assert.deepEqual([floor.eur, floor.warnings], [(15 * 1.25 + 47 * 10) / million, ['price_uncertain']])
  })

  it('E04: a dated name is priced by its own base and not by a shorter one', async () => {
    const { row } = await chat('gpt-4o-mini-2024-07-18', { prompt_tokens: 1000, completion_tokens: 100 })
    assert.equal(row.eur, (1000 * 0.15 + 100 * 0.6) / million)
    assert.match(row.price ?? '', /^openai\/gpt-4o-mini /)
  })

  for (const [what, upstream, model, near] of [
    ['E02: a dot for a dash', 'anthropic', 'claude-opus-4.1', /claude-opus-4-1/],
    ['E06: a new suffix', 'gemini', 'gemini-3.8-flash-lite', /gemini-3\.8-flash/],
    ['E06: a new size', 'openai', 'gpt-5-micro', /gpt-5-/],
  ] as const) {
    it(`${what} is no known model: refused under a cap, with the near name, and nothing is sent`, async () => {
      const path = {
        anthropic: '/v1/messages',
        openai: '/v1/chat/completions',
        gemini: `/v1beta/models/${model}:generateContent`,
      }
      const body = { model, max_tokens: 100, messages, contents: [{ parts: [{ text: 'hello' }] }] }
      const refused = await readRefusal(await gate.post(upstream, path[upstream], body))
      assert.deepEqual([refused.status, refused.code], [422, 'unpriced_model'])
      assert.match(JSON.stringify(refused.body), near)
      assert.equal(gate.upstream.generations.length, 0)
    })
  }

  it('E03: four models without a price cannot pass a cap one by one', async () => {
    for (const model of ['one-9b', 'two-9b', 'three-9b', 'four-9b']) {
      const refused = await readRefusal(await gate.post('openai', '/v1/chat/completions', { model, messages }))
      assert.equal(refused.code, 'unpriced_model', model)
    }
    assert.equal(gate.upstream.generations.length, 0)
    assert.ok(((await gate.daemon.status()).counters['unpriced_model'] ?? 0) >= 4, 'and each is counted')
  })
})
