import type { Connection } from '../daemon/connection.ts'
import { defaultRestartLimits } from '../daemon/restartPolicy.ts'
import type { Text } from '../text/text.ts'

/** Why the gate is away, in a sentence. */
export function awayText({ reason, gaveUp }: Extract<Connection, { kind: 'away' }>, text: Text): string {
  const { maxCrashes, windowMs } = defaultRestartLimits
  switch (reason.kind) {
    case 'connectionLost':
      return gaveUp ? text.reasonKeepsEnding(maxCrashes + 1, windowMs / 60_000) : text.reasonConnectionLost
    case 'spawnFailed':
      return text.reasonSpawn(reason.detail)
    case 'exited':
      return text.reasonExit(reason.code, reason.detail.replace(/^tollgate: /, ''))
    case 'timeout':
      return text.reasonTimeout
    case 'incompatible':
      return text.reasonNewerProtocol(reason.version)
    case 'busyOld':
      return text.reasonBusyOld(reason.version)
    case 'retireFailed':
      return text.reasonRetireFailed(reason.version)
  }
}
