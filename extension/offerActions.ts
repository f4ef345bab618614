import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'

/** Says the result of a command. Not awaited: a command is done when its work is, not when its message is closed. */
export function offer(message: string, actions: Readonly<Record<string, () => unknown>> = {}): void {
  void vscode.window
    .showInformationMessage(message, ...Object.keys(actions))
    .then((chosen) => (chosen === undefined ? undefined : actions[chosen]?.()))
}

/** What helps where the gate is away. */
export function startActions({ text, log }: TollgateContext): Readonly<Record<string, () => unknown>> {
  return {
    [text.terminal.start]: () => vscode.commands.executeCommand('tollgate.restartDaemon'),
    [text.showLog]: () => log.show(),
  }
}
