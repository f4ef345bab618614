import type { ReportSums } from './report.ts'

/** Lengths of the buckets of `GET /api/series`. */
export const seriesUnits = ['hour', 'day', 'month'] as const

/** One of `seriesUnits`. */
export type SeriesUnit = (typeof seriesUnits)[number]

/** What `GET /api/series` can group by. */
export const seriesGroups = ['model', 'project'] as const

/** One of `seriesGroups`. */
export type SeriesGroup = (typeof seriesGroups)[number]

/** Most days that a series of each unit may have. Hours are read from single calls, the others from sums. */
export const mostSeriesDays: Readonly<Record<SeriesUnit, number>> = { hour: 7, day: 400, month: 3660 }

/** Sums of one bucket. Buckets without calls have no point. */
export interface SeriesPoint extends ReportSums {
  /** Place in `buckets`. */
  readonly at: number
}

/** One name over the period. */
export interface SeriesRow {
  /** Null: calls without a project. */
  readonly name: string | null
  readonly totals: ReportSums
  /** In the order of the buckets. */
  readonly points: readonly SeriesPoint[]
}

/** Answer to `GET /api/series`. The points of all rows and of `others` add up to `totals`. */
export interface Series {
  readonly unit: SeriesUnit
  readonly by: SeriesGroup
  /** First and last day, `2026-11-30`, both inclusive. */
  readonly from: string
  readonly to: string
  readonly timezone: string
  readonly currency: string
  /**
   * Every bucket of the period, the oldest first: `2026-11-30T14:00:00+01:00` for an hour of the zone, up to now; `2026-11-30`
   * for a day; `2026-11` for a month, which at the ends of a period has only the days within it.
   */
  readonly buckets: readonly string[]
  /** The dearest first. */
  readonly rows: readonly SeriesRow[]
  /** What the names beyond the limit come to, and how many they are; null where there are none. */
  readonly others: (Pick<SeriesRow, 'totals' | 'points'> & { readonly names: number }) | null
  readonly totals: ReportSums
  /** First day of which single calls are kept; null where none was removed. Hours before it are empty. */
  readonly callsKeptSince: string | null
}
