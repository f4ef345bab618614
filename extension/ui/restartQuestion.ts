import type { Text } from '../text/text.ts'
import type { GateView } from './gateView.ts'

/** A question with what else there is to know. */
export interface RestartQuestion {
  readonly message: string
  readonly detail: string
}

/** What is asked before a gate with so many calls is ended and started again; null where nothing is lost. */
export function restartQuestion(gate: GateView, calls: number, text: Text): RestartQuestion | null {
  const lost = calls === 0 ? '' : text.confirmRestart(calls)
  if (gate.kind === 'unfollowed' && gate.why !== 'busy') {
    const { version, ownVersion } = gate
    return gate.why === 'newer'
      ? { message: text.confirmRestartNewer(version, ownVersion), detail: lost }
      : { message: text.confirmRestartOlder(version, ownVersion), detail: lost }
  }
  return lost === '' ? null : { message: lost, detail: '' }
}
