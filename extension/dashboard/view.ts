import { seriesGroups, seriesUnits } from '../../shared/series.ts'
import type { SeriesGroup, SeriesUnit } from '../../shared/series.ts'

/** Periods that the dashboard offers, each up to today. */
export const periods = ['today', 'week', 'month', 'quarter', 'year'] as const

/** One of `periods`. */
export type Period = (typeof periods)[number]

/** Days of each period, today included. */
export const periodDays: Readonly<Record<Period, number>> = { today: 1, week: 7, month: 30, quarter: 90, year: 365 }

/** What the bars of the spend chart can be. */
export const measures = ['eur', 'listPriceEur', 'tokens', 'calls'] as const

/** One of `measures`. */
export type Measure = (typeof measures)[number]

/** What a person chose to see. It is kept by VS Code with the panel. */
export interface DashboardView {
  readonly period: Period
  readonly unit: SeriesUnit
  readonly by: SeriesGroup
  readonly measure: Measure
  /** Id of the task whose turns are shown; null follows the task that made the last call. */
  readonly task: string | null
}

/** The view of a dashboard that is opened for the first time. */
export const defaultView: DashboardView = { period: 'month', unit: 'day', by: 'model', measure: 'eur', task: null }

const mostTaskLetters = 200

/** Units that a period can be cut into, the usual one first: enough bars to see a course, few enough to tell them apart. */
export function unitsOf(period: Period): readonly [SeriesUnit, ...SeriesUnit[]] {
  switch (period) {
    case 'today':
      return ['hour']
    case 'week':
      return ['day', 'hour']
    case 'month':
      return ['day']
    case 'quarter':
      return ['day', 'month']
    case 'year':
      return ['month', 'day']
  }
}

/** A view from outside: a kept state, a message, the argument of a command. What is missing or wrong stays as before. */
export function readView(value: unknown, before: DashboardView = defaultView): DashboardView {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof DashboardView, unknown>
  >
  const period = oneOf(periods, given.period) ?? before.period
  const asked = oneOf(seriesUnits, given.unit) ?? before.unit
  const units = unitsOf(period)
  const { task } = given
  const isTask = task === null || (typeof task === 'string' && task !== '' && task.length <= mostTaskLetters)
  return {
    period,
    unit: units.includes(asked) ? asked : units[0],
    by: oneOf(seriesGroups, given.by) ?? before.by,
    measure: oneOf(measures, given.measure) ?? before.measure,
    task: isTask ? task : before.task,
  }
}

function oneOf<Value extends string>(all: readonly Value[], value: unknown): Value | undefined {
  return all.find((one) => one === value)
}
