import type { DashboardData, Turn } from '../../../../extension/dashboard/data.ts'
import type { DashboardState } from '../../../../extension/dashboard/pageOf.ts'
import { defaultView } from '../../../../extension/dashboard/view.ts'
import type { ReportSums } from '../../../../shared/report.ts'
import type { Series, SeriesRow } from '../../../../shared/series.ts'
import { status, task } from '../support.ts'

/** Sums of nothing, with changes. */
export function sums(changes: Partial<ReportSums> = {}): ReportSums {
  return {
    calls: 0,
    unpricedCalls: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    eur: 0,
    listPriceEur: 0,
    ...changes,
  }
}

/** A row with the given euros per bucket; a call, 900 tokens in and 100 out for each. */
export function seriesRow(name: string | null, euros: readonly number[]): SeriesRow {
  const points = euros.flatMap((eur, at) =>
    eur === 0 ? [] : [{ at, ...sums({ calls: 1, input: 900, output: 100, eur }) }],
  )
  const add = (pick: (point: ReportSums) => number): number => points.reduce((sum, point) => sum + pick(point), 0)
  return {
    name,
    points,
    totals: sums({
      calls: points.length,
      input: add(({ input }) => input),
      output: add(({ output }) => output),
      eur: Math.round(add(({ eur }) => eur) * 1e9) / 1e9,
    }),
  }
}

/** A row with a call of an unknown price in each of the given buckets. */
export function unpricedRow(name: string, places: readonly number[]): SeriesRow {
  const points = places.map((at) => ({ at, ...sums({ calls: 1, unpricedCalls: 1, output: 5 }) }))
  return {
    name,
    points,
    totals: sums({ calls: places.length, unpricedCalls: places.length, output: 5 * places.length }),
  }
}

/** A series of these rows over three days. */
export function series(rows: readonly SeriesRow[], changes: Partial<Series> = {}): Series {
  const add = (pick: (point: ReportSums) => number): number => rows.reduce((sum, { totals }) => sum + pick(totals), 0)
  return {
    unit: 'day',
    by: 'model',
    from: '2026-11-28',
    to: '2026-11-30',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    buckets: ['2026-11-28', '2026-11-29', '2026-11-30'],
    rows,
    others: null,
    totals: sums({
      calls: add(({ calls }) => calls),
      input: add(({ input }) => input),
      output: add(({ output }) => output),
      eur: add(({ eur }) => eur),
      unpricedCalls: add(({ unpricedCalls }) => unpricedCalls),
      listPriceEur: add(({ listPriceEur }) => listPriceEur),
    }),
    callsKeptSince: null,
    ...changes,
  }
}

/** Turns whose prompt grows by 1,000 tokens each, all but those from the cache. */
export function turns(count: number): readonly Turn[] {
  return Array.from({ length: count }, (_, at) => ({
    time: new Date(Date.parse('2026-11-30T10:00:00Z') + at * 20_000).toISOString(),
    model: 'claude-sonnet-5',
    cachedInput: at * 1000,
    newInput: 1000,
    output: 200,
    eur: 0.01 + at * 0.001,
    listPriceEur: 0,
    isUnpriced: false,
  }))
}

/** Data of a window that has seen something of everything. */
export function data(changes: Partial<DashboardData> = {}): DashboardData {
  return {
    series: series([seriesRow('claude-sonnet-5', [1.5, 0, 0.25]), seriesRow('gpt-5.5', [0.5, 0.25, 0])]),
    readFor: defaultView,
    tasks: [{ name: 'shop-3', calls: 12 }],
    turns: { task: 'shop-3', turns: turns(12), isCut: false },
    refused: [{ code: 'budget_exhausted', time: '2026-11-29T10:00:00.000Z' }],
    problem: null,
    ...changes,
  }
}

/** A dashboard of a gate that runs, in English. */
export function state(changes: Partial<DashboardState> = {}): DashboardState {
  const healthy = status({ tasks: [task()], counters: { budget_exhausted: 4, loop_halted: 1, truncated: 9 } })
  return {
    view: defaultView,
    data: data(),
    gate: 'up',
    status: {
      ...healthy,
      integrity: {
        ...healthy.integrity,
        residual: { 'openai/gpt-5.5': 1.012, 'anthropic/claude-sonnet-5': 1.18 },
        drift: [
          {
            time: '2026-11-29T10:00:00.000Z',
            provider: 'anthropic',
            unit: 'usd',
            from: '2026-11-01',
            to: '2026-11-28',
            drift: 1.041,
            coverage: 0.99,
            beyond: true,
          },
        ],
      },
    },
    startedAtMs: Date.parse('2026-11-30T09:00:00.000Z'),
    language: 'en',
    ...changes,
  }
}
