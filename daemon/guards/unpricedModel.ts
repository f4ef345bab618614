import type { Guard } from './guard.ts'
import { allow } from './guard.ts'
import { shown } from './modelAllowlist.ts'

/**
 * A euro cap over a model without a price is no cap (E01, E03), and a sum that leaves calls out is no sum (E10): refused
 * with the one step that helps, never counted as 0.
 */
export const unpricedModel: Guard = {
  name: 'unpricedModel',
  judge: ({ received, facts }, state) => {
    if (state.priced || state.unpricedPolicy !== 'refuse' || !state.euroCapApplies) return allow
    const model = state.unpricedModel ?? facts.model
    const near =
      state.priceSuggestions.length === 0 ? '' : ` Known names that look like it: ${state.priceSuggestions.join(', ')}.`
    const message =
      `No price is known for the model ${shown(model)} at ${received.upstreamName}, and a euro cap applies.${near} ` +
      `Set its price in prices.overrides${commandFor(model, received.upstreamName)}. ` +
      'Or set prices.unpriced to "dearest".'
    return { kind: 'refuse', refusal: { code: 'unpriced_model', message, scope: 'model', scopeRef: model } }
  },
}

/** A longer name is no model of anybody's. */
const mostCharsInCommand = 128

/** The command that sets a price. Its name is a client's text and the command is made to be copied into a shell. */
function commandFor(model: string, upstreamName: string): string {
  if (/[^\x20-\x7e]/.test(model) || model.length > mostCharsInCommand) return ''
  return `, or with (N in dollars per million tokens): tollgate prices set ${shellWord(model)} --provider ${upstreamName} --input N --output N`
}

function shellWord(text: string): string {
  return /^[A-Za-z0-9@%+=:,./_-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`
}
