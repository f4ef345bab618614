import type { CallRow } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { isUnpriced } from '../calls.ts'
import { spentOf } from './costText.ts'
import type { Figures } from './figures.ts'
import { oneLine } from './spendNode.ts'

/** A column: its heading, and whether its cells stand at the right, as figures do. */
interface Column {
  readonly heading: string
  readonly isFigure: boolean
}

/**
 * A task's calls as plain text in aligned columns, the oldest first, with their sum: how the context grows is seen by reading
 * downwards. `name` is what a person calls the task; the id is said where the name does not hold it. `calls` come newest first, as the API gives them; `isCut` says that there may be older ones.
 */
export function callTable(
  { id, name }: { readonly id: string; readonly name: string },
  calls: readonly CallRow[],
  isCut: boolean,
  text: Text,
  figures: Figures,
): string {
  const { spend } = text
  const head = [
    spend.callsOfTask(name),
    ...(name.includes(id) ? [] : [spend.lineTask(oneLine(id, 160))]),
    ...(isCut ? [spend.newestOnly(figures.whole(calls.length))] : []),
    '',
  ]
  if (calls.length === 0) return [...head, spend.noCalls, ''].join('\n')
  const columns: readonly Column[] = [
    { heading: spend.columnTime, isFigure: false },
    { heading: spend.columnModel, isFigure: false },
    { heading: spend.columnNew, isFigure: true },
    { heading: spend.columnCached, isFigure: true },
    { heading: spend.columnOutput, isFigure: true },
    { heading: spend.columnCost, isFigure: true },
    { heading: spend.columnSeconds, isFigure: true },
    { heading: spend.columnEnd, isFigure: false },
    { heading: spend.columnNotes, isFigure: false },
  ]
  const rows = [...calls].reverse().map((call) => cellsOf(call, text, figures))
  const lines = [columns.map(({ heading }) => heading), ...rows, sumOf(calls, text, figures)]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))))
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + gap.length, -gap.length))
  const [top = '', ...below] = lines.map((line) => aligned(line, columns, widths))
  const sum = below.pop() ?? ''
  return [...head, top, rule, ...below, rule, sum, ''].join('\n')
}

const gap = '  '

function aligned(cells: readonly string[], columns: readonly Column[], widths: readonly number[]): string {
  return columns
    .map(({ isFigure }, column) => {
      const cell = cells[column] ?? ''
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(cell)))
      return isFigure ? padding + cell : cell + padding
    })
    .join(gap)
    .trimEnd()
}

/** Letters, not code units: a name may hold any. */
function lengthOf(cell: string): number {
  return Array.from(cell).length
}

function cellsOf(call: CallRow, text: Text, figures: Figures): readonly string[] {
  const { usage } = call
  const isRunning = call.state === 'reserved'
  const figure = (count: number): string => (isRunning ? '' : figures.whole(count))
  return [
    figures.stamp(call.time),
    oneLine(call.model, 48),
    figure(usage.input + usage.cacheWrite5m + usage.cacheWrite1h),
    figure(usage.cacheRead),
    figure(usage.output),
    isRunning ? '' : costOf(call, text, figures),
    call.durationMs === null ? '' : figures.amount(Math.round(call.durationMs / 100) / 10),
    isRunning ? text.spend.running : endOf(call),
    notesOf(call),
  ]
}

/** What was spent, or what a subscription's call would have cost. A call without a price is never shown as `€0.00`. */
function costOf(call: CallRow, text: Text, figures: Figures): string {
  const { eur, listPriceEur } = call
  return listPriceEur > 0 ? text.atListPrice(figures.eur(listPriceEur)) : spentOf(eur, isUnpriced(call), text, figures)
}

/** The provider's own word for how the answer ended, else what became of the call. */
function endOf({ outcome, finish, status }: CallRow): string {
  const end = outcome === null || outcome === 'ok' ? (finish ?? outcome ?? '') : outcome
  return oneLine(status !== null && status >= 400 ? `${status} ${end}` : end, 40)
}

/** Codes as the documentation has them: how it was settled, where not as reported, and warnings. */
function notesOf({ settlement, warnings, isRetry }: CallRow): string {
  const settled = settlement === null || settlement === 'exact' ? [] : [settlement]
  return [...settled, ...(isRetry ? ['retry'] : []), ...warnings].map((note) => oneLine(note, 40)).join(', ')
}

function sumOf(calls: readonly CallRow[], text: Text, figures: Figures): readonly string[] {
  const settled = calls.filter(({ state }) => state === 'settled')
  const sum = (of: (call: CallRow) => number): number => settled.reduce((total, call) => total + of(call), 0)
  const eur = sum((call) => call.eur)
  const listed = sum((call) => call.listPriceEur)
  const spent = spentOf(eur, settled.some(isUnpriced), text, figures)
  return [
    text.spend.sum,
    '',
    figures.whole(sum(({ usage }) => usage.input + usage.cacheWrite5m + usage.cacheWrite1h)),
    figures.whole(sum(({ usage }) => usage.cacheRead)),
    figures.whole(sum(({ usage }) => usage.output)),
    listed === 0 ? spent : text.sumOf(spent, text.atListPrice(figures.eur(listed))),
    '',
    '',
    '',
  ]
}
