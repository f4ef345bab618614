import * as vscode from 'vscode'

/** The part of a log channel that modules without VS Code need. */
export interface Log {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** The `Tollgate` output channel, with a level of its own that the user sets in the panel. */
export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Tollgate', { log: true })
}

/** One line for an unknown thrown value, without a stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
