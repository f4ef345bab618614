import * as v from 'valibot'
import { isUnpriced } from '../calls.ts'
import { seriesGroups, seriesUnits } from '../../shared/series.ts'
import type { Series } from '../../shared/series.ts'
import type { DashboardView } from './view.ts'

/** Everything that the charts follow from, beside the gate's status. */
export interface DashboardData {
  /** Null until it was read for the first time. */
  readonly series: Series | null
  /** What was chosen when the series and the tasks were read; null before. */
  readonly readFor: SeriesView | null
  /** Tasks of the period, the dearest first. */
  readonly tasks: readonly TaskSums[]
  readonly turns: TaskTurns | null
  /** Refusals that are listed, the oldest first. */
  readonly refused: readonly RefusedCall[]
  /** Why the last reading failed; null where it did not. */
  readonly problem: string | null
}

/** The part of a view that the series depends on. */
export type SeriesView = Pick<DashboardView, 'period' | 'unit' | 'by'>

/** What a task came to in the period. */
export interface TaskSums {
  readonly name: string
  readonly calls: number
}

/** The finished calls of one task. */
export interface TaskTurns {
  readonly task: string
  /** The oldest first. */
  readonly turns: readonly Turn[]
  /** There are older ones. */
  readonly isCut: boolean
}

/** One call of a task, in tokens and euros. */
export interface Turn {
  readonly time: string
  readonly model: string
  readonly cachedInput: number
  /** Uncached input and what was written to the cache. */
  readonly newInput: number
  readonly output: number
  readonly eur: number
  readonly listPriceEur: number
  /** Nobody knows its price: `eur` is a floor, and nothing is known where that is 0. */
  readonly isUnpriced: boolean
}

/** One refused call. */
export interface RefusedCall {
  readonly code: string
  readonly time: string
}

/** Most turns that are read and drawn. */
export const mostTurns = 500

/** Nothing was read yet. */
export const noData: DashboardData = {
  series: null,
  readFor: null,
  tasks: [],
  turns: null,
  refused: [],
  problem: null,
}

const count = v.pipe(v.number(), v.finite(), v.minValue(0))
const sums = {
  calls: count,
  unpricedCalls: count,
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  eur: count,
  listPriceEur: count,
}
const points = v.array(v.object({ at: v.pipe(count, v.integer()), ...sums }))
const name = v.nullable(v.string())

const seriesAnswer = v.object({
  unit: v.picklist(seriesUnits),
  by: v.picklist(seriesGroups),
  from: v.string(),
  to: v.string(),
  timezone: v.string(),
  currency: v.string(),
  buckets: v.array(v.string()),
  rows: v.array(v.object({ name, totals: v.object(sums), points })),
  others: v.nullable(v.object({ names: count, totals: v.object(sums), points })),
  totals: v.object(sums),
  callsKeptSince: v.nullable(v.string()),
})
const reportAnswer = v.object({ rows: v.array(v.object({ name, calls: count })) })
const callsAnswer = v.object({
  calls: v.array(
    v.object({
      time: v.string(),
      model: v.string(),
      settlement: v.nullable(v.string()),
      usage: v.object({ input: count, cacheRead: count, cacheWrite5m: count, cacheWrite1h: count, output: count }),
      eur: count,
      listPriceEur: count,
      warnings: v.array(v.string()),
    }),
  ),
})
const eventsAnswer = v.object({
  events: v.array(v.object({ event: v.string(), time: v.string(), code: v.optional(v.unknown()) })),
})

/** The answer of `GET /api/series`. Throws an Error for another one, as all functions here do. */
export function parseSeries(answer: unknown): Series {
  return v.parse(seriesAnswer, answer)
}

/** The tasks of `GET /api/report?by=task`. */
export function parseTasks(answer: unknown): readonly TaskSums[] {
  return v
    .parse(reportAnswer, answer)
    .rows.flatMap(({ name: task, calls }) => (task === null ? [] : [{ name: task, calls }]))
}

/** The answer of `GET /api/calls?task=`, which has the newest first. What never reached a provider is no turn. */
export function parseTurns(answer: unknown, task: string): TaskTurns {
  const { calls } = v.parse(callsAnswer, answer)
  const turns = calls
    .filter(({ settlement }) => settlement !== null && settlement !== 'released')
    .reverse()
    .map(({ time, model, usage, eur, listPriceEur, warnings }): Turn => {
      const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage
      const newInput = input + cacheWrite5m + cacheWrite1h
      const cost = { eur, listPriceEur, isUnpriced: isUnpriced({ warnings }) }
      return { time, model, cachedInput: cacheRead, newInput, output, ...cost }
    })
  return { task, turns, isCut: calls.length >= mostTurns }
}

/** The answer of `GET /api/events?event=refused`. */
export function parseRefused(answer: unknown): readonly RefusedCall[] {
  return v
    .parse(eventsAnswer, answer)
    .events.flatMap(({ event, time, code }) =>
      event === 'refused' && typeof code === 'string' ? [{ code, time }] : [],
    )
}
