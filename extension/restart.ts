import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'
import { offer } from './offerActions.ts'
import { restartQuestion } from './ui/restartQuestion.ts'

/** *Restart the Gate*: asks where something is lost by it. */
export async function restartDaemon(context: TollgateContext): Promise<void> {
  const { text, settings, supervisor } = context
  if (!settings.enabled) {
    return offer(text.switchedOff, {
      [text.openSettings]: () => vscode.commands.executeCommand('tollgate.openSettings'),
    })
  }
  // This window may not know of a gate that another one has brought, or of its calls.
  const running = context.gate.kind === 'up' ? context.gate.status.inFlight.length : await callsInFlight(context)
  const { gate } = context
  if (gate.kind === 'down' && running !== undefined) return supervisor.retry()
  const question = restartQuestion(gate, running ?? 0, text)
  if (question !== null) {
    const { message, detail } = question
    const sure = await vscode.window.showWarningMessage(message, { modal: true, detail }, text.restart)
    if (sure !== text.restart) return
  }
  await supervisor.restart()
}

/** Undefined where no gate answers. */
async function callsInFlight({ supervisor }: TollgateContext): Promise<number | undefined> {
  return (await supervisor.health())?.inFlight
}
