import type { ChoiceAsk } from '../dialects/choiceAsk.ts'
import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/**
 * Several answers multiply the price (H10): more than the plan allows are refused, because a client that asked for eight
 * reads eight. Log probabilities swell answers about twenty times and let a model be copied (H11): they are taken out of the
 * request unless the plan allows them, and the change is said.
 */
export const choices: Guard = {
  name: 'choices',
  judge: ({ received }, state) => {
    const { plan, planName } = received.identity
    const ask: ChoiceAsk | undefined = state.choices
    if (ask === undefined) return allow
    if (plan.maxN !== null && ask.n > plan.maxN) {
      const message = `The request asks for ${ask.n} answers at once, and plan ${planName} allows ${plan.maxN}. Lower "n", or raise plans.${planName}.maxN.`
      return {
        kind: 'refuse',
        refusal: {
          code: 'unsupported',
          message,
          scope: 'plan',
          scopeRef: planName,
          limit: plan.maxN,
          requested: ask.n,
        },
      }
    }
    if (plan.allowLogprobs || ask.withoutLogprobs.length === 0) return allow
    return { kind: 'change', edits: ask.withoutLogprobs, says: ['logprobs-'] }
  },
}
