import type { TaskLimits } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import { judgeTask } from './ceilings.ts'
import type { TaskGrant, TaskTotals, Turn } from './task.ts'

/** Turns at the end of a task that the growth is read from: enough to see a slope, few enough to forget another phase. */
const fittedTurns = 20

/** Turns that are looked ahead; a task that does not halt within them is not forecast to. */
const mostTurnsAhead = 1000

/** A value per turn that grows by the same amount each turn. */
export interface Trend {
  /** Estimated value of the latest turn. */
  readonly latest: number
  /** Growth per turn, never below 0: input that shrank once is no promise that it goes on to. */
  readonly perTurn: number
}

/** What further turns add up to. */
export interface Projection {
  readonly inputTokens: number
  readonly nanoEur: NanoEur
}

/**
 * A line through values that come at equal steps, by the median of the slopes of all pairs (Theil 1950, Sen 1968): up to
 * three turns in ten may be outliers, such as a sub-agent's short call, without moving it. What lies before the last
 * compaction (a fall to less than half) is left out as soon as three turns lie behind it.
 */
export function trendOf(values: readonly number[]): Trend {
  const fitted = sinceCompaction(values.slice(-fittedTurns))
  if (fitted.length === 0) return { latest: 0, perTurn: 0 }
  const slopes: number[] = []
  for (const [from, left] of fitted.entries()) {
    for (let to = from + 1; to < fitted.length; to += 1) slopes.push(((fitted[to] ?? left) - left) / (to - from))
  }
  const perTurn = Math.max(0, median(slopes))
  const latest = median(fitted.map((value, at) => value + perTurn * (fitted.length - 1 - at)))
  return { latest: Math.max(0, latest), perTurn }
}

/** What the next `count` turns take together. Finite and >= 0. */
export function nextTurns(turns: readonly Turn[], count: number): Projection {
  const input = trendOf(turns.map(inputOf))
  const cost = trendOf(turns.map((turn) => turn.nanoEur))
  const sum = ({ latest, perTurn }: Trend): number => count * latest + (perTurn * count * (count + 1)) / 2
  return { inputTokens: Math.round(sum(input)), nanoEur: Math.round(sum(cost)) }
}

/**
 * How many turns a task has left before one is refused, and what it will have cost by then. Null where nothing is known
 * (fewer than two turns) or no ceiling is in reach.
 */
export function forecastHalt(
  turns: readonly Turn[],
  totals: TaskTotals,
  limits: TaskLimits,
  grant: TaskGrant,
): { readonly haltsInTurns: number; readonly eurAtHalt: number } | null {
  if (turns.length < 2) return null
  const input = trendOf(turns.map(inputOf))
  const cost = trendOf(turns.map((turn) => turn.nanoEur))
  const secondsPerTurn = median(gapsSeconds(turns.slice(-fittedTurns)))
  let { iterations, inputTokens, wallSeconds, spentNanoEur } = totals
  for (let turn = 0; turn < mostTurnsAhead; turn += 1) {
    const ask = {
      inputTokens: Math.round(input.latest + input.perTurn * (turn + 1)),
      worstCaseNanoEur: Math.round(cost.latest + cost.perTurn * (turn + 1)),
    }
    const then = { ...totals, iterations, inputTokens, wallSeconds, spentNanoEur }
    if (judgeTask(then, ask, limits, grant).state === 'halted') {
      return { haltsInTurns: turn, eurAtHalt: eurFromNano(spentNanoEur) }
    }
    iterations += 1
    inputTokens += ask.inputTokens
    spentNanoEur += ask.worstCaseNanoEur
    wallSeconds += secondsPerTurn
  }
  return null
}

/**
 * How many times as much a turn costs now as it did at first, by the medians of three turns at either end of the history;
 * null for fewer than six turns or a first cost of 0. A22: a resumed sub-agent's turns grew 2.7 times as dear.
 */
export function costGrowth(turns: readonly Turn[]): number | null {
  if (turns.length < 6) return null
  const costs = turns.map((turn) => turn.nanoEur)
  const first = median(costs.slice(0, 3))
  return first > 0 ? median(costs.slice(-3)) / first : null
}

function inputOf(turn: Turn): number {
  return turn.newInputTokens + turn.cachedInputTokens
}

function sinceCompaction(values: readonly number[]): readonly number[] {
  for (let at = values.length - 3; at > 0; at -= 1) {
    const before = values[at - 1] ?? 0
    // A short call of a sub-agent falls as deep, but what follows it is as large as before.
    const after = values.slice(at)
    if ((after[0] ?? 0) * 2 < before && after.every((value) => value < before)) return after
  }
  return values
}

function gapsSeconds(turns: readonly Turn[]): readonly number[] {
  return turns.slice(1).map((turn, at) => Math.max(0, turn.atMs - (turns[at]?.atMs ?? turn.atMs)) / 1000)
}

/** 0 for none. */
function median(values: readonly number[]): number {
  if (values.length === 0) return 0
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
