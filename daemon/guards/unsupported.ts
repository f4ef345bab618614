import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/** A feature whose cost the gate cannot see would escape every budget (`background: true`, state kept by the provider). */
export const unsupportedFeature: Guard = {
  name: 'unsupported',
  judge: ({ facts }) =>
    facts.unsupported === null
      ? allow
      : { kind: 'refuse', refusal: { code: 'unsupported', message: facts.unsupported } },
}
