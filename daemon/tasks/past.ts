import type { NanoEur } from '../../shared/money.ts'
import type { TaskOrder, TaskSoFar } from '../ledger/ledger.ts'

/**
 * How a task or session goes on that this process does not know: after a restart, and after it was forgotten. Invariant: a
 * loop does not get fresh counters because the daemon was away, and a name that a person uses again another day is not
 * refused for what was done with it before.
 */

/** A task that was quiet for so long begins a new window when the daemon does not remember it, in milliseconds. */
export const freshWindowMs = 3_600_000

/** What is known of a task or session from before. */
export interface TaskPast {
  /** All of its calls; null where it made none. */
  readonly life: TaskSoFar | null
  /** Since when its ceilings counted, in milliseconds since the epoch. */
  readonly windowFromMs: number
  /** Calls since then; null where there are none. */
  readonly window: TaskSoFar | null
  readonly order: TaskOrder | null
}

/** Looks up what is known of a task or session; null where that is nothing. */
export type TaskHistory = (scope: 'task' | 'session', ref: string) => TaskPast | null

/** The history of a book that begins with nothing. */
export const noHistory: TaskHistory = () => null

/** What is counted over a life. */
export interface Counted {
  readonly iterations: number
  readonly inputTokens: number
  /** Charges included. */
  readonly spentNanoEur: NanoEur
  /** Euros beside its calls. */
  readonly chargedNanoEur: NanoEur
}

/** The counters with which a tally begins. */
export interface Opening {
  readonly life: Counted
  /** Those of `life` that lie before the window. */
  readonly base: Counted
  readonly firstMs: number
  readonly lastMs: number
  readonly windowStartMs: number
  readonly pausedMs: number
  readonly stop: TaskOrder['stop']
}

const nothing: Counted = { iterations: 0, inputTokens: 0, spentNanoEur: 0, chargedNanoEur: 0 }

/** The opening of a task that is new. */
export function freshOpening(nowMs: number): Opening {
  return {
    life: nothing,
    base: nothing,
    firstMs: nowMs,
    lastMs: nowMs,
    windowStartMs: nowMs,
    pausedMs: 0,
    stop: null,
  }
}

/**
 * Goes on from what is known. The window goes on with it, and its wall clock from its first arrival, except for a task that
 * was quiet for an hour: that keeps its totals only. A task that is paused is not quiet, and a session lasts for days.
 */
export function openingOf(scope: 'task' | 'session', past: TaskPast | null, nowMs: number): Opening {
  if (past === null) return freshOpening(nowMs)
  const { life, window, windowFromMs, order } = past
  const charged = order?.chargedNanoEur ?? 0
  const whole = counted(life, charged)
  const known = {
    life: whole,
    firstMs: life?.firstMs ?? order?.atMs ?? nowMs,
    lastMs: life?.lastMs ?? order?.atMs ?? nowMs,
    stop: order?.stop ?? null,
  }
  const isQuiet = nowMs - Math.max(life?.lastMs ?? 0, order?.atMs ?? 0) >= freshWindowMs
  if (scope === 'task' && isQuiet && known.stop?.by !== 'pause')
    return { ...known, base: whole, windowStartMs: nowMs, pausedMs: 0 }
  // What was written down before this window began is of an earlier one.
  const kept = order !== null && order.atMs >= windowFromMs ? order : null
  const current = counted(window, kept?.windowChargedNanoEur ?? 0)
  return {
    ...known,
    base: difference(whole, current),
    windowStartMs: windowFromMs,
    pausedMs: kept !== null && windowFromMs <= (kept.windowFromMs ?? known.firstMs) ? kept.pausedMs : 0,
  }
}

function counted(calls: TaskSoFar | null, chargedNanoEur: NanoEur): Counted {
  return {
    iterations: calls?.calls ?? 0,
    inputTokens: calls?.inputTokens ?? 0,
    spentNanoEur: (calls?.spentNanoEur ?? 0) + chargedNanoEur,
    chargedNanoEur,
  }
}

function difference(whole: Counted, part: Counted): Counted {
  return {
    iterations: whole.iterations - part.iterations,
    inputTokens: whole.inputTokens - part.inputTokens,
    spentNanoEur: whole.spentNanoEur - part.spentNanoEur,
    chargedNanoEur: whole.chargedNanoEur - part.chargedNanoEur,
  }
}
