import { csvText } from '../../shared/csv.ts'
import type { Cell, ChartTable } from './page.ts'

/**
 * A table as CSV (RFC 4180): a header, then a line per row. Numbers have a point and no separators, whatever the language; a
 * text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function csvOf({ columns, rows }: ChartTable): string {
  const lines = [columns.map(({ name }) => csvText(name)), ...rows.map((row) => row.map(field))]
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('')
}

function field({ raw }: Cell): string {
  return typeof raw === 'number' ? numberField(raw) : csvText(raw)
}

/** A plain decimal number: `5e-7` is not read by every program. */
function numberField(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(9).replace(/\.?0+$/, '') : text
}
