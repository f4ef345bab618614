import type { Guard } from './guard.ts'
import { allow } from './guard.ts'
import { matchesPattern } from './pattern.ts'

/** A model name from a client is user input: only what the plan names may be called. */
export const modelAllowlist: Guard = {
  name: 'modelAllowlist',
  judge: ({ received, facts }) => {
    const { plan, planName } = received.identity
    const { models } = plan
    if (models === null) return allow
    // A fallback is called like the model that it stands in for.
    const asked = [facts.model, ...(facts.otherModels ?? [])]
    const forbidden = asked.find((model) => !models.some((pattern) => matchesPattern(pattern, model)))
    if (forbidden === undefined) return allow
    const message = `Plan ${planName} does not allow the model ${shown(forbidden)}. It allows: ${models.join(', ') || 'none'}. Add it to plans.${planName}.models to use it.`
    return { kind: 'refuse', refusal: { code: 'model_not_allowed', message, scope: 'plan', scopeRef: planName } }
  },
}

/** A client's model name inside a message. */
export function shown(model: string): string {
  return JSON.stringify(model.slice(0, 80))
}
