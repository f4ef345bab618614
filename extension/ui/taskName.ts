import { isTerminalTask } from '../guardedTerminal/taskId.ts'
import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import type { Figures } from './figures.ts'

/**
 * How tasks are called. Invariant: an id that somebody chose is shown as it is, and one that the gate made up nowhere but where
 * it is looked for, because it says nothing to a person: who calls and since when does.
 */

/** What a task is called by. Of one that the status does not list nothing but its id is known, and perhaps its client. */
export type TaskToName = Pick<TaskStatus, 'id' | 'client'> &
  Partial<Pick<TaskStatus, 'named' | 'startedAt'>> & {
    /** What stands in the place of its shortened id, or of the minute in which it began, where another task has the same: `toldApart`. */
    readonly mark?: string
  }

/** Ids longer than this are shown by their ends; the end holds the number of the task in its session. */
const mostIdLetters = 20

/** Letters of a client in a row, so that the time behind it is not what a narrow place cuts off. */
const mostClientLetters = 26

/** A task's or session's id as it fits into a sentence. */
export function shortId(id: string): string {
  return id.length <= mostIdLetters ? id : `${id.slice(0, 8)}…${id.slice(-6)}`
}

/** What is known of a task by its id. It is called as in the list of these tasks, where they were told apart. */
export function taskToName(id: string, tasks: readonly TaskStatus[], client = ''): TaskToName {
  return tasks.find((task) => task.id === id) ?? { id, client }
}

/** A task in a row, a list or a heading: `shop-3`; `OpenAI/JS, 09:14` where nobody chose its id. */
export function labelOfTask(task: TaskToName, nowMs: number, text: Text, figures: Figures): string {
  const since = startOf(task, nowMs, figures)
  if (since === null) return shownId(task)
  return text.unnamedTask(task.client === '' ? text.unknownClient : harmless(task.client, mostClientLetters), since)
}

/** What stands beside that label in a list: the client of a task with a name, and the id of one without. */
export function besideLabel(task: TaskToName): string {
  return isUnnamed(task) ? shortId(task.id) : task.client
}

/**
 * A task in a sentence: `Task shop-3 (claude-cli/2.1)`, `The guarded terminal term-1130-1 (claude-cli/2.1)`, and where nobody
 * chose its id `A task of OpenAI/JS (since 09:14)`. The client is left out where it is not known.
 */
export function nameOfTask(task: TaskToName, nowMs: number, text: Text, figures: Figures): string {
  const { id } = task
  const client = harmless(task.client)
  const since = startOf(task, nowMs, figures)
  if (since !== null) return client === '' ? text.unnamedTaskSince(since) : text.unnamedTaskOf(client, since)
  if (isTerminalTask(id))
    return client === '' ? text.terminal.terminalTask(id) : text.terminal.terminalTaskOf(id, client)
  return client === '' ? text.task(shownId(task)) : text.taskOf(shownId(task), client)
}

/** The same without the client of a task with a name, where a sentence has no room for it. */
export function briefNameOfTask(task: TaskToName, nowMs: number, text: Text, figures: Figures): string {
  return nameOfTask(isUnnamed(task) ? task : { ...task, client: '' }, nowMs, text, figures)
}

/** `Session 1f3a2b4c…9d8e7f (claude-cli/2.1)` */
export function nameOfSession(id: string, client: string, text: Text): string {
  return client === '' ? text.session(shortId(id)) : text.sessionOf(shortId(id), harmless(client))
}

/** A name from outside as a notification may show it: one line, of bounded length, and nothing that reads as a link. */
export function harmless(name: string, mostLetters = 60): string {
  const bare = name
    .replace(/[\p{C}[\]()]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return bare.length <= mostLetters ? bare : `${bare.slice(0, mostLetters - 1)}…`
}

/** Whether nobody chose its id. An older gate does not say that. */
export function isUnnamed({ named, startedAt }: TaskToName): boolean {
  return named === false && startedAt !== undefined
}

/** When a task without a name began; null for one with a name. */
function startOf(task: TaskToName, nowMs: number, figures: Figures): string | null {
  return isUnnamed(task) && task.startedAt !== undefined ? (task.mark ?? figures.when(task.startedAt, nowMs)) : null
}

/** The id of a task with a name. */
function shownId({ id, mark }: TaskToName): string {
  return mark ?? shortId(id)
}
