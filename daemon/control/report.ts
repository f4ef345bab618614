import type { Config } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import { reportGroups } from '../../shared/report.ts'
import type { Report, ReportGroup, ReportRow, ReportSums } from '../../shared/report.ts'
import type { Ledger, SpendSums } from '../ledger/ledger.ts'

/** A report that was asked for, with the days that hold. */
export interface ReportQuery {
  readonly by: ReportGroup
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** Most rows that one answer has. */
export const mostReportRows = 10_000

/** Most days that one report may have. */
export const mostReportDays = 3660

const defaultDays = 30
const defaultRows = 1000
const dayMs = 86_400_000

/**
 * Reads the parameters of a report; a string is what is wrong with them. `today` is the current day of the zone.
 * `days` counts back from `to`, that day included, and stands instead of `from`.
 */
export function readReportQuery(parameter: (name: string) => string | null, today: string): ReportQuery | string {
  const asked = parameter('by') ?? 'model'
  const by = reportGroups.find((group) => group === asked)
  if (by === undefined) return `by must be one of ${reportGroups.join(', ')}.`
  for (const name of ['from', 'to'] as const) {
    const day = parameter(name)
    if (day !== null && !isDay(day)) return `${name} must be a day such as 2026-11-30.`
  }
  const days = wholeNumber(parameter('days') ?? String(defaultDays), mostReportDays)
  if (days === null) return `days must be a whole number from 1 to ${mostReportDays}.`
  if (parameter('days') !== null && parameter('from') !== null) return 'Give either from or days, not both.'
  const to = parameter('to') ?? today
  const from = parameter('from') ?? daysBefore(to, days - 1)
  if (from > to) return `from must not be after ${parameter('to') === null ? 'today' : 'to'}.`
  if (daysBefore(to, mostReportDays - 1) > from) return `A report has at most ${mostReportDays} days.`
  const limit = wholeNumber(parameter('limit') ?? String(defaultRows), mostReportRows)
  if (limit === null) return `limit must be a whole number from 1 to ${mostReportRows}.`
  return { by, from, to, limit }
}

/** The report as the API gives it. Throws LedgerUnavailable. */
export function spendReport(
  ledger: Pick<Ledger, 'report'>,
  config: Pick<Config, 'tenant' | 'timezone' | 'currency'>,
  { by, from, to, limit }: ReportQuery,
): Report {
  const found = ledger.report({ by, fromDay: from, toDay: to, tenant: config.tenant, mostRows: limit })
  const { nanoEur } = found.totals
  const rows = found.rows.map(({ name, sums, chargedNanoEur }): ReportRow => ({
    name,
    ...decimalSums(sums),
    share: nanoEur === 0 ? 0 : sums.nanoEur / nanoEur,
    ...(by === 'task' ? { chargedEur: eurFromNano(chargedNanoEur) } : {}),
  }))
  return {
    by,
    from,
    to,
    timezone: config.timezone,
    currency: config.currency.code,
    rows,
    omittedRows: found.omittedRows,
    totals: decimalSums(found.totals),
    callsKeptSince: found.callsKeptSince,
  }
}

function decimalSums({ nanoEur, listNanoEur, ...counts }: SpendSums): ReportSums {
  return { ...counts, eur: eurFromNano(nanoEur), listPriceEur: eurFromNano(listNanoEur) }
}

/** True for a date of the calendar that is written as `2026-11-30`. */
export function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d{2}-\d{2}$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  // A date such as 02-30 is read as a day of March.
  return !Number.isNaN(ms) && dayText(ms) === text
}

/** The date that lies `days` days before another. */
function daysBefore(day: string, days: number): string {
  return dayText(Date.parse(`${day}T00:00:00Z`) - days * dayMs)
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function wholeNumber(text: string, most: number): number | null {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= most ? value : null
}
