import type { TaskLimits } from '../../shared/config.ts'
import { eurFromNano, nanoFromEur } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { JudgeTask, TaskAsk, TaskCounter, TaskGrant, TaskState, TaskTotals } from './task.ts'

/**
 * The four ceilings of a task. Invariant: a call that is let through leaves every counter at or below its ceiling, because
 * what is compared is the projection with the call and never what was spent before it. It was learned from an agent whose
 * first call carried 900,000 tokens: a limit on iterations saw one, and a check after the fact paid for it.
 */

/** No room given. */
export const noGrant: TaskGrant = { nanoEur: 0, iterations: 0, wallSeconds: 0 }

/** One counter against its ceiling, in the counter's own unit (nano-euro for `eur`). */
interface Standing {
  readonly counter: TaskCounter
  readonly value: number
  readonly limit: number
  readonly over: boolean
}

/**
 * Where a task stands with the call that is asked for. `iterations`, `inputTokens` and `eur` are projected; `wallSeconds`
 * is taken as it stands. The nearest counter decides: `warn` from `warnAt` of its ceiling on, `constrained` from
 * `constrainAt`, `halted` above the ceiling. `value` and `limit` of the verdict are calls, tokens, seconds or decimal euros.
 *
 * A ceiling of 0 lets nothing through, except that a call without cost passes a ceiling of 0 euros. A figure that is no
 * number is over every ceiling: what cannot be counted is not admitted.
 */
export const judgeTask: JudgeTask = (totals, ask, limits, grant) => {
  let nearest: Standing | null = null
  for (const counter of counters) {
    const ceiling = ceilingOf(counter, limits, grant)
    if (ceiling === null) continue
    const standing = standingOf(counter, projected(counter, totals, ask), ceiling)
    if (nearest === null || isNearer(standing, nearest)) nearest = standing
  }
  if (nearest === null) return { state: 'ok', nearest: null, share: 0, limit: 0, value: 0 }
  const { counter, value, limit } = nearest
  return {
    state: stateOf(nearest, limits),
    nearest: counter,
    share: shareOf(nearest),
    limit: counter === 'eur' ? eurFromNano(limit) : limit,
    value: counter === 'eur' ? eurFromNano(value) : value,
  }
}

/** A counter's ceiling with the grants on top, in calls, tokens, seconds or nano-euro; null is unlimited. */
export function ceilingOf(counter: TaskCounter, limits: TaskLimits, grant: TaskGrant): number | null {
  switch (counter) {
    case 'iterations':
      return limits.maxIterations === null ? null : limits.maxIterations + grant.iterations
    case 'inputTokens':
      return limits.maxInputTokens
    case 'wallSeconds':
      return limits.maxWallSeconds === null ? null : limits.maxWallSeconds + grant.wallSeconds
    case 'eur':
      return limits.maxEur === null ? null : nanoFromEur(limits.maxEur) + grant.nanoEur
  }
}

/**
 * Euros that one more call may reserve, in nano-euro; null is unlimited. A caller that lowers the output ceiling until the
 * worst case fits makes the ceiling usable to its last cent.
 */
export function roomNanoEur(totals: TaskTotals, limits: TaskLimits, grant: TaskGrant): NanoEur | null {
  const ceiling = ceilingOf('eur', limits, grant)
  return ceiling === null ? null : Math.max(0, ceiling - totals.spentNanoEur - totals.reservedNanoEur)
}

/**
 * Ceilings of a session: those of one task, `times` as high, and never below what the task of the call was given for itself
 * (`own`). A session is open for days while nobody works in it, so its wall clock is not bounded.
 */
export function sessionLimits(limits: TaskLimits, times: number, own: TaskLimits = limits): TaskLimits {
  const scaled = (counter: 'maxIterations' | 'maxInputTokens' | 'maxEur'): number | null => {
    const limit = limits[counter]
    return limit === null ? null : Math.max(limit * times, own[counter] ?? 0)
  }
  return {
    ...limits,
    maxIterations: scaled('maxIterations'),
    maxInputTokens: scaled('maxInputTokens'),
    maxWallSeconds: null,
    maxEur: scaled('maxEur'),
  }
}

const severity: Readonly<Record<TaskState, number>> = { ok: 0, warn: 1, constrained: 2, halted: 3 }

/** Negative where the left state is the milder one. */
export function compareStates(left: TaskState, right: TaskState): number {
  return severity[left] - severity[right]
}

const counters: readonly TaskCounter[] = ['iterations', 'inputTokens', 'wallSeconds', 'eur']

/** Where a counter will stand with the call that is asked for. */
function projected(counter: TaskCounter, totals: TaskTotals, ask: TaskAsk): number {
  switch (counter) {
    case 'iterations':
      return totals.iterations + 1
    case 'inputTokens':
      return totals.inputTokens + ask.inputTokens
    case 'wallSeconds':
      return totals.wallSeconds
    case 'eur':
      return totals.spentNanoEur + totals.reservedNanoEur + ask.worstCaseNanoEur
  }
}

function standingOf(counter: TaskCounter, value: number, limit: number): Standing {
  return { counter, value, limit, over: (limit === 0 && counter !== 'eur') || !(value <= limit) }
}

function shareOf({ value, limit, over }: Standing): number {
  if (limit > 0 && Number.isFinite(value)) return value / limit
  return over ? Infinity : 0
}

/** A counter that is over stands nearer than one that is not, whatever rounding makes of their shares. */
function isNearer(one: Standing, other: Standing): boolean {
  return one.over === other.over ? shareOf(one) > shareOf(other) : one.over
}

function stateOf(standing: Standing, limits: TaskLimits): TaskState {
  const share = shareOf(standing)
  if (standing.over) return 'halted'
  if (share >= limits.constrainAt) return 'constrained'
  return share >= limits.warnAt ? 'warn' : 'ok'
}
