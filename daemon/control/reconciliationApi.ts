import { isBeyond, reconciliationClasses } from '../../shared/reconciliation.ts'
import type { ComparedModel, DriftStatus, ReconciliationSummary } from '../../shared/reconciliation.ts'
import type { Gate } from '../gate.ts'
import type { KeptReconciliation } from '../ledger/ledger.ts'
import { isRecord } from './requests.ts'
import { readDayRange } from './usageByDay.ts'

const mostModels = 200
const longestText = 128
const mostAmount = 1e15
const largestRatio = 1e12

/** Models that the event names: those that are furthest from the invoice. */
const mostNamed = 5

/** Reads `POST /api/reconciliations`; a string is what is wrong with it. */
export function readReconciliation(value: unknown): ReconciliationSummary | string {
  if (!isRecord(value)) return 'The body must be a JSON object: the summary of a reconciliation.'
  const { provider, format, unit, from, to, invoice, local, drift, coverage, models } = value
  if (!isText(provider)) return `provider must be a text of 1 to ${longestText} characters.`
  if (!isText(format)) return `format must be a text of 1 to ${longestText} characters.`
  if (unit !== 'usd' && unit !== 'tokens') return 'unit must be usd or tokens.'
  const range = readDayRange(typeof from === 'string' ? from : null, typeof to === 'string' ? to : null)
  if (typeof range === 'string') return range
  if (!isAmount(invoice) || !isAmount(local)) return 'invoice and local must be numbers.'
  if (!isRatio(drift)) return 'drift must be a number or null.'
  if (!isRatio(coverage) || (coverage !== null && (coverage < 0 || coverage > 1)))
    return 'coverage must be a number from 0 to 1 or null.'
  if (!Array.isArray(models) || models.length > mostModels) return `models must be a list of at most ${mostModels}.`
  const read: ComparedModel[] = []
  for (const [at, one] of models.entries()) {
    const model = readModel(one)
    if (model === null) return `models[${at}] must have model, tier, invoice, local, ratio and class.`
    read.push(model)
  }
  return { provider, format, unit, ...range, invoice, local, drift, coverage, models: read }
}

function readModel(value: unknown): ComparedModel | null {
  if (!isRecord(value)) return null
  const { model, tier, invoice, local, ratio } = value
  const found = reconciliationClasses.find((one) => one === value['class'])
  if (!isText(model) || (tier !== null && !isText(tier)) || found === undefined) return null
  if (!isAmount(invoice) || !isAmount(local)) return null
  if (!isRatio(ratio)) return null
  return { model, tier, invoice, local, ratio, class: found }
}

/** What a reconciliation was taken for. */
export interface ReconciliationAnswer {
  readonly beyond: boolean
  /** False where the last reconciliation said the same, so that nothing is said twice. */
  readonly isNew: boolean
}

/** Keeps a reconciliation, and says what is beyond tolerance: once, however often the same file is read. */
export function keepReconciliation(
  gate: Pick<Gate, 'ledger' | 'events' | 'nowMs'>,
  summary: ReconciliationSummary,
): ReconciliationAnswer {
  const last = gate.ledger
    .reconciliations()
    .find(({ summary: one }) => one.provider === summary.provider && one.unit === summary.unit)
  const beyond = isBeyond(summary)
  const isNew = last === undefined || !saysTheSame(last.summary, summary)
  gate.ledger.saveReconciliation(summary, gate.nowMs())
  if (beyond && isNew) {
    const { provider, unit, from, to, invoice, local, drift, coverage } = summary
    const models = summary.models
      .filter((one) => one.class !== 'matched')
      .sort((one, other) => Math.abs(other.invoice - other.local) - Math.abs(one.invoice - one.local))
      .slice(0, mostNamed)
    gate.events.emit('price_drift', { provider, unit, from, to, invoice, local, drift, coverage, models })
  }
  return { beyond, isNew }
}

function saysTheSame(one: ReconciliationSummary, other: ReconciliationSummary): boolean {
  const said = ({ from, to, invoice, local, coverage }: ReconciliationSummary): string =>
    JSON.stringify([from, to, invoice.toFixed(6), local.toFixed(6), coverage?.toFixed(4)])
  return said(one) === said(other)
}

/** The last reconciliations as the status shows them. */
export function driftStatus(kept: readonly KeptReconciliation[]): readonly DriftStatus[] {
  return kept.map(({ atMs, summary }) => {
    const { provider, unit, from, to, drift, coverage } = summary
    return { time: new Date(atMs).toISOString(), provider, unit, from, to, drift, coverage, beyond: isBeyond(summary) }
  })
}

/** Models of one reconciliation that have a series of their own. */
const mostSeries = 100

/** Readings of the metric: invoice divided by ours, +Inf where we have nothing. Only money, and each series once. */
export function driftReadings(
  kept: readonly KeptReconciliation[],
): readonly { readonly value: number; readonly labels: Readonly<Record<string, string>> }[] {
  const series = new Map<string, { readonly value: number; readonly labels: Readonly<Record<string, string>> }>()
  for (const { summary } of kept) {
    if (summary.unit !== 'usd') continue
    for (const { model, tier, ratio } of summary.models.slice(0, mostSeries)) {
      const labels = { provider: summary.provider, model, tier: tier ?? '' }
      const key = JSON.stringify(labels)
      if (!series.has(key)) series.set(key, { value: ratio ?? Infinity, labels })
    }
  }
  return [...series.values()]
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestText
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= mostAmount
}

function isRatio(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Math.abs(value) <= largestRatio)
}
