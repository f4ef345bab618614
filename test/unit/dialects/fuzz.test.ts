import assert from 'node:assert/strict'
import type { AnswerFacts } from '../../../daemon/dialects/dialect.ts'
import { dialectByName } from '../../../daemon/dialects/registry.ts'
import type { PricedModel } from '../../../daemon/money/price.ts'
import { settleUsage } from '../../../daemon/settlement.ts'
import type { Ending } from '../../../daemon/settlement.ts'
import { settledCost } from '../../../daemon/stages/settledCost.ts'
import { noUsage, totalTokens } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { mutated } from '../../fixtures/fuzz/mutate.ts'
import { seededRandom } from '../../fixtures/fuzz/random.ts'
import type { Random } from '../../fixtures/fuzz/random.ts'
import { priceListOf, priceOf } from '../money/priceListOf.ts'
import { admittedCall } from '../tasks/calls.ts'
import { smallestFacts } from './builders.ts'
import { transcripts } from './transcripts.ts'

/** Mutated answers of each transcript. */
const runs = 400
const estimatedInputTokens = 77
const reservedOutputTokens = 4096

const endings: readonly [Ending, ...(readonly Ending[])] = [
  { kind: 'complete' },
  { kind: 'cut', outcome: 'client_closed' },
  { kind: 'cut', outcome: 'upstream_truncated' },
]

/** Ten dollars a million tokens in and out, so that every token costs whole nano-euros. */
const flat = { provider: null, match: '*', prices: { input_mtok: 10, output_mtok: 10 } }

describe('answers that are damaged', () => {
  let price: PricedModel
  let prices: Awaited<ReturnType<typeof priceListOf>>
  before(async () => {
    prices = await priceListOf({ overrides: [flat] })
    price = priceOf(prices, 'openai', 'm')
  })

  for (const { name, dialect, form, body } of transcripts) {
    it(`${name}: are read without a fault and settled at an amount that can be (B03, B04, F01, F06)`, () => {
      const facts = smallestFacts(dialect)
      for (let seed = 0; seed < runs; seed += 1) {
        const random = seededRandom(seed)
        const { bytes, done } = mutated(Buffer.from(body), form, random)
        const what = `seed ${seed}: ${done.join(', ')}: ${bytes.toString('latin1').slice(0, 2000)}`
        const reader = dialectByName(dialect).reader(form, facts)
        assert.doesNotThrow(() => {
          for (const piece of pieces(bytes, random)) {
            reader.push(piece)
            assertFigures(reader.facts, what)
          }
          reader.end()
        }, what)
        assertFigures(reader.facts, what)
        const settled = settleUsage({
          ending: random.pick(endings),
          status: 200,
          streamed: form !== 'json',
          answer: reader.facts,
          estimatedInputTokens,
          producesOutput: facts.producesOutput,
          reservedOutputTokens,
          billsAfterAbort: random.below(2) === 0,
        })
        assertCounts(settled.usage, what)
        const { nanoEur } = settledCost({ price, prices }, admittedCall({ facts }), settled, reader.facts, {})
        assert.ok(Number.isSafeInteger(nanoEur) && nanoEur >= 0, `${nanoEur} nano-euro: ${what}`)
        if (reader.facts.deliveredChars > 0) assert.ok(nanoEur > 0, `delivered for nothing: ${what}`)
      }
    })
  }
})

/** What any answer may say of itself, whatever came in. */
function assertFigures(facts: AnswerFacts, what: string): void {
  if (facts.usage !== null) assertCounts(facts.usage, what)
  for (const part of facts.parts) assertCounts(part.usage, what)
  const { deliveredChars, deliveredWideChars, deliveredWords, visibleChars, toolCalls, reportedNanoUsd } = facts
  for (const count of [
    deliveredChars,
    deliveredWideChars,
    deliveredWords,
    visibleChars,
    toolCalls,
    reportedNanoUsd ?? 0,
  ]) {
    assert.ok(Number.isSafeInteger(count) && count >= 0, `${count}: ${what}`)
  }
}

function assertCounts(usage: Usage, what: string): void {
  assert.deepEqual(Object.keys(usage).sort(), Object.keys(noUsage).sort())
  for (const [bucket, count] of Object.entries(usage)) {
    assert.ok(Number.isSafeInteger(count) && count >= 0, `${bucket} ${count}: ${what}`)
  }
  assert.ok(Number.isSafeInteger(totalTokens(usage)), what)
}

function pieces(bytes: Buffer, random: Random): readonly Buffer[] {
  const cut: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    const length = 1 + random.below(Math.max(1, Math.ceil(bytes.length / 3)))
    cut.push(bytes.subarray(at, at + length))
    at += length
  }
  return cut
}
