import assert from 'node:assert/strict'
import { unpricedModel } from '../../../daemon/guards/unpricedModel.ts'
import { judgeBy, refusalOf } from './guarded.ts'

const unpriced = { priced: false } as const

function messageFor(model: string): string {
  return refusalOf(judgeBy(unpricedModel, { facts: { model }, state: unpriced })).message
}

describe('the guard on models without a price', () => {
  it('E01: refuses under a euro cap, with the setting and the command that help', () => {
    const refusal = refusalOf(
      judgeBy(unpricedModel, {
        facts: { model: 'deepinfra/DeepSeek-V9' },
        state: { ...unpriced, priceSuggestions: ['deepseek-v4'] },
      }),
    )
    assert.equal(refusal.code, 'unpriced_model')
    assert.equal(
      refusal.message,
      'No price is known for the model "deepinfra/DeepSeek-V9" at openai, and a euro cap applies. Known names that look like it: deepseek-v4. Set its price in prices.overrides, or with (N in dollars per million tokens): tollgate prices set deepinfra/DeepSeek-V9 --provider openai --input N --output N. Or set prices.unpriced to "dearest".',
    )
  })

  it('E03: passes only where no euro cap is armed or the policy says otherwise', () => {
    assert.equal(judgeBy(unpricedModel, { state: { ...unpriced, euroCapApplies: false } }).kind, 'allow')
    assert.equal(judgeBy(unpricedModel, { state: { ...unpriced, unpricedPolicy: 'free' } }).kind, 'allow')
    assert.equal(judgeBy(unpricedModel).kind, 'allow')
    assert.equal(judgeBy(unpricedModel, { state: unpriced }).kind, 'refuse')
  })

  it('quotes a name for the shell, because a client made it up', () => {
    assert.match(messageFor("m'; rm -rf ~ #"), /prices set 'm'\\''; rm -rf ~ #' --provider openai/)
    assert.match(messageFor('claude-opus-5[1m]'), /prices set 'claude-opus-5\[1m\]' --provider/)
    assert.match(messageFor('--yes'), /prices set '--yes' --provider/)
  })

  it('offers no command for a name that cannot stand in one', () => {
    for (const model of ['m\n; reboot', 'm\u202e', 'x'.repeat(129)]) {
      assert.doesNotMatch(messageFor(model), /tollgate prices set/)
      assert.match(messageFor(model), /prices\.overrides/)
    }
  })
})
