import { isTerminalTask } from '../guardedTerminal/taskId.ts'
import type { Text } from '../text.ts'

/** Ids longer than this are shown by their ends; the end holds the number of the task in its session. */
const mostIdLetters = 20

/** A task's or session's id as it fits into a sentence. */
export function shortId(id: string): string {
  return id.length <= mostIdLetters ? id : `${id.slice(0, 8)}…${id.slice(-6)}`
}

/**
 * `Task shop-3 (claude-cli/2.1)`, or `The guarded terminal term-1130-1 (claude-cli/2.1)`; the client is left out where it is not
 * known.
 */
export function nameOfTask(id: string, client: string, text: Text): string {
  if (isTerminalTask(id))
    return client === '' ? text.terminal.terminalTask(id) : text.terminal.terminalTaskOf(id, harmless(client))
  return client === '' ? text.task(shortId(id)) : text.taskOf(shortId(id), harmless(client))
}

/** `Session 1f3a2b4c…9d8e7f (claude-cli/2.1)` */
export function nameOfSession(id: string, client: string, text: Text): string {
  return client === '' ? text.session(shortId(id)) : text.sessionOf(shortId(id), harmless(client))
}

/** A name from outside as a notification may show it: one line, of bounded length, and nothing that reads as a link. */
export function harmless(name: string): string {
  const bare = name
    .replace(/[\p{C}[\]()]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return bare.length <= 60 ? bare : `${bare.slice(0, 59)}…`
}
