import { csvText } from '../../../shared/csv.ts'
import { isBeyond, leastCoverage, toleratedDrift } from '../../../shared/reconciliation.ts'
import type { InvoiceUnit, ReconciliationSummary } from '../../../shared/reconciliation.ts'
import type { Comparison, ComparedTotal } from '../../reconcile/compare.ts'
import { nanoPerUsd } from '../../reconcile/invoice.ts'
import { plural, tokenCount } from '../amounts.ts'
import { columns } from '../statusText.ts'
import { cutTo, printable } from '../terminal.ts'

/** Widest name of a model in the table. */
const longestModel = 48

const classWords = {
  matched: 'matched',
  mismatch: 'mismatch',
  provider_only: 'provider only',
  local_only: 'local only',
} as const

/** The table for a person, as lines that end with a line feed. `red` marks the line that must not be overlooked. */
export function reconciliationText(
  comparison: Comparison,
  summary: ReconciliationSummary,
  notes: readonly string[],
  red: (line: string) => string,
): string {
  const { unit } = summary
  const hasTiers = comparison.models.some(({ tier }) => tier !== null)
  const row = (name: string, tier: string, figures: Pick<ComparedTotal, 'invoice' | 'local'>, ...more: string[]) => [
    name,
    ...(hasTiers ? [tier] : []),
    amountText(figures.invoice, unit),
    amountText(figures.local, unit),
    ratioText(figures.invoice, figures.local),
    ...more,
  ]
  const rows = comparison.models.map((model) =>
    row(
      cutTo(printable(model.model), longestModel),
      printable(model.tier ?? '-'),
      model,
      classWords[model.class],
      model.daysApart === 0 ? '' : `${model.daysApart} of ${plural(model.days, 'day')} apart`,
    ),
  )
  const lines = [
    `${summary.format} of ${printable(summary.provider)}, ${summary.from} to ${summary.to} (UTC days)`,
    '',
    ...columns([
      ['model', ...(hasTiers ? ['tier'] : []), 'invoice', 'ours', 'ratio', 'class', ''],
      ...rows,
      row('total', '', comparison),
    ]),
    '',
    `Coverage: ${summary.coverage === null ? 'nothing was invoiced' : `${percent(summary.coverage)} of the invoice`}. ${driftText(summary)}`,
  ]
  const warning = beyondText(summary)
  if (warning !== null) lines.push(red(warning))
  if (comparison.credits !== 0)
    lines.push(`Credits of ${amountText(-comparison.credits, unit)} are left out of the total.`)
  if (unit === 'usd' && comparison.local > 0 && comparison.estimated > 0)
    lines.push(
      `${percent(comparison.estimated / comparison.local)} of our figure is an estimate: the provider reported no usage.`,
    )
  return `${[...lines, ...notes].join('\n')}\n`
}

/** What has to be looked at, in one line; null where nothing has. */
export function beyondText(summary: ReconciliationSummary): string | null {
  if (!isBeyond(summary)) return null
  const { coverage, drift } = summary
  const isMissed = coverage !== null && coverage < leastCoverage
  return isMissed
    ? `Not all calls passed the gate, or not all of their cost was seen: ${percent(1 - coverage)} of the invoice is unknown here (at most ${percent(1 - leastCoverage)} is tolerated).`
    : `The drift is more than ${percent(toleratedDrift)}: ${drift === null ? 'we have nothing' : 'the prices or the counts differ'}.`
}

function driftText({ drift }: ReconciliationSummary): string {
  if (drift === null) return 'Drift: none can be said, we have nothing.'
  const change = drift - 1
  return `Drift: ${drift.toFixed(2)} (${change < 0 ? '-' : '+'}${percent(Math.abs(change))}).`
}

/** `$1.84`, four digits below a cent, or tokens as `1.2M`. */
export function amountText(amount: number, unit: InvoiceUnit): string {
  if (unit === 'tokens') return amount < 0 ? `-${tokenCount(-amount)}` : tokenCount(amount)
  const usd = Math.abs(amount) / nanoPerUsd
  return `${amount < 0 ? '-' : ''}$${usd !== 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`
}

function ratioText(invoice: number, local: number): string {
  return local > 0 ? (invoice / local).toFixed(2) : '-'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** Every day and model as CSV, in whole units of the export: dollars or tokens. Names are written as in every CSV of ours. */
export function reconciliationCsv({ rows }: Comparison, unit: InvoiceUnit): string {
  const scale = unit === 'usd' ? nanoPerUsd : 1
  const figure = (amount: number): string =>
    (amount / scale)
      .toFixed(unit === 'usd' ? 9 : 0)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  const lines = rows.map((row) => [
    row.day,
    csvText(printable(row.model)),
    csvText(printable(row.tier ?? '')),
    figure(row.invoice),
    figure(row.local),
    row.local > 0 ? (row.invoice / row.local).toFixed(4) : '',
    row.class,
  ])
  return [['day', 'model', 'tier', `invoice_${unit}`, `local_${unit}`, 'ratio', 'class'], ...lines]
    .map((line) => `${line.join(',')}\n`)
    .join('')
}
