import type { ReportSums } from '../../../shared/report.ts'
import type { DashboardText } from '../../text/dashboard.ts'
import type { Numbers } from '../numbers.ts'
import type { Cell, ChartTable, NumberKind } from '../page.ts'

/** What every chart is built with. */
export interface ChartWords {
  readonly text: DashboardText
  readonly numbers: Numbers
  /** Title of a refusal code; a code of a newer gate has none. */
  readonly refusalTitle: (code: string) => string
}

/** A table without rows. */
export const noTable: ChartTable = { columns: [], rows: [] }

/** A cell that is exported as it is read. */
export function textCell(text: string): Cell {
  return { text, raw: text }
}

/** A number that is read in the user's format and exported as it is. */
export function numberCell(numbers: Numbers, kind: NumberKind, value: number): Cell {
  return { text: numbers.of(kind, value), raw: value }
}

/** Columns by their names: the first ones are texts, the others numbers. */
export function columnsOf(texts: readonly string[], amounts: readonly string[]): ChartTable['columns'] {
  return [...texts.map((name) => ({ name, isNumber: false })), ...amounts.map((name) => ({ name, isNumber: true }))]
}

/** Euros of sums. Calls without a known price make them a floor, and are never shown as nothing. */
export function costText(sums: Pick<ReportSums, 'eur' | 'unpricedCalls'>, { text, numbers }: ChartWords): string {
  const shown = numbers.of('eur', sums.eur)
  if (sums.unpricedCalls === 0) return shown
  return sums.eur === 0 ? numbers.figures.unknownEur : text.floor(shown)
}

/** Uncached input, cache writes and output: what a sum over turns does not count again and again. */
export function newTokens(sums: Pick<ReportSums, 'input' | 'cacheWrite' | 'output'>): number {
  return sums.input + sums.cacheWrite + sums.output
}
