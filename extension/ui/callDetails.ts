import type { CallRow } from '../../shared/status.ts'
import { totalInput } from '../../shared/usage.ts'
import type { Text } from '../text/text.ts'
import { isUnpriced } from '../calls.ts'
import { spentOf } from './costText.ts'
import type { Figures } from './figures.ts'
import { oneLine } from './spendNode.ts'

/** One recorded call with everything that is known of it, as lines of a plain document. */
export function callDetails(row: CallRow, text: Text, figures: Figures): string {
  const { window } = text
  const place = [
    [window.callTime, figures.stamp(row.time)],
    [window.callTask, row.task],
    [window.callProject, row.project],
    [window.callClient, row.client],
    [text.tryIt.status, row.status === null ? row.outcome : String(row.status)],
  ].flatMap(([name, value]) => (name && value ? [[name, oneLine(value, 100)] as const] : []))
  const title = window.callTitle(oneLine(row.model, 100), row.upstream)
  return `${[title, aligned([...place, ...countedRows(row, text, figures)]).join('\n')].join('\n\n')}\n`
}

/** Name and value of each figure of a call. */
export function countedRows(row: CallRow, text: Text, figures: Figures): (readonly [string, string])[] {
  const { usage } = row
  return [
    [text.tryIt.estimatedInput, figures.whole(row.estimatedInput)],
    [text.tryIt.reportedInput, isReported(row) ? figures.whole(totalInput(usage)) : '–'],
    [text.tryIt.output, figures.whole(usage.output)],
    ...(usage.reasoning > 0 ? [[text.tryIt.reasoning, figures.whole(usage.reasoning)] as const] : []),
    [text.tryIt.reserved, figures.eur(row.reservedEur)],
    [text.tryIt.cost, priceText(row, text, figures)],
    ...(row.price === null ? [] : [[text.tryIt.price, row.price] as const]),
    [text.tryIt.settlement, row.settlement ?? '–'],
    ...(row.finish === null ? [] : [[text.tryIt.finish, oneLine(row.finish, 100)] as const]),
    ...(row.durationMs === null
      ? []
      : [[text.tryIt.duration, text.tryIt.milliseconds(figures.whole(row.durationMs))] as const]),
    ...(row.warnings.length === 0 ? [] : [[text.tryIt.warnings, row.warnings.join(', ')] as const]),
  ]
}

/** Only then are the row's tokens the provider's own count. */
export function isReported({ settlement }: CallRow): boolean {
  return settlement === 'exact'
}

/** A call without a price is never shown as `€0.00`. */
export function priceText(row: CallRow, text: Text, figures: Figures): string {
  const { eur, listPriceEur, price } = row
  if (listPriceEur > 0) return text.tryIt.listPrice(figures.eur(listPriceEur))
  if (isUnpriced(row)) return eur === 0 ? text.tryIt.unpriced : spentOf(eur, true, text, figures)
  return price === null && eur === 0 ? text.tryIt.free : figures.eur(eur)
}

/** Lines of two columns. */
export function aligned(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
}
