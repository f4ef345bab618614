import assert from 'node:assert/strict'
import fc from 'fast-check'
import { leastCeiling } from '../../../daemon/guards/outputCeiling.ts'
import type { Placed } from '../../../daemon/stages/place.ts'
import { clampToTask } from '../../../daemon/stages/taskRoom.ts'
import type { Terms } from '../../../daemon/stages/terms.ts'
import { priceListOf, priceOf } from '../money/priceListOf.ts'
import { admittedCall } from '../tasks/calls.ts'

const flat = { provider: null, match: 'flat', prices: { input_mtok: 0, output_mtok: 10 } }

describe('a call in what its task has left', () => {
  it('gets the highest ceiling that fits, and none that the provider would refuse', async () => {
    const price = priceOf(await priceListOf({ overrides: [flat] }), 'openai', 'flat')
    const terms = { price, estimatedInputTokens: 0, isRateStale: false, otherPrices: [] } as unknown as Terms
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.option(fc.nat(10_000)),
        fc.constantFrom('openai-responses' as const, 'anthropic-messages' as const),
        fc.nat(200_000_000),
        (ceiling, thinking, dialect, roomNanoEur) => {
          const base = admittedCall()
          const facts = { ...base.facts, thinkingBudgetTokens: thinking, choices: 1 }
          const call = { ...base, dialect, facts, outputCeiling: ceiling }
          const placed = { standing: { roomNanoEur } } as unknown as Placed
          const { outputCeiling } = clampToTask(call, placed, terms)
          assert.ok(outputCeiling !== null && outputCeiling <= ceiling)
          const least = Math.min(ceiling, leastCeiling(dialect, facts))
          assert.ok(outputCeiling >= least)
          // Ten dollars per million are 10,000 nano-euro a token here.
          const fits = Math.floor(roomNanoEur / 10_000)
          assert.equal(outputCeiling, Math.min(ceiling, Math.max(least, fits)))
        },
      ),
    )
  })

  it('is left alone where its task has no ceiling in euros', () => {
    const call = admittedCall()
    const placed = { standing: { roomNanoEur: null } } as unknown as Placed
    assert.equal(clampToTask(call, placed, {} as Terms), call)
  })
})
