import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { CallFacts } from '../../../daemon/call.ts'
import { iterated } from '../../../daemon/dialects/anthropicIterations.ts'
import type { Iteration } from '../../../daemon/dialects/anthropicIterations.ts'
import type { AnswerFacts, JsonObject } from '../../../daemon/dialects/dialect.ts'
import { restOf, sumOf } from '../../../daemon/dialects/usageParts.ts'
import { noUsage, totalTokens } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { describeRequest, namedEvents, readAnswer } from './builders.ts'

function describe1(more: JsonObject): CallFacts {
  return describeRequest('anthropic-messages', { model: 'claude-big', max_tokens: 1000, messages: [], ...more }).facts
}
function read(
  usage: object,
  start: object = { input_tokens: 10, output_tokens: 1 },
  facts = describe1({}),
): AnswerFacts {
  const events = namedEvents(
    { type: 'message_start', message: { model: 'claude-big', usage: start } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  )
  return readAnswer('anthropic-messages', 'sse', events, facts)
}
const tokens = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output })

describe('iterations of an Anthropic answer', () => {
  it('are one model’s, and no part, where nothing else ran', () => {
    const iterations = [
      { type: 'message', model: 'claude-big', ...tokens(4, 2) },
      { type: 'message', ...tokens(6, 3) },
    ]
    const facts = read({ ...tokens(10, 5), iterations })
    assert.deepEqual([facts.usage, facts.parts], [{ ...noUsage, input: 10, output: 5 }, []])
  })
  it('price a compaction by itself, because it is a prompt of its own', () => {
    const compaction = { type: 'compaction', ...tokens(180_000, 3500), cache_read_input_tokens: 7 }
    const facts = read({
      ...tokens(23_000, 1000),
      iterations: [compaction, { type: 'message', ...tokens(23_000, 1000) }],
    })
    const part = { ...noUsage, input: 180_000, cacheRead: 7, output: 3500 }
    assert.deepEqual(facts.usage, { ...noUsage, input: 203_000, cacheRead: 7, output: 4500 })
    assert.deepEqual(facts.parts, [{ model: 'claude-big', usage: part }])
  })
  it('name the advisor’s model', () => {
    const advice = { type: 'advisor_message', model: 'claude-wise', ...tokens(500, 60) }
    const facts = read({ ...tokens(10, 5), iterations: [{ type: 'message', ...tokens(10, 5) }, advice] })
    assert.deepEqual(facts.parts, [{ model: 'claude-wise', usage: { ...noUsage, input: 500, output: 60 } }])
    assert.deepEqual(facts.usage, { ...noUsage, input: 510, output: 65 })
  })
  it('share the sum among the models of a fallback where it has all attempts', () => {
    const iterations = [
      { type: 'message', model: 'claude-big', ...tokens(400, 12) },
      { type: 'fallback_message', model: 'claude-kind', ...tokens(420, 90) },
    ]
    const facts = read({ ...tokens(820, 102), iterations })
    assert.deepEqual(facts.usage, { ...noUsage, input: 820, output: 102 })
    assert.deepEqual(facts.parts, [
      { model: 'claude-kind', usage: { ...noUsage, input: 420, output: 90 } },
      { model: 'claude-big', usage: { ...noUsage, input: 400, output: 12 } },
    ])
  })
  it('leave out an attempt that the sum leaves out: what declined is not billed then', () => {
    const iterations = [
      { type: 'message', model: 'claude-big', ...tokens(400, 12) },
      { type: 'fallback_message', model: 'claude-kind', ...tokens(420, 90) },
    ]
    const facts = read({ ...tokens(420, 90), iterations })
    assert.deepEqual(facts.parts, [{ model: 'claude-kind', usage: { ...noUsage, input: 420, output: 90 } }])
    assert.deepEqual(facts.usage, { ...noUsage, input: 420, output: 90 })
  })
  it('keep the fee of a search out of the shares', () => {
    const iterations = [{ type: 'fallback_message', model: 'claude-kind', ...tokens(420, 90) }]
    const facts = read({ ...tokens(420, 90), server_tool_use: { web_search_requests: 2 }, iterations })
    assert.equal(facts.usage?.webSearches, 2)
    assert.equal(facts.parts[0]?.usage.webSearches, 0)
  })
  it('never make shares larger than the sum, and add only what runs beside the message', () => {
    const count = fc.integer({ min: 0, max: 5000 })
    const usage: fc.Arbitrary<Usage> = fc
      .record({ input: count, cacheRead: count, output: count })
      .map((some) => ({ ...noUsage, ...some }))
    const iteration: fc.Arbitrary<Iteration> = fc.record({
      type: fc.constantFrom('message', 'fallback_message', 'compaction', 'advisor_message', 'unheard_of'),
      model: fc.constantFrom(null, 'claude-kind', 'claude-wise'),
      usage,
    })
    fc.assert(
      fc.property(usage, fc.array(iteration, { maxLength: 6 }), (own, iterations) => {
        const found = iterated(own, iterations, 'claude-big')
        const parts = found.parts.reduce((sum, part) => sumOf(sum, part.usage), noUsage)
        assert.equal(totalTokens(restOf(parts, found.usage)), 0)
        const beside = iterations.filter(({ type }) => type === 'compaction' || type === 'advisor_message')
        assert.deepEqual(
          found.usage,
          beside.reduce((sum, part) => sumOf(sum, part.usage), own),
        )
      }),
    )
  })
})

describe('the end of an Anthropic answer', () => {
  it('A8: is known from the last report on, even if the connection closes before the last event', () => {
    const begun = { type: 'message_start', message: { model: 'c', usage: tokens(10, 1) } }
    const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }
    const facts = readAnswer('anthropic-messages', 'sse', namedEvents(begun, ended))
    assert.deepEqual([facts.terminal, facts.usageIsFinal, facts.usage?.output], [false, true, 7])
    const open = { ...ended, delta: { stop_reason: null } }
    assert.equal(readAnswer('anthropic-messages', 'sse', namedEvents(begun, open)).usageIsFinal, false)
  })
  it('B09: takes the last of several reports on the same message, not the first and not their sum', () => {
    const report = (output: number): { type: string; usage: object } => ({
      type: 'message_delta',
      usage: { output_tokens: output },
    })
    const begun = { type: 'message_start', message: { id: 'm1', model: 'c', usage: tokens(10, 3) } }
    const events = namedEvents(begun, report(3), report(120), report(415), { type: 'message_stop' })
    assert.equal(readAnswer('anthropic-messages', 'sse', events).usage?.output, 415)
    const late = namedEvents(begun, report(3), report(415), report(120), { type: 'message_stop' })
    assert.equal(readAnswer('anthropic-messages', 'sse', late).usage?.output, 415)
  })
  it('D04: takes writes that come after the split at the lifetime that was asked for', () => {
    const facts = describe1({ cache_control: { type: 'ephemeral', ttl: '1h' } })
    const split = { cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 } }
    const start = { ...tokens(1, 1), cache_creation_input_tokens: 300, ...split }
    const found = read({ cache_creation_input_tokens: 1000, output_tokens: 5 }, start, facts).usage
    assert.deepEqual([found?.cacheWrite5m, found?.cacheWrite1h], [100, 900])
  })
  it('names the model that took over', () => {
    const events = namedEvents(
      { type: 'message_start', message: { model: 'claude-big', usage: tokens(10, 1) } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'fallback', from: { model: 'claude-big' }, to: { model: 'claude-kind' } },
      },
    )
    assert.equal(readAnswer('anthropic-messages', 'sse', events).model, 'claude-kind')
  })
})

describe('fallbacks in a request', () => {
  it('name models and ceilings, the largest of which is reserved', () => {
    const facts = describe1({ fallbacks: [{ model: 'claude-kind', max_tokens: 8000 }, { model: 'claude-wise' }] })
    assert.deepEqual(facts.otherModels, ['claude-kind', 'claude-wise'])
    assert.equal(facts.requestedOutputTokens, 8000)
    assert.deepEqual(facts.ceilings, [
      { path: ['max_tokens'], tokens: 1000 },
      { path: ['fallbacks', 0, 'max_tokens'], tokens: 8000 },
    ])
  })
  it('bring their own speed and thinking budget', () => {
    const thinking = { type: 'enabled', budget_tokens: 2048 }
    const facts = describe1({ fallbacks: [{ model: 'claude-kind', max_tokens: 8000, thinking, speed: 'fast' }] })
    assert.deepEqual([facts.thinkingBudgetTokens, facts.tier['speed']], [2048, 'fast'])
  })
  it('may be left to the provider, or not be there', () => {
    for (const fallbacks of ['default', null, []]) {
      const facts = describe1({ fallbacks })
      assert.deepEqual([facts.otherModels, facts.ceilings, facts.requestedOutputTokens], [[], undefined, 1000])
    }
  })
  it('are refused where they cannot be priced', () => {
    assert.throws(() => describe1({ fallbacks: ['claude-kind'] }), /fallbacks/)
    assert.throws(() => describe1({ fallbacks: [{ max_tokens: 5 }] }), /model/)
    assert.throws(() => describe1({ fallbacks: Array(17).fill({ model: 'm' }) }), /more than 16/)
  })
  it('are joined by the model of an advisor', () => {
    const tools = [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-wise', max_uses: 2 }]
    const facts = describe1({ tools })
    assert.deepEqual([facts.otherModels, facts.serverTools], [['claude-wise'], [{ name: 'advisor', maxUses: 2 }]])
  })
})
