import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/** Refuses a request in which one message has more characters than the plan allows. */
export const messageLength: Guard = {
  name: 'messageLength',
  judge: ({ received, facts }) => {
    const { plan, planName } = received.identity
    const { longestMessageChars } = facts.transcript
    if (plan.maxMessageChars === null || longestMessageChars <= plan.maxMessageChars) return allow
    // Words that mean an overflow would make some clients compact the whole conversation, which helps nothing here.
    const message = `One message has ${longestMessageChars.toLocaleString('en')} characters, and plan ${planName} allows ${plan.maxMessageChars.toLocaleString('en')}. Shorten or split it, or raise plans.${planName}.maxMessageChars.`
    return {
      kind: 'refuse',
      refusal: {
        code: 'message_too_long',
        message,
        scope: 'plan',
        scopeRef: planName,
        limit: plan.maxMessageChars,
        requested: longestMessageChars,
      },
    }
  },
}
