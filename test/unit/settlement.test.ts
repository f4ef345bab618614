import assert from 'node:assert/strict'
import type { AnswerFacts } from '../../daemon/dialects/dialect.ts'
import { settleUsage } from '../../daemon/settlement.ts'
import type { SettlementInput } from '../../daemon/settlement.ts'
import { noUsage } from '../../shared/usage.ts'

const nothing: AnswerFacts = {
  usage: null,
  inputKnown: false,
  outputKnown: false,
  finish: null,
  terminal: false,
  deliveredChars: 0,
  deliveredWords: 0,
  deliveredWideChars: 0,
  visibleChars: 0,
  toolCalls: 0,
  model: null,
  serviceTier: {},
  parts: [],
  reportedNanoUsd: null,
  usageIsFinal: false,
  streamError: null,
  responseId: null,
  calls: null,
}

function settle(change: Partial<SettlementInput>) {
  return settleUsage({
    ending: { kind: 'complete' },
    status: 200,
    streamed: true,
    answer: nothing,
    estimatedInputTokens: 1000,
    producesOutput: true,
    reservedOutputTokens: 4096,
    billsAfterAbort: false,
    ...change,
  })
}

const reported = { ...noUsage, input: 900, output: 40 }

describe('a settlement', () => {
  it('takes what the provider reported', () => {
    const answer = { ...nothing, usage: reported, inputKnown: true, outputKnown: true, terminal: true }
    assert.deepEqual(settle({ answer }), { settlement: 'exact', outcome: 'ok', usage: reported, usageMissing: false })
  })

  it('A23: costs nothing where the provider refused or was never reached', () => {
    assert.deepEqual(settle({ status: 429, answer: null }).usage, noUsage)
    assert.equal(settle({ status: 429, answer: null }).outcome, 'upstream_error')
    assert.equal(
      settle({ ending: { kind: 'unsent', outcome: 'upstream_unreachable' }, status: null, answer: null }).settlement,
      'released',
    )
  })

  it('costs nothing where the provider only named another place', () => {
    assert.deepEqual(settle({ status: 308, answer: nothing, streamed: false }).usage, noUsage)
  })

  it('C05: costs the input once it was dispatched, even if no byte came back', () => {
    const found = settle({ ending: { kind: 'cut', outcome: 'client_closed' }, status: null, answer: null })
    assert.deepEqual(found.usage, { ...noUsage, input: 1000 })
    assert.equal(found.settlement, 'partial')
  })

  it('C01: costs the input and what was delivered before the client left', () => {
    const answer = { ...nothing, deliveredChars: 300 }
    const found = settle({ ending: { kind: 'cut', outcome: 'client_closed' }, answer })
    assert.deepEqual(found.usage, { ...noUsage, input: 1000, output: 100 })
  })

  it('takes the exact input of a stream that was cut after it was reported, and never less output than was reported', () => {
    const usage = { ...noUsage, input: 12, cacheRead: 9000, output: 400 }
    const answer = { ...nothing, usage, inputKnown: true, deliveredChars: 30 }
    assert.deepEqual(settle({ ending: { kind: 'cut', outcome: 'killed' }, answer }).usage, usage)
  })

  it('F06: a stream without its terminal event is no success and is not refunded', () => {
    const found = settle({ answer: { ...nothing, deliveredChars: 12_000 } })
    assert.equal(found.outcome, 'upstream_truncated')
    assert.deepEqual(found.usage, { ...noUsage, input: 1000, output: 4000 })
  })

  it('F07: an error inside a 200 is an error, and what was delivered is charged', () => {
    const found = settle({ answer: { ...nothing, deliveredChars: 30, streamError: 'server_error', terminal: true } })
    assert.equal(found.outcome, 'upstream_error')
    assert.equal(found.usage.output, 10)
  })

  it('B04: estimates and says so where an answer came without usage', () => {
    const found = settle({ answer: { ...nothing, terminal: true, deliveredChars: 400 } })
    assert.equal(found.settlement, 'estimated')
    assert.equal(found.usageMissing, true)
    assert.deepEqual(found.usage, { ...noUsage, input: 1000, output: 134 })
  })

  it('I05: estimates only the part that is missing', () => {
    const usage = { ...noUsage, output: 2 }
    const found = settle({ answer: { ...nothing, terminal: true, usage, outputKnown: true, deliveredChars: 6 } })
    assert.deepEqual(found.usage, { ...noUsage, input: 1000, output: 2 })
  })

  it('counts Chinese that was delivered at a token a character, not at a third of one', () => {
    const answer = { ...nothing, deliveredChars: 300, deliveredWideChars: 300 }
    assert.equal(settle({ ending: { kind: 'cut', outcome: 'client_closed' }, answer }).usage.output, 300)
  })

  it('never settles its own count above what was reserved', () => {
    const answer = { ...nothing, terminal: true, deliveredChars: 1_000_000 }
    assert.equal(settle({ answer }).usage.output, 4096)
  })

  it('charges no output for an embedding', () => {
    const found = settle({ producesOutput: false, streamed: false, answer: { ...nothing, deliveredChars: 5000 } })
    assert.equal(found.usage.output, 0)
  })
})
