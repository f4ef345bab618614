import type { ReportSums } from '../../../shared/report.ts'
import type { Series, SeriesPoint, SeriesUnit } from '../../../shared/series.ts'
import type { Cell, ChartPart, NumberKind, Said } from '../page.ts'
import type { DashboardView, Measure } from '../view.ts'
import { columnsOf, moneyCell, moneySaid, newTokens, noTable, numberCell, textCell } from './cells.ts'
import type { ChartWords, Money } from './cells.ts'

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

/**
 * Spend over time by model or project; null where it is not known. `series` may be of another view than the present one: it says itself
 * what it is.
 */
export function spendChart(series: Series | null, view: Pick<DashboardView, 'measure'>, words: ChartWords): ChartPart {
  const { text } = words
  const title = text.spendTitle
  if (series === null) return { title, about: [], summary: '', chart: null, empty: words.unread, table: noTable }
  const { measure } = view
  const { totals } = series
  const about = notesOf(series, words)
  const total = valueCell(totals, measure, words).text
  const summary = text.spendSummary(text.measures[measure], text.groups[series.by], total)
  const table = spendTable(series, measure, words)
  const part = { title, about, summary, table }
  if (totals.calls === 0) return { ...part, chart: null, empty: text.spendNoCalls, table: noTable }
  if (valueOf(totals, measure) === 0) return { ...part, chart: null, empty: nothingToDraw(totals, measure, words) }
  const parts = partsOf(series, measure, words).filter(
    ({ total }) => valueOf(total, measure) > 0 || isFloor(total, measure),
  )
  const bars = series.buckets.map((_, at) => sumAt(parts, at))
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
        total: valueCell(sums, measure, words).text,
        values: series.buckets.map((_, at) => valueOf(points.get(at), measure)),
        said: saidOf(
          series.buckets.map((_, at) => points.get(at)),
          measure,
          words,
        ),
      })),
      said: saidOf(bars, measure, words),
      line: null,
    },
  }
}

/** Why calls have no bars: what they cost is not known, was billed to nobody, or is nothing. */
function nothingToDraw(totals: ReportSums, measure: Measure, { text, numbers }: ChartWords): string {
  if (isFloor(totals, measure)) {
    return text.spendUnknown(text.unpriced(totals.unpricedCalls, numbers.of('whole', totals.unpricedCalls)))
  }
  return measure === 'listPriceEur'
    ? text.spendNoList
    : text.spendNothing(text.calls(totals.calls, numbers.of('whole', totals.calls)))
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
  const cell = (sums: ReportSums | undefined): Cell =>
    sums === undefined ? { text: '–', raw: 0 } : valueCell(sums, measure, words)
  // An exported number cannot say that it is a floor.
  const hasUnpriced = isFloor(series.totals, measure)
  return {
    columns: columnsOf(
      [text.bucket],
      [...parts.map(({ name }) => name), text.total, ...(hasUnpriced ? [text.unpricedCalls] : [])],
    ),
    rows: series.buckets.map((bucket, at) => {
      const sums = parts.map(({ points }) => points.get(at))
      const all = sumAt(parts, at)
      return [
        { ...textCell(bucket), text: numbers.bucket(series.unit, bucket) },
        ...sums.map(cell),
        cell(all),
        ...(hasUnpriced ? [countCell(all?.unpricedCalls ?? 0, words)] : []),
      ]
    }),
  }
}

function countCell(count: number, { numbers }: ChartWords): Cell {
  return { text: count === 0 ? '–' : numbers.of('whole', count), raw: count }
}

function sumAt(parts: readonly Part[], at: number): ReportSums | undefined {
  return parts
    .map(({ points }) => points.get(at))
    .reduce((left, right) => (right === undefined ? left : plus(left, right)), undefined)
}

function valueOf(sums: ReportSums | undefined, measure: Measure): number {
  if (sums === undefined) return 0
  return measure === 'tokens' ? newTokens(sums) : sums[measure]
}

function valueCell(sums: ReportSums, measure: Measure, words: ChartWords): Cell {
  const money = moneyOf(sums, measure)
  return money === null ? numberCell(words.numbers, kindOf[measure], valueOf(sums, measure)) : moneyCell(money, words)
}

/** Null for what is counted in something else. Of a call without a price nobody knows the list price either. */
function moneyOf(sums: ReportSums, measure: Measure): Money | null {
  return measure === 'eur' || measure === 'listPriceEur'
    ? { eur: sums[measure], unpricedCalls: sums.unpricedCalls }
    : null
}

function isFloor(sums: ReportSums, measure: Measure): boolean {
  return (moneyOf(sums, measure)?.unpricedCalls ?? 0) > 0
}

function saidOf(all: readonly (ReportSums | undefined)[], measure: Measure, words: ChartWords): Said {
  return moneySaid(
    all.map((sums) => (sums === undefined ? undefined : (moneyOf(sums, measure) ?? undefined))),
    words,
  )
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
