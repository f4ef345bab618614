import type { Guard } from './guard.ts'
import { allow } from './guard.ts'
import { matchesPattern } from './pattern.ts'

/** A model name from a client is user input: only what the plan names may be called. */
export const modelAllowlist: Guard = {
  name: 'modelAllowlist',
  judge: ({ received, facts }) => {
    const { plan, planName } = received.identity
    if (plan.models === null || plan.models.some((pattern) => matchesPattern(pattern, facts.model))) return allow
    const message = `Plan ${planName} does not allow the model ${shown(facts.model)}. It allows: ${plan.models.join(', ') || 'none'}. Add it to plans.${planName}.models to use it.`
    return { kind: 'refuse', refusal: { code: 'model_not_allowed', message, scope: 'plan', scopeRef: planName } }
  },
}

/** A client's model name inside a message. */
export function shown(model: string): string {
  return JSON.stringify(model.slice(0, 80))
}
