import type { Report, ReportRow, ReportSums } from '../../../shared/report.ts'
import { money, plural, tokenCount } from '../amounts.ts'
import { printable } from '../terminal.ts'

interface Column {
  readonly title: string
  readonly cell: (sums: ReportSums, row: ReportRow | null) => string
  /** Shown only where a sum of the report is not 0. */
  readonly isUsed?: (report: Report) => boolean
}

function columnsOf(currency: string): readonly Column[] {
  return [
    { title: 'calls', cell: ({ calls }) => String(calls) },
    {
      title: 'unpriced',
      cell: ({ unpricedCalls }) => String(unpricedCalls),
      isUsed: ({ totals }) => totals.unpricedCalls > 0,
    },
    { title: 'input', cell: ({ input }) => tokenCount(input) },
    { title: 'cache read', cell: ({ cacheRead }) => tokenCount(cacheRead) },
    { title: 'cache write', cell: ({ cacheWrite }) => tokenCount(cacheWrite) },
    { title: 'output', cell: ({ output }) => tokenCount(output) },
    { title: 'spent', cell: ({ eur, unpricedCalls }) => money(eur, currency, unpricedCalls > 0) },
    { title: 'share', cell: (_, row) => (row === null ? '' : `${(row.share * 100).toFixed(1)} %`) },
    {
      title: 'list price',
      cell: ({ listPriceEur }) => money(listPriceEur, currency),
      isUsed: ({ totals }) => totals.listPriceEur > 0,
    },
    {
      title: 'charged',
      cell: (_, row) => (row === null ? '' : money(row.chargedEur ?? 0, currency)),
      isUsed: ({ rows }) => rows.some((row) => (row.chargedEur ?? 0) > 0),
    },
  ]
}

/** The report for a person, as lines that end with a line feed. `source` says where it was read: `from …`. */
export function reportText(report: Report, source: string): string {
  const lines = [`Spend by ${report.by}, ${report.from} to ${report.to} ${report.timezone}, ${source}`, '']
  if (report.rows.length === 0) lines.push('No calls.')
  else {
    const columns = columnsOf(report.currency).filter(({ isUsed }) => isUsed === undefined || isUsed(report))
    lines.push(
      ...aligned([
        [report.by, ...columns.map(({ title }) => title)],
        ...report.rows.map((row) => [
          row.name === null ? `(no ${report.by})` : printable(row.name),
          ...columns.map(({ cell }) => cell(row, row)),
        ]),
        ['total', ...columns.map(({ cell }) => cell(report.totals, null))],
      ]),
    )
  }
  if (report.omittedRows > 0) lines.push('', `${plural(report.omittedRows, 'more row')} in the total: see --limit.`)
  if (report.by === 'task' && report.callsKeptSince !== null) {
    lines.push('', `Single calls are kept since ${report.callsKeptSince}; the sums are complete.`)
  }
  return `${lines.join('\n')}\n`
}

/** Columns two spaces apart: names to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
