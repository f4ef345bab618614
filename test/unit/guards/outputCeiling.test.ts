import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { DialectName } from '../../../daemon/call.ts'
import { leastCeiling, outputCeiling } from '../../../daemon/guards/outputCeiling.ts'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { modelMaxOutput } from '../../../daemon/money/modelLimits.ts'
import { judgeBy } from './guarded.ts'

/** Models of the large providers whose own maximum is known. */
async function limitedModels(): Promise<readonly { readonly model: string; readonly most: number }[]> {
  const table = await loadBuiltInPrices()
  return [
    ['openai', 'openai'],
    ['anthropic', 'anthropic'],
    ['google', 'gemini'],
  ].flatMap(([id = '', upstream = '']) =>
    (table.byId(id)?.models ?? []).flatMap(({ id: model }) => {
      const most = modelMaxOutput(upstream, model)
      return most === null ? [] : [{ model, most }]
    }),
  )
}

describe('the output ceiling over models', () => {
  it('is never put in above what the model takes nor below its thinking budget, whatever plan and client say', async () => {
    const models = await limitedModels()
    assert.ok(models.length > 100, `${models.length} models are known`)
    const tokens = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 300_000 }))
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.constantFrom<DialectName>('openai-chat', 'openai-responses', 'anthropic-messages'),
        fc.option(tokens),
        fc.option(tokens),
        fc.option(tokens),
        tokens,
        ({ model, most }, dialect, asked, thinking, planMost, planDefault) => {
          const facts = { model, requestedOutputTokens: asked, thinkingBudgetTokens: thinking }
          const verdict = judgeBy(outputCeiling, {
            facts,
            plan: { maxOutputTokens: planMost, defaultOutputTokens: planDefault },
            received: { dialect },
            state: { modelMaxOutputTokens: most },
          })
          if (verdict.kind === 'refuse') {
            assert.equal(verdict.refusal.code, 'reasoning_exceeds_output')
            return
          }
          assert.ok(verdict.kind === 'change')
          if (verdict.edits.length === 0) {
            assert.equal(verdict.outputCeiling, asked, "what the client set is the client's")
            return
          }
          const ceiling = verdict.outputCeiling ?? assert.fail('no ceiling')
          assert.ok(ceiling <= most && ceiling >= leastCeiling(dialect, facts), `${ceiling} for ${model}`)
          assert.ok(thinking === null || ceiling > thinking)
          // The Responses take no less than 16.
          assert.ok(ceiling <= Math.max(planMost ?? Infinity, 16))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('leaves room for an answer behind a thinking budget that stands alone', () => {
    const verdict = judgeBy(outputCeiling, {
      facts: { requestedOutputTokens: null, thinkingBudgetTokens: 10_000 },
      state: { modelMaxOutputTokens: 64_000 },
    })
    assert.ok(verdict.kind === 'change')
    assert.equal(verdict.outputCeiling, 11_024)
  })

  it('knows the least that a format takes', () => {
    assert.equal(leastCeiling('openai-responses', { thinkingBudgetTokens: null }), 16)
    assert.equal(leastCeiling('anthropic-messages', { thinkingBudgetTokens: 2048 }), 2049)
    assert.equal(leastCeiling('openai-chat', { thinkingBudgetTokens: null }), 1)
  })
})
