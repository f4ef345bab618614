import * as vscode from 'vscode'
import type { CapsAnswer } from '../../shared/caps.ts'
import type { TollgateContext } from '../context.ts'
import { DaemonAnswer } from '../daemon/api.ts'
import { reasonOf } from '../log.ts'
import { offer, offerWithoutGate } from '../offerActions.ts'
import type { GateView } from '../ui/gateView.ts'

/** The gate while it answers. */
export type GateUp = Extract<GateView, { kind: 'up' }>

/** The gate, or null where it is away, after saying so with what helps. */
export function gateUp(context: TollgateContext): GateUp | null {
  const { gate, text, settings, log } = context
  if (gate.kind === 'up') return gate
  if (gate.kind === 'unfollowed') {
    offerWithoutGate(context, text.spend.raiseWhileDown)
    return null
  }
  if (settings.enabled) {
    offer(text.spend.raiseWhileDown, {
      [text.restart]: () => vscode.commands.executeCommand('tollgate.restartDaemon'),
      [text.showLog]: () => log.show(),
    })
  } else {
    offer(text.switchedOff, {
      [text.openSettings]: () => vscode.commands.executeCommand('tollgate.openSettings'),
    })
  }
  return null
}

/** Every cap as the gate has it. Throws where it does not answer, or its ledger cannot be read. */
export async function readCaps({ supervisor }: TollgateContext): Promise<CapsAnswer> {
  // The daemon is ours, so that what has a list is trusted.
  const answer = (await supervisor.call('GET', '/api/caps')) as Partial<CapsAnswer> | undefined
  return { caps: Array.isArray(answer?.caps) ? answer.caps : [] }
}

/** Says that a step failed, and why; where the gate went away meanwhile, what helps. */
export function sayFailed(context: TollgateContext, what: string, error: unknown): void {
  const { text, log } = context
  log.warn(`${what}: ${reasonOf(error)}`)
  if (gateUp(context) === null) return
  void vscode.window
    .showErrorMessage(text.stepFailed(reasonOf(error)), text.showLog)
    .then((chosen) => (chosen === text.showLog ? log.show() : undefined))
}

/** Whether the daemon says that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DaemonAnswer && error.status === 404
}
