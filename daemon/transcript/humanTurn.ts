import type { TranscriptFacts } from './transcript.ts'

/** A person needs this long to read an answer and write; a harness that appends its own text does not. */
export const humanPauseMs = 5000

/** What decides whether a person spoke. */
export interface TurnAsk {
  readonly humans: TranscriptFacts['humans']
  /** First message that no earlier request carried: `Placement.newFrom`. */
  readonly newFrom: number
  readonly arrivedAtMs: number
  /** When the latest answer of the session ended; null while none has. */
  readonly previousAnswerEndedAtMs: number | null
  /** The client names a parent agent: its user messages are written by that one. */
  readonly bySubAgent: boolean
}

/**
 * True where a message of a person opens a new task in its session (design 3.1): it is new, and it comes at least 5 s after
 * the previous answer ended. While no answer has ended nothing opens: the first request of a session opens its task anyway,
 * and what a harness fans out at once belongs to that one.
 */
export function humanOpensTask(ask: TurnAsk): boolean {
  if (ask.bySubAgent || ask.previousAnswerEndedAtMs === null) return false
  const isNew = (ask.humans.at(-1) ?? -1) >= ask.newFrom
  return isNew && ask.arrivedAtMs - ask.previousAnswerEndedAtMs >= humanPauseMs
}
