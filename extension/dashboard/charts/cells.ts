import type { ReportSums } from '../../../shared/report.ts'
import type { DashboardText } from '../../text/dashboard.ts'
import type { Numbers } from '../numbers.ts'
import type { Cell, ChartTable, NumberKind, Said } from '../page.ts'

/** What every chart is built with. */
export interface ChartWords {
  readonly text: DashboardText
  readonly numbers: Numbers
  /** Title of a refusal code; a code of a newer gate has none. */
  readonly refusalTitle: (code: string) => string
  /** What stands in the place of a chart whose figures were not read: that they come, or that they are not known. */
  readonly unread: string
}

/** Euros with the number of calls in them whose price is not known: those make the amount a floor. */
export interface Money {
  readonly eur: number
  readonly unpricedCalls: number
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

/** Euros to read. Calls without a known price are never shown as nothing. */
export function moneyText(money: Money, { text, numbers }: ChartWords): string {
  if (isUnknown(money)) return numbers.figures.unknownEur
  const shown = numbers.of('eur', money.eur)
  return money.unpricedCalls === 0 ? shown : text.floor(shown)
}

/** A cell with euros. One that is not known is empty in an export, so that nobody adds it up as nothing. */
export function moneyCell(money: Money, words: ChartWords): Cell {
  return { text: moneyText(money, words), raw: isUnknown(money) ? '' : money.eur }
}

/** What is read at the places where an amount is a floor or is not known. */
export function moneySaid(amounts: readonly (Money | undefined)[], words: ChartWords): Said {
  return amounts.flatMap((money, at) =>
    money !== undefined && money.unpricedCalls > 0 ? [{ at, text: moneyText(money, words) }] : [],
  )
}

function isUnknown({ eur, unpricedCalls }: Money): boolean {
  return eur === 0 && unpricedCalls > 0
}

/** Uncached input, cache writes and output: what a sum over turns does not count again and again. */
export function newTokens(sums: Pick<ReportSums, 'input' | 'cacheWrite' | 'output'>): number {
  return sums.input + sums.cacheWrite + sums.output
}
