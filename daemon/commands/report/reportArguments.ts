import { reportGroups } from '../../../shared/report.ts'
import type { ReportGroup } from '../../../shared/report.ts'
import { isDay, mostReportDays, mostReportRows } from '../../control/report.ts'

/** What `tollgate report` is asked to print. Null: the daemon's own default. */
export interface ReportAsk {
  readonly by: ReportGroup
  readonly from: string | null
  readonly to: string | null
  readonly days: number | null
  readonly limit: number
  readonly format: 'table' | 'csv' | 'json'
}

/** Rows of a table for a person; what a program reads is complete. */
const tableRows = 50

/** Reads the options of `report`; a string is what is wrong with them, in one sentence. */
export function readReport(
  option: (name: string) => string | null,
  isSet: (name: string) => boolean,
): ReportAsk | string {
  const asked = option('by') ?? 'model'
  const by = reportGroups.find((group) => group === asked)
  if (by === undefined) return `--by must be one of ${reportGroups.join(', ')}, not "${asked}".`
  for (const name of ['from', 'to']) {
    const day = option(name)
    if (day !== null && !isDay(day)) return `--${name} must be a day such as 2026-11-30, not "${day}".`
  }
  const [from, to] = [option('from'), option('to')]
  if (from !== null && to !== null && from > to) return '--from must not be after --to.'
  const days = wholeNumber(option('days'), mostReportDays)
  if (days === undefined)
    return `--days must be a whole number from 1 to ${mostReportDays}, not "${option('days') ?? ''}".`
  if (days !== null && from !== null) return 'Give either --from or --days, not both.'
  if (isSet('csv') && isSet('json')) return 'Give either --csv or --json, not both.'
  const format = isSet('csv') ? 'csv' : isSet('json') ? 'json' : 'table'
  const limit = wholeNumber(option('limit'), mostReportRows)
  if (limit === undefined) {
    return `--limit must be a whole number from 1 to ${mostReportRows}, not "${option('limit') ?? ''}".`
  }
  return { by, from, to, days, limit: limit ?? (format === 'table' ? tableRows : mostReportRows), format }
}

/** Null where nothing was given, undefined where it is no number from 1 to `most`. */
function wholeNumber(text: string | null, most: number): number | null | undefined {
  if (text === null) return null
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= most ? value : undefined
}
