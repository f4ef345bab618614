import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/**
 * A feature whose cost the gate cannot see would escape every budget (`background: true`, state kept by the provider), and
 * so would a price tier that the configuration denies because nobody knows what it costs.
 */
export const unsupportedFeature: Guard = {
  name: 'unsupported',
  judge: ({ facts }, { deniedTier }) => {
    if (facts.unsupported !== null)
      return { kind: 'refuse', refusal: { code: 'unsupported', message: facts.unsupported } }
    if (deniedTier === null) return allow
    const message = `The configuration denies ${deniedTier}, because its price is not known. Leave the field out, or set a factor for it in prices.multipliers.`
    return { kind: 'refuse', refusal: { code: 'unsupported', message } }
  },
}
