import type { Connection } from '../daemon/connection.ts'
import { defaultRestartLimits } from '../daemon/restartPolicy.ts'
import type { Text } from '../text/text.ts'
import type { GateView } from './gateView.ts'

type Away = Extract<Connection, { kind: 'away' }>

/** A gate that is away, with why, and with the setting that helps. */
export function downView(away: Away, text: Text): Extract<GateView, { kind: 'down' }> {
  const view = { kind: 'down', reason: awayText(away, text), gaveUp: away.gaveUp } as const
  return away.reason.kind === 'noPort' ? { ...view, setting: 'tollgate.daemon.port' } : view
}

/** Why the gate is away, in a sentence. */
export function awayText({ reason, gaveUp }: Away, text: Text): string {
  const { maxCrashes, windowMs } = defaultRestartLimits
  switch (reason.kind) {
    case 'connectionLost':
      return gaveUp ? text.reasonKeepsEnding(maxCrashes + 1, windowMs / 60_000) : text.reasonConnectionLost
    case 'spawnFailed':
      return text.reasonSpawn(reason.detail)
    case 'noPort': {
      const { port, kind } = reason.fault
      return kind === 'taken' ? text.reasonPortTaken(port) : text.reasonPortUnusable(port)
    }
    case 'exited':
      return text.reasonExit(reason.code, reason.detail.replace(/^tollgate: /, ''))
    case 'timeout':
      return text.reasonTimeout
  }
}

/** Why a gate that runs cannot be followed, in a sentence or two. */
export function unfollowedText(
  { why, version, ownVersion }: Extract<GateView, { kind: 'unfollowed' }>,
  text: Text,
): string {
  switch (why) {
    case 'newer':
      return text.reasonNewerProtocol(version)
    case 'busy':
      return text.reasonBusyOld(version)
    case 'failed':
      return text.successorFailed(ownVersion)
  }
}
