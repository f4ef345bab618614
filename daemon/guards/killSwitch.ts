import type { Refusal } from '../call.ts'
import type { KillSwitch } from '../ledger/ledger.ts'

/** What a call is, as far as a kill switch can name it. */
export interface KillTarget {
  readonly tenant: string
  readonly keyId: string
  readonly task: string | null
}

/** Whether a switch that is on stops this call. */
export function coversCall(kill: Pick<KillSwitch, 'scope' | 'ref'>, target: KillTarget): boolean {
  switch (kill.scope) {
    case 'global':
      return true
    case 'tenant':
      return kill.ref === target.tenant
    case 'key':
      return kill.ref === target.keyId
    case 'task':
      return kill.ref === target.task
  }
}

/** Refuses calls while a switch is on that covers them. */
export function judgeKillSwitch(
  kills: readonly Pick<KillSwitch, 'scope' | 'ref'>[],
  target: KillTarget,
): Refusal | null {
  const kill = kills.find((one) => coversCall(one, target))
  if (kill === undefined) return null
  return killedRefusal(kill)
}

/** The refusal of a call that a switch stops, before it is sent or in the middle of its answer. */
export function killedRefusal(kill: Pick<KillSwitch, 'scope' | 'ref'>): Refusal {
  const what =
    kill.scope === 'global' ? 'All model calls are stopped' : `Calls of ${kill.scope} ${kill.ref} are stopped`
  return {
    code: 'killed',
    message: `${what} by the Tollgate kill switch. Resume in the status bar or with "tollgate resume".`,
    scope: kill.scope,
    ...(kill.ref === '' ? {} : { scopeRef: kill.ref }),
  }
}
