import type { Config } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { ReportSums } from '../../shared/report.ts'
import { mostSeriesDays, seriesGroups, seriesUnits } from '../../shared/series.ts'
import type { Series, SeriesGroup, SeriesPoint, SeriesRow, SeriesUnit } from '../../shared/series.ts'
import { dayKey, isoWithOffset } from '../budget/windows.ts'
import type { BucketSums, Ledger, SpendSums } from '../ledger/ledger.ts'
import { quarterMs } from '../ledger/seriesReader.ts'
import { readReportQuery } from './report.ts'

/** A series that was asked for, with the days that hold. */
export interface SeriesQuery {
  readonly unit: SeriesUnit
  readonly by: SeriesGroup
  readonly from: string
  readonly to: string
}

/** What a series is read from. */
export interface SeriesParts {
  readonly ledger: Pick<Ledger, 'series' | 'quarters' | 'callsKeptSince'>
  readonly config: Pick<Config, 'timezone' | 'currency'>
  readonly nowMs: number
}

/** Names that have a row of their own; the others are summed up in one. */
export const mostSeriesRows = 40

const defaultDays: Readonly<Record<SeriesUnit, number>> = { hour: 1, day: 30, month: 365 }
const dayMs = 86_400_000

/** Reads the parameters of a series: those of a report, and `unit`. A string is what is wrong with them. */
export function readSeriesQuery(parameter: (name: string) => string | null, today: string): SeriesQuery | string {
  const askedUnit = parameter('unit') ?? 'day'
  const unit = seriesUnits.find((one) => one === askedUnit)
  if (unit === undefined) return `unit must be one of ${seriesUnits.join(', ')}.`
  const askedBy = parameter('by') ?? 'model'
  const by = seriesGroups.find((group) => group === askedBy)
  if (by === undefined) return `by must be one of ${seriesGroups.join(', ')}.`
  const isOpen = parameter('from') === null && parameter('days') === null
  const range = readReportQuery(
    (name) => (name === 'days' && isOpen ? String(defaultDays[unit]) : name === 'limit' ? null : parameter(name)),
    today,
  )
  if (typeof range === 'string') return range
  const { from, to } = range
  if ((Date.parse(to) - Date.parse(from)) / dayMs >= mostSeriesDays[unit])
    return `A series by ${unit} has at most ${mostSeriesDays[unit]} days.`
  return { unit, by, from, to }
}

/**
 * Spend over time. Hours are read from the calls, a day of them at a time, and `pause` lets other work pass in between. Throws
 * LedgerUnavailable.
 */
export async function spendSeries(
  parts: SeriesParts,
  query: SeriesQuery,
  pause: () => Promise<unknown>,
): Promise<Series> {
  const { ledger, config } = parts
  const { unit, by, from, to } = query
  const filter = { by, fromDay: from, toDay: to }
  const buckets = unit === 'hour' ? hoursOf(query, config.timezone, parts.nowMs) : calendarBuckets(query)
  const found =
    unit === 'hour'
      ? await hourSums(parts, filter, buckets, pause)
      : placed(ledger.series({ ...filter, unit }), buckets)
  const { rows, others, totals } = foldSeries(found)
  return {
    ...query,
    timezone: config.timezone,
    currency: config.currency.code,
    buckets,
    rows,
    others,
    totals,
    callsKeptSince: ledger.callsKeptSince(),
  }
}

/** Sums at a place in the list of buckets. */
type PlacedSums = Omit<BucketSums<number>, 'bucket'> & { readonly at: number }

async function hourSums(
  { ledger, config, nowMs }: SeriesParts,
  filter: Parameters<Ledger['quarters']>[0],
  hours: readonly string[],
  pause: () => Promise<unknown>,
): Promise<readonly PlacedSums[]> {
  const found: PlacedSums[] = []
  const places = new Map(hours.map((hour, at) => [hour, at]))
  const firstMs = Date.parse(hours[0] ?? '')
  // A day too much at both ends: a zone that was changed, and a clock that was set back, leave calls outside of their day.
  const endMs = Math.min(Date.parse(filter.toDay) + 3 * dayMs, nowMs)
  for (let sinceMs = Date.parse(filter.fromDay) - dayMs; sinceMs <= endMs; sinceMs += dayMs) {
    const untilMs = sinceMs + dayMs > nowMs ? null : sinceMs + dayMs
    for (const { bucket, name, sums } of ledger.quarters(filter, { sinceMs, untilMs })) {
      const atMs = bucket * quarterMs
      const nearest = atMs < firstMs ? 0 : hours.length - 1
      found.push({ at: places.get(hourOf(atMs, config.timezone)) ?? nearest, name, sums })
    }
    await pause()
  }
  return found
}

function placed(sums: readonly BucketSums<string>[], buckets: readonly string[]): readonly PlacedSums[] {
  const places = new Map(buckets.map((bucket, at) => [bucket, at]))
  return sums.map(({ bucket, ...one }) => ({ ...one, at: places.get(bucket) ?? buckets.length - 1 }))
}

/** The hours of the zone in the period up to now; never none. */
function hoursOf({ from, to }: SeriesQuery, zone: string, nowMs: number): readonly string[] {
  const hours = new Set<string>()
  const endMs = Math.min(Date.parse(to) + 2 * dayMs, nowMs)
  for (let atMs = Date.parse(from) - dayMs; atMs <= endMs; atMs += quarterMs) {
    const day = dayKey(atMs, zone)
    if (day >= from && day <= to) hours.add(hourOf(atMs, zone))
  }
  // The day may have begun before the clock says so.
  if (hours.size === 0) hours.add(hourOf(nowMs, zone))
  return [...hours]
}

/** Begin of the zone's hour, which is not the one of UTC where the offset has minutes. */
function hourOf(atMs: number, zone: string): string {
  const iso = isoWithOffset(atMs, zone)
  return `${iso.slice(0, 13)}:00:00${iso.slice(19)}`
}

function calendarBuckets({ unit, from, to }: SeriesQuery): readonly string[] {
  const length = unit === 'day' ? 10 : 7
  const buckets = new Set<string>()
  for (let atMs = Date.parse(from); atMs <= Date.parse(to); atMs += dayMs) {
    buckets.add(new Date(atMs).toISOString().slice(0, length))
  }
  return [...buckets]
}

interface Entry {
  totals: SpendSums
  readonly points: Map<number, SpendSums>
}

/** Names by what they cost, each with its buckets in order; what is beyond the limit becomes one. Pure. */
export function foldSeries(found: readonly PlacedSums[]): Pick<Series, 'rows' | 'others' | 'totals'> {
  const entries = new Map<string | null, Entry>()
  let totals = noSums
  for (const { at, name, sums } of found) {
    addTo(entryOf(entries, name), at, sums)
    totals = plus(totals, sums)
  }
  const dearest = [...entries].sort(
    ([leftName, { totals: left }], [rightName, { totals: right }]) =>
      right.nanoEur - left.nanoEur ||
      right.listNanoEur - left.listNanoEur ||
      right.calls - left.calls ||
      ((leftName ?? '') < (rightName ?? '') ? -1 : 1),
  )
  const rest = dearest.slice(mostSeriesRows)
  const folded: Entry = { totals: noSums, points: new Map() }
  for (const [, entry] of rest) for (const [at, sums] of entry.points) addTo(folded, at, sums)
  return {
    rows: dearest.slice(0, mostSeriesRows).map(([name, entry]): SeriesRow => ({ name, ...shown(entry) })),
    others: rest.length === 0 ? null : { names: rest.length, ...shown(folded) },
    totals: decimal(totals),
  }
}

const noSums: SpendSums = {
  calls: 0,
  unpricedCalls: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  nanoEur: 0,
  listNanoEur: 0,
}

function entryOf(entries: Map<string | null, Entry>, name: string | null): Entry {
  const known = entries.get(name)
  if (known !== undefined) return known
  const entry: Entry = { totals: noSums, points: new Map() }
  entries.set(name, entry)
  return entry
}

function addTo(entry: Entry, at: number, sums: SpendSums): void {
  entry.totals = plus(entry.totals, sums)
  entry.points.set(at, plus(entry.points.get(at) ?? noSums, sums))
}

function plus(left: SpendSums, right: SpendSums): SpendSums {
  return {
    calls: left.calls + right.calls,
    unpricedCalls: left.unpricedCalls + right.unpricedCalls,
    input: left.input + right.input,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    output: left.output + right.output,
    nanoEur: left.nanoEur + right.nanoEur,
    listNanoEur: left.listNanoEur + right.listNanoEur,
  }
}

function shown({ totals, points }: Entry): Omit<SeriesRow, 'name'> {
  return {
    totals: decimal(totals),
    points: [...points]
      .sort(([left], [right]) => left - right)
      .map(([at, sums]): SeriesPoint => ({ at, ...decimal(sums) })),
  }
}

function decimal({ nanoEur, listNanoEur, ...counts }: SpendSums): ReportSums {
  return { ...counts, eur: eurFromNano(nanoEur), listPriceEur: eurFromNano(listNanoEur) }
}
