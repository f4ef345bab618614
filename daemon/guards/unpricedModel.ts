import type { Guard } from './guard.ts'
import { allow } from './guard.ts'
import { shown } from './modelAllowlist.ts'

/** A euro cap over a model without a price is no cap (E01): refused with the one step that helps, never counted as 0. */
export const unpricedModel: Guard = {
  name: 'unpricedModel',
  judge: ({ received, facts }, state) => {
    if (state.priced || !state.euroCapApplies || state.unpricedPolicy !== 'refuse') return allow
    const near =
      state.priceSuggestions.length === 0 ? '' : ` Known names that look like it: ${state.priceSuggestions.join(', ')}.`
    const message =
      `No price is known for the model ${shown(facts.model)} at ${received.upstreamName}, and a euro cap applies.${near} ` +
      'Add its price to prices.overrides, or set prices.unpriced to "dearest".'
    return { kind: 'refuse', refusal: { code: 'unpriced_model', message, scope: 'model', scopeRef: facts.model } }
  },
}
