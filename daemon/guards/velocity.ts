import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { VelocityStanding } from '../tasks/velocity.ts'
import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/** What the guard has to know about the spending of the last minute; absent where the plan has no bound. */
export interface VelocityGuardState {
  readonly standing: VelocityStanding
  /** Worst case of this call: one that costs nothing is never too fast. */
  readonly worstCaseNanoEur: NanoEur
  readonly currency: string
}

/** Refuses paid calls of a task or key that spent the plan's euros per minute. The warning before it is an event. */
export const velocity: Guard = {
  name: 'velocity',
  judge: ({ received }, state) => {
    if (state.velocity === undefined) return allow
    const { standing, worstCaseNanoEur, currency } = state.velocity
    if (standing.state !== 'over' || worstCaseNanoEur === 0) return allow
    const { planName } = received.identity
    const field = `plans.${planName}.rate.eurPerMinute`
    const { scope, ref, spentNanoEur, limitNanoEur, secondsToNext } = standing
    const name = `${scope === 'task' ? 'Task' : 'Key'} ${ref}`
    const message =
      limitNanoEur === 0
        ? `Plan ${planName} allows no spending in a minute (${field} is 0): paid calls are off.`
        : `${name} spent ${formatEur(spentNanoEur)} ${currency} in the last minute, and plan ${planName} allows ${formatEur(limitNanoEur)} a minute. The next call is possible in ${secondsToNext} s. See what it does, or raise ${field}.`
    return {
      kind: 'refuse',
      refusal: {
        code: 'velocity',
        message,
        scope,
        scopeRef: ref,
        window: 'minute',
        unit: 'eur',
        limit: eurFromNano(limitNanoEur),
        spent: eurFromNano(spentNanoEur),
        requested: eurFromNano(worstCaseNanoEur),
        ...(limitNanoEur === 0 ? {} : { retryAfterSeconds: Math.max(1, secondsToNext) }),
      },
    }
  },
}
