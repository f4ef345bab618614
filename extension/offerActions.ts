import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'
import { logFailure } from './log.ts'
import { unfollowedText } from './ui/awayText.ts'

/** Says the result of a command. Not awaited: a command is done when its work is, not when its message is closed. */
export function offer(message: string, actions: Readonly<Record<string, () => unknown>> = {}): void {
  void vscode.window
    .showInformationMessage(message, ...Object.keys(actions))
    .then((chosen) => (chosen === undefined ? undefined : actions[chosen]?.()))
    .then(undefined, (error: unknown) => logFailure('What was chosen in a message failed', error))
}

/** Says why something cannot be done: the gate runs and cannot be followed, or it is away, which `whileDown` says. */
export function offerWithoutGate(context: TollgateContext, whileDown: string): void {
  const { gate, text, log } = context
  if (gate.kind !== 'unfollowed') return offer(whileDown, startActions(context))
  offer(`${text.unfollowed} ${unfollowedText(gate, text)}`, {
    ...(gate.why === 'newer'
      ? { [text.linkUpdate]: () => vscode.commands.executeCommand('tollgate.showExtension') }
      : {}),
    [text.showLog]: () => log.show(),
  })
}

/** What helps where the gate is away, or is there and does not answer. */
export function startActions({ text, log }: TollgateContext, isThere = false): Readonly<Record<string, () => unknown>> {
  return {
    [isThere ? text.restart : text.terminal.start]: () => vscode.commands.executeCommand('tollgate.restartDaemon'),
    [text.showLog]: () => log.show(),
  }
}
