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

/** One turn of a task as the forecast and the dashboard see it. */
export interface Turn {
  /** Input that the provider had not cached, cache writes included. */
  readonly newInputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly nanoEur: NanoEur
  /** When it was settled, in milliseconds since the epoch. */
  readonly atMs: number
}

/** Who makes a call, as far as the task book keeps it. */
export interface TaskCall {
  readonly callId: string
  readonly task: string
  /** Whether somebody chose the id of the task. One that was made from the session and a number says nothing to a person. */
  readonly isNamed: boolean
  /** The task that a sub-agent works for, where the client names both. */
  readonly parent: string | null
  readonly session: string | null
  /**
   * Whether these names are given by the client, so that they mean the same after a restart. Those of a conversation that is
   * only known by its transcript do not.
   */
  readonly lasts: { readonly task: boolean; readonly session: boolean }
  readonly tenant: string
  readonly project: string | null
  readonly client: string
}

/** Why no call may go out: a ceiling, running calls that hold the rest of the euros, or a person. */
export type TaskStop = 'ceiling' | 'held' | 'person' | 'pause'

/** Where a task (or its session) stands when a call asks. */
export interface TaskStanding {
  readonly scope: 'task' | 'session'
  /** Id of what is judged: the parent's for a sub-agent, the session's where that one is nearer to its ceiling. */
  readonly ref: string
  /** Id of the call's own task, by which a person can let it go on. */
  readonly task: string
  /** State of the task itself. A call that is only held is refused while its task is not halted. */
  readonly state: TaskState
  readonly verdict: TaskVerdict
  readonly stop: TaskStop | null
  readonly totals: TaskTotals
  readonly ask: TaskAsk
  /** Euros that are left for this call in its task, those above it and its session; null where none limits them. */
  readonly roomNanoEur: NanoEur | null
  /** Since when it is halted; past the grace period a call that still comes is severed. */
  readonly haltedAtMs: number | null
}

/** A task's state has changed. Rises are told once per window; a fall only when a person or a limit made room. */
export interface StateChange {
  readonly scope: 'task' | 'session'
  readonly ref: string
  readonly session: string | null
  readonly tenant: string
  readonly project: string | null
  readonly client: string
  readonly from: TaskState
  readonly to: TaskState
  readonly cause: 'ceiling' | 'person' | 'pause' | 'resume' | 'room'
  /** The counter that climbs; null where a person decided. */
  readonly counter: TaskCounter | null
  /** In calls, tokens, seconds or decimal euros, projected with the call that was asked for. */
  readonly value: number
  readonly limit: number
  readonly atMs: number
}

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
