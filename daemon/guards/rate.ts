import type { Guard } from './guard.ts'
import { allow } from './guard.ts'
import type { Refusal } from '../call.ts'

/** Calls and tokens per minute, and calls at once, of one key. Messages avoid the words by which clients take a refusal for a throttle. */
export const rate: Guard = {
  name: 'rate',
  judge: ({ received, facts }, state) => {
    const { identity } = received
    const { callsPerMinute, tokensPerMinute, concurrent } = identity.plan.rate
    const retryAfterSeconds = Math.max(1, Math.ceil((60_000 - state.oldestCallAgeMs) / 1000))
    const about = { code: 'rate_limited', scope: 'key', scopeRef: identity.keyId, window: 'minute' } as const
    if (concurrent !== null && state.inFlight >= concurrent) {
      const message = `${state.inFlight} calls of this key are running, and plan ${identity.planName} allows ${concurrent} at once. Wait for one to end, or raise plans.${identity.planName}.rate.concurrent.`
      return refuse({
        ...about,
        message,
        unit: 'calls',
        limit: concurrent,
        spent: state.inFlight,
        requested: 1,
        retryAfterSeconds: 1,
      })
    }
    if (callsPerMinute !== null && state.callsLastMinute >= callsPerMinute) {
      const message = `This key made ${state.callsLastMinute} calls in the last minute, and plan ${identity.planName} allows ${callsPerMinute}. The next one is possible in ${retryAfterSeconds} s.`
      return refuse({
        ...about,
        message,
        unit: 'calls',
        limit: callsPerMinute,
        spent: state.callsLastMinute,
        requested: 1,
        retryAfterSeconds,
      })
    }
    const tokens = facts.estimate.upperTokens
    if (tokensPerMinute !== null && state.tokensLastMinute + tokens > tokensPerMinute) {
      const message = `This key used ${state.tokensLastMinute} tokens in the last minute and this call needs ${tokens}; plan ${identity.planName} allows ${tokensPerMinute} a minute. The next one is possible in ${retryAfterSeconds} s.`
      return refuse({
        ...about,
        message,
        unit: 'tokens',
        limit: tokensPerMinute,
        spent: state.tokensLastMinute,
        requested: tokens,
        retryAfterSeconds,
      })
    }
    return allow
  },
}

function refuse(refusal: Refusal): { readonly kind: 'refuse'; readonly refusal: Refusal } {
  return { kind: 'refuse', refusal }
}
