import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'

/** A task that was halted because it repeats itself. */
export interface LoopHalt {
  /** Null where the daemon names none. */
  readonly tool: string | null
  readonly repeats: number
}

/** Halted loops by task. The status tells states of counters only, so these are kept from events. */
export type Loops = ReadonlyMap<string, LoopHalt>

const mostLoops = 100

/** No task runs in circles. */
export const noLoops: Loops = new Map()

/** Halted loops after an event; the same object where it changes nothing. A call that goes out shows that its task is free. */
export function loopsAfter(loops: Loops, event: DaemonEvent): Loops {
  const task = textField(event, event.event === 'resumed' ? 'ref' : 'task')
  if (task === undefined) return loops
  switch (event.event) {
    case 'loop':
      if (event['state'] !== 'halted') return loopsWithout(loops, task)
      return new Map(
        [
          ...loopsWithout(loops, task),
          [task, { tool: textField(event, 'tool') ?? null, repeats: numberField(event, 'repeats') ?? 0 }] as const,
        ].slice(-mostLoops),
      )
    case 'state_changed':
      return event['cause'] === 'resume' ? loopsWithout(loops, task) : loops
    case 'call_started':
    case 'resumed':
      return loopsWithout(loops, task)
    default:
      return loops
  }
}

/** Halted loops without one task's; the same object where it has none. */
function loopsWithout(loops: Loops, task: string): Loops {
  return loops.has(task) ? new Map([...loops].filter(([id]) => id !== task)) : loops
}
