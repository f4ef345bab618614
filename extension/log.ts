import * as vscode from 'vscode'

/** The part of a log channel that modules without VS Code need. */
export interface Log {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** The channel of this window: one for each start of the extension. */
let latest: Log | undefined

/** The `Tollgate` output channel, with a level of its own that the user sets in the panel. */
export function createLog(): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel('Tollgate', { log: true })
  latest = channel
  return channel
}

/** Writes down that something failed that nobody waits for, where the channel is not at hand. */
export function logFailure(what: string, error: unknown): void {
  latest?.error(`${what}: ${reasonOf(error)}`)
}

/** One line for an unknown thrown value, without a stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
