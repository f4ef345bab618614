import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'

/** Month, day, number: `term-1130-1`. Short, because it stands in a tab's name. */
const idForm = /\bterm-\d{4}-\d{1,5}\b/

/** Whether a task has the id of a guarded terminal. */
export function isTerminalTask(id: string): boolean {
  return idForm.exec(id)?.[0] === id
}

/** The id of a guarded terminal of a day, `number` from 1. The day is the one that the user's clock shows. */
export function taskIdOf(date: Date, number: number): string {
  const twoDigits = (part: number): string => String(part).padStart(2, '0')
  return `term-${twoDigits(date.getMonth() + 1)}${twoDigits(date.getDate())}-${number}`
}

/** The id behind the highest one of that day that is taken. */
export function nextTaskId(date: Date, taken: Iterable<string>): string {
  const prefix = taskIdOf(date, 1).slice(0, -1)
  let highest = 0
  for (const id of taken) {
    if (isTerminalTask(id) && id.startsWith(prefix)) highest = Math.max(highest, Number(id.slice(prefix.length)))
  }
  return taskIdOf(date, highest + 1)
}

/** The task that a terminal's variables carry in their base URLs; undefined for any other terminal. */
export function taskOfEnvironment(env: Readonly<Record<string, string | null | undefined>>): string | undefined {
  for (const value of Object.values(env)) {
    const task = /^http:\/\/127\.0\.0\.1:\d+\/k\/[^/]+\/t\/([A-Za-z0-9_-]+)\//.exec(value ?? '')?.[1]
    if (task !== undefined && isTerminalTask(task)) return task
  }
  return undefined
}

/** The task that a guarded terminal's name carries; a person may have given it another name. */
export function taskOfName(name: string): string | undefined {
  return idForm.exec(name)?.[0]
}

/** `halted · guarded · term-1130-1`: the state comes first, because the list of terminals shows no more than a word. */
export function terminalName(task: string, state: TaskStatus['state'], text: Text): string {
  return [stateWord(state, text), text.terminal.guarded, task].join(' · ')
}

/** A state in one word. */
export function stateWord(state: TaskStatus['state'], text: Text): string {
  return {
    ok: text.terminal.guardedOk,
    warn: text.terminal.guardedWarn,
    constrained: text.terminal.guardedConstrained,
    halted: text.terminal.guardedHalted,
  }[state]
}
