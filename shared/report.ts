/** What `GET /api/report` can group by. */
export const reportGroups = ['model', 'task', 'project', 'day', 'user', 'client', 'upstream'] as const

/** One of `reportGroups`. */
export type ReportGroup = (typeof reportGroups)[number]

/** Sums over settled calls. A call that was released reached nobody and is in none of them. */
export interface ReportSums {
  readonly calls: number
  /** Calls without a known price; they are in `calls` too. */
  readonly unpricedCalls: number
  /** Input that came from no cache. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** What counts into euro caps, in decimal euros. */
  readonly eur: number
  /** What calls of subscriptions would have cost; not in `eur`. */
  readonly listPriceEur: number
}

/** One row of a report. */
export interface ReportRow extends ReportSums {
  /**
   * Name of the model, task, project, day, client or upstream. A user of another tenant than the general one is
   * `tenant/user`. Null: calls without a task or project.
   */
  readonly name: string | null
  /** Share of all euros of the report, 0 to 1; 0 where nothing was spent. */
  readonly share: number
  /** By task only: what was charged to it beside its calls, in its whole life; not in `eur`. */
  readonly chargedEur?: number
}

/** Answer to `GET /api/report`. */
export interface Report {
  readonly by: ReportGroup
  /** First and last day, `2026-11-30`, both inclusive. */
  readonly from: string
  readonly to: string
  readonly timezone: string
  readonly currency: string
  /** The dearest first; by day the oldest first. */
  readonly rows: readonly ReportRow[]
  /** Rows beyond the limit. Their sums are in `totals`. */
  readonly omittedRows: number
  readonly totals: ReportSums
  /** First day of which single calls are kept; null where none was removed yet. Sums are complete without them. */
  readonly callsKeptSince: string | null
}
