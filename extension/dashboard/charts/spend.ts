import type { ReportSums } from '../../../shared/report.ts'
import type { Series, SeriesPoint, SeriesUnit } from '../../../shared/series.ts'
import type { Cell, ChartPart, NumberKind } from '../page.ts'
import type { DashboardView, Measure } from '../view.ts'
import { columnsOf, costText, newTokens, noTable, numberCell, textCell } from './cells.ts'
import type { ChartWords } from './cells.ts'

/** Parts of a bar, the others included: more cannot be told apart. */
const mostParts = 7

const stepsOf: Readonly<Record<SeriesUnit, readonly number[]>> = {
  hour: [1, 2, 3, 6, 12, 24, 48],
  day: [1, 2, 7, 14, 28, 56, 84],
  month: [1, 2, 3, 6, 12],
}

const kindOf: Readonly<Record<Measure, NumberKind>> = {
  eur: 'eur',
  listPriceEur: 'eur',
  tokens: 'tokens',
  calls: 'whole',
}

interface Part {
  readonly name: string
  readonly total: ReportSums
  readonly points: ReadonlyMap<number, ReportSums>
}

/** Spend over time by model or project. `series` may be of another view than the present one: it says itself what it is. */
export function spendChart(series: Series | null, view: Pick<DashboardView, 'measure'>, words: ChartWords): ChartPart {
  const { text } = words
  const title = text.spendTitle
  if (series === null) return { title, about: [], summary: '', chart: null, empty: text.loading, table: noTable }
  const { measure } = view
  const { totals } = series
  const about = notesOf(series, words)
  const total = valueText(totals, measure, words)
  const summary = text.spendSummary(text.measures[measure], text.groups[series.by], total)
  const table = spendTable(series, measure, words)
  const part = { title, about, summary, table }
  if (totals.calls === 0) return { ...part, chart: null, empty: text.spendNoCalls, table: noTable }
  if (valueOf(totals, measure) === 0) {
    const calls = text.calls(totals.calls, words.numbers.of('whole', totals.calls))
    return { ...part, chart: null, empty: measure === 'listPriceEur' ? text.spendNoList : text.spendNothing(calls) }
  }
  const parts = partsOf(series, measure, words).filter(({ total }) => valueOf(total, measure) > 0)
  return {
    ...part,
    empty: '',
    chart: {
      kind: 'stacked',
      numbers: kindOf[measure],
      labels: series.buckets.map((bucket) => words.numbers.bucket(series.unit, bucket)),
      ticks: series.buckets.map((bucket) => words.numbers.tick(series.unit, bucket)),
      steps: [...stepsOf[series.unit]],
      series: parts.map(({ name, total: sums, points }) => ({
        name,
        total: valueText(sums, measure, words),
        values: series.buckets.map((_, at) => valueOf(points.get(at), measure)),
      })),
      line: null,
    },
  }
}

function notesOf({ unit, callsKeptSince, from }: Series, { text, numbers }: ChartWords): string[] {
  return unit === 'hour' && callsKeptSince !== null && callsKeptSince > from
    ? [text.hoursKept(numbers.day(callsKeptSince))]
    : []
}

/** The names with the most of what is shown, and the others as one. */
function partsOf(series: Series, measure: Measure, { text }: ChartWords): readonly Part[] {
  const rows = [...series.rows].sort((left, right) => valueOf(right.totals, measure) - valueOf(left.totals, measure))
  const kept = rows.length + (series.others?.names ?? 0) <= mostParts ? rows : rows.slice(0, mostParts - 1)
  const named = kept.map(({ name, totals, points }): Part => ({
    name: name ?? text.noProject,
    total: totals,
    points: byPlace(points),
  }))
  const rest = [...rows.slice(kept.length), ...(series.others === null ? [] : [series.others])]
  if (rest.length === 0) return named
  const points = new Map<number, ReportSums>()
  for (const row of rest) for (const point of row.points) points.set(point.at, plus(points.get(point.at), point))
  const names = rows.length - kept.length + (series.others?.names ?? 0)
  const total = rest.map((row) => row.totals).reduce(plus)
  return [...named, { name: text.others(names), total, points }]
}

function byPlace(points: readonly SeriesPoint[]): ReadonlyMap<number, ReportSums> {
  return new Map(points.map((point) => [point.at, point]))
}

function spendTable(series: Series, measure: Measure, words: ChartWords): ChartPart['table'] {
  const { text, numbers } = words
  const parts = partsOf(series, measure, words)
  const cell = (sums: ReportSums | undefined): Cell => ({
    text: sums === undefined ? '–' : valueText(sums, measure, words),
    raw: valueOf(sums, measure),
  })
  return {
    columns: columnsOf([text.bucket], [...parts.map(({ name }) => name), text.total]),
    rows: series.buckets.map((bucket, at) => {
      const sums = parts.map(({ points }) => points.get(at))
      const all = sums.reduce((left, right) => (right === undefined ? left : plus(left, right)), undefined)
      return [{ ...textCell(bucket), text: numbers.bucket(series.unit, bucket) }, ...sums.map(cell), cell(all)]
    }),
  }
}

function valueOf(sums: ReportSums | undefined, measure: Measure): number {
  if (sums === undefined) return 0
  return measure === 'tokens' ? newTokens(sums) : sums[measure]
}

function valueText(sums: ReportSums, measure: Measure, words: ChartWords): string {
  if (measure === 'eur') return costText(sums, words)
  return numberCell(words.numbers, kindOf[measure], valueOf(sums, measure)).text
}

function plus(left: ReportSums | undefined, right: ReportSums): ReportSums {
  return {
    calls: (left?.calls ?? 0) + right.calls,
    unpricedCalls: (left?.unpricedCalls ?? 0) + right.unpricedCalls,
    input: (left?.input ?? 0) + right.input,
    cacheRead: (left?.cacheRead ?? 0) + right.cacheRead,
    cacheWrite: (left?.cacheWrite ?? 0) + right.cacheWrite,
    output: (left?.output ?? 0) + right.output,
    eur: (left?.eur ?? 0) + right.eur,
    listPriceEur: (left?.listPriceEur ?? 0) + right.listPriceEur,
  }
}
