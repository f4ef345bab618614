import { csvText } from '../../../shared/csv.ts'
import { eurText, nanoFromEur } from '../../../shared/money.ts'
import type { Report, ReportRow } from '../../../shared/report.ts'

/**
 * The rows of a report as CSV (RFC 4180): a header, one line per row, no line for the totals, so that a sum over a column is
 * right. Amounts have all their digits and a point; one of which nothing is known, because no call in it has a known price, is
 * empty. A name that a spreadsheet would take for a formula begins with an apostrophe. Calls without a task or project have an
 * empty name.
 */
export function reportCsv(report: Report): string {
  const isByTask = report.by === 'task'
  const header = [
    report.by,
    'calls',
    'unpricedCalls',
    'input',
    'cacheRead',
    'cacheWrite',
    'output',
    'eur',
    'listPriceEur',
    'share',
    ...(isByTask ? ['chargedEur'] : []),
  ]
  const line = (row: ReportRow): readonly string[] => [
    csvText(row.name ?? ''),
    ...[row.calls, row.unpricedCalls, row.input, row.cacheRead, row.cacheWrite, row.output].map(String),
    ...[row.eur, row.listPriceEur].map((eur) => (isUnknown(row, eur) ? '' : amountCell(eur))),
    isUnknown(row, row.eur) ? '' : row.share.toFixed(6),
    ...(isByTask ? [amountCell(row.chargedEur ?? 0)] : []),
  ]
  return [header, ...report.rows.map(line)].map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Calls without a known price add nothing to an amount, so that 0 may be anything. */
function isUnknown({ unpricedCalls }: ReportRow, eur: number): boolean {
  return unpricedCalls > 0 && eur === 0
}

function amountCell(eur: number): string {
  return eurText(nanoFromEur(eur))
}
