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
  const isGlobal = kill.scope === 'global'
  const what = isGlobal ? 'All model calls' : `Calls of ${kill.scope} ${kill.ref}`
  // The status bar lifts the global switch and no other.
  const resume = isGlobal
    ? 'Resume in the status bar of VS Code, or with "tollgate resume".'
    : `They go on with "tollgate resume --scope ${kill.scope} --ref ${kill.ref}".`
  return {
    code: 'killed',
    message: `${what} are stopped by the Tollgate kill switch. ${resume}`,
    scope: kill.scope,
    ...(kill.ref === '' ? {} : { scopeRef: kill.ref }),
  }
}
