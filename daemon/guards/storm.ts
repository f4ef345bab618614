import type { StormStanding } from '../tasks/storm.ts'
import type { Guard } from './guard.ts'
import { allow } from './guard.ts'

/** What the guard has to know where the call begins a task; absent where it goes on with one. */
export interface StormGuardState {
  readonly standing: StormStanding
  /** The account that starts it. */
  readonly account: string
}

/** Refuses the start of a task that one account has started too often: its ceilings are new each time and never met. */
export const storm: Guard = {
  name: 'storm',
  judge: ({ received }, state) => {
    const { plan, planName } = received.identity
    if (state.storm === undefined || plan.storm === null) return allow
    const { standing, account } = state.storm
    const { starts, windowSeconds } = plan.storm
    if (standing.starts < starts) return allow
    const message = `The same task was started ${standing.starts} times in ${windowSeconds} s, and plan ${planName} allows ${starts}. Something starts it again whenever it ends: look at the script or the supervisor around the agent. The next start is possible in ${standing.secondsToNext} s, or raise plans.${planName}.storm.starts.`
    return {
      kind: 'refuse',
      refusal: {
        code: 'restart_storm',
        message,
        scope: 'key',
        scopeRef: account,
        unit: 'calls',
        limit: starts,
        spent: standing.starts,
        requested: 1,
        retryAfterSeconds: standing.secondsToNext,
      },
    }
  },
}
