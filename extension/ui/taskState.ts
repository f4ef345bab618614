import type { LoopStatus, TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { harmless } from './taskName.ts'

/** Whether a task's calls are refused: at a ceiling, by a person, or because a conversation of its repeats itself. */
export function isHalted({ state, loop }: Pick<TaskStatus, 'state' | 'loop'>): boolean {
  return state === 'halted' || loop !== null
}

/** The state of a task that repeats itself, in words. */
export function loopText({ tool }: LoopStatus, text: Text): string {
  return tool === null ? text.stateLoop : text.stateLoopOf(harmless(tool))
}
