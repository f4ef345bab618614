import type { TaskLimits } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'

/** Graded states of a task, from the nearest ceiling. */
export type TaskState = 'ok' | 'warn' | 'constrained' | 'halted'

/** The four counters of a task. */
export type TaskCounter = 'iterations' | 'inputTokens' | 'wallSeconds' | 'eur'

/** Counters of a task as they stand before a call. */
export interface TaskTotals {
  readonly iterations: number
  readonly inputTokens: number
  readonly wallSeconds: number
  readonly spentNanoEur: NanoEur
  readonly reservedNanoEur: NanoEur
}

/** What a call would add: the check is made before the call, so that the breaching one is never paid for. */
export interface TaskAsk {
  readonly inputTokens: number
  /** Worst case with the output ceiling as it stands. */
  readonly worstCaseNanoEur: NanoEur
}

/** Room that a person gave to one task on top of the plan; the plan itself never moves. */
export interface TaskGrant {
  readonly nanoEur: NanoEur
  readonly iterations: number
  readonly wallSeconds: number
}

/** Where a task stands. */
export interface TaskVerdict {
  readonly state: TaskState
  /** The counter nearest to its ceiling, null where nothing is limited. */
  readonly nearest: TaskCounter | null
  /** Share of that ceiling, projected with the ask; 1 and more is over. */
  readonly share: number
  readonly limit: number
  readonly value: number
}

/** Judges a task before a call (design 3.1): see `ceilings.ts`. */
export type JudgeTask = (totals: TaskTotals, ask: TaskAsk, limits: TaskLimits, grant: TaskGrant) => TaskVerdict

/** Verdict on the repetition of a task's steps: see `daemon/transcript/loops.ts`. */
export interface LoopVerdict {
  readonly state: TaskState
  /** The tool that repeats; null for `ok`. */
  readonly tool: string | null
  readonly repeats: number
  readonly cycleLength: number
  /** Signals that only warn: the same error from different calls, the same sentence again and again. */
  readonly hints: readonly ('error_echo' | 'narration')[]
}
