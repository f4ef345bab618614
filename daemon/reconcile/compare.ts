import type { ReconciliationClass, ReconciliationSummary, UsageOfDay } from '../../shared/reconciliation.ts'
import { toleratedDifference } from '../../shared/reconciliation.ts'
import { nanoPerUsd } from './invoice.ts'
import type { Invoice, InvoiceRow } from './invoice.ts'
import type { ModelKey } from './modelKeys.ts'

/** Both figures of one thing as integers: nano-dollar or tokens. */
export interface Figures {
  readonly invoice: number
  readonly local: number
  readonly class: ReconciliationClass
}

/** One model or line item of one UTC day. */
export interface ComparedDay extends Figures {
  readonly day: string
  readonly model: string
  /** True for a line item that is no model's tokens. */
  readonly isItem: boolean
  readonly tier: string | null
}

/** The same over the whole period. */
export interface ComparedTotal extends Omit<ComparedDay, 'day'> {
  /** Days with either figure, and those of them that are not matched. */
  readonly days: number
  readonly daysApart: number
  /** What was asked for under this name, for a correction of its price. */
  readonly localModels: readonly string[]
}

/** A reconciliation. Amounts are integers in the invoice's unit. */
export interface Comparison {
  readonly rows: readonly ComparedDay[]
  /** The largest invoice first. */
  readonly models: readonly ComparedTotal[]
  /** Totals without credits. */
  readonly invoice: number
  readonly local: number
  /** Credits of the invoice that belong to no model, <= 0. */
  readonly credits: number
  /** Invoice divided by ours; null where we have nothing. */
  readonly drift: number | null
  /** Share of the invoice that we saw; null where the invoice is 0. */
  readonly coverage: number | null
  /** The part of ours that no provider reported. */
  readonly estimated: number
}

/** What is compared: an export, our calls of the same provider, and how names are put together. */
export interface CompareInput {
  readonly invoice: Invoice
  readonly usage: readonly UsageOfDay[]
  readonly from: string
  readonly to: string
  readonly keyOf: (model: string) => ModelKey
}

/** The name of what an export does not tell apart. */
export const allModels = 'all models'

/** Figures that differ by at most this share are equal. */
const matchedShare = 0.01

/**
 * Compares by UTC day and model. Both sides are integers, and a figure of a credit that belongs to no model is left out of
 * drift and coverage: it changes what is paid, not what the calls cost.
 */
export function compare(input: CompareInput): Comparison {
  const { invoice, from, to } = input
  const rows = invoice.rows.filter(({ day }) => from <= day && day <= to)
  const usage = input.usage.filter(({ day }) => from <= day && day <= to)
  const { scale, slack } = measure(invoice)
  const byDay = new Sums()
  const namesOf = localNames(input, rows)
  const byModel = rows.length === 0 || rows.some(({ model }) => model !== null)
  const tiers = new Set(rows.map(({ tier }) => tier))
  for (const row of rows) {
    const tier = invoice.tiers === 'none' || row.item !== null ? null : (row.tier ?? 'standard')
    if (row.item !== null) byDay.add(row.day, row.item, true, tier, row.amount, 0)
    else if (row.model === null && row.amount < 0) byDay.add(row.day, credit, true, null, row.amount, 0)
    else if (row.model === null)
      byDay.add(row.day, byModel ? 'no model named' : allModels, byModel, byModel ? null : tier, row.amount, 0)
    else byDay.add(row.day, input.keyOf(row.model).key, false, tier, row.amount, 0)
  }
  let estimated = 0
  for (const entry of usage) {
    const model = byModel ? namesOf(entry) : allModels
    // A tier that the export never names is inside its ordinary rows.
    const ownTier = invoice.tiers === 'all' || tiers.has(entry.tier) ? entry.tier : 'standard'
    const tier = invoice.tiers === 'none' ? null : ownTier
    const amount = invoice.unit === 'tokens' ? entry.inputTokens + entry.outputTokens : Math.round(entry.usd * scale)
    let tokens = amount
    for (const [tool, usd] of Object.entries(invoice.unit === 'usd' && invoice.itemizesTools ? entry.toolUsd : {})) {
      const fee = Math.min(tokens, Math.round(usd * scale))
      tokens -= fee
      if (fee !== 0) byDay.add(entry.day, tool, true, null, 0, fee)
    }
    if (tokens !== 0) byDay.add(entry.day, model, false, tier, 0, tokens, entry.model)
    estimated += invoice.unit === 'usd' ? Math.round(entry.estimatedUsd * scale) : 0
  }
  return { ...totalsOf(byDay, slack), estimated }
}

const credit = 'credit'

function measure({ unit }: Invoice): { readonly scale: number; readonly slack: number } {
  const scale = unit === 'usd' ? nanoPerUsd : 1
  return { scale, slack: toleratedDifference[unit] * scale }
}

/**
 * The name of our calls of a model: what the provider called it in its answer, or what was asked for where only that is in the
 * export.
 */
function localNames({ keyOf }: CompareInput, rows: readonly InvoiceRow[]): (entry: UsageOfDay) => string {
  const invoiced = new Set(rows.flatMap(({ model }) => (model === null ? [] : [keyOf(model).key])))
  return ({ model, responseModel }) => {
    const asked = keyOf(model)
    const served = responseModel === null ? asked : keyOf(responseModel)
    if (invoiced.has(served.key)) return served.key
    if (invoiced.has(asked.key)) return asked.key
    return served.known || !asked.known ? served.key : asked.key
  }
}

interface Sum {
  readonly day: string
  readonly model: string
  readonly isItem: boolean
  readonly tier: string | null
  invoice: number
  local: number
  readonly localModels: Set<string>
}

class Sums {
  readonly #sums = new Map<string, Sum>()

  add(
    day: string,
    model: string,
    isItem: boolean,
    tier: string | null,
    invoice: number,
    local: number,
    localModel?: string,
  ): void {
    const key = JSON.stringify([day, model, isItem, tier])
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      sum = { day, model, isItem, tier, invoice: 0, local: 0, localModels: new Set() }
      this.#sums.set(key, sum)
    }
    sum.invoice += invoice
    sum.local += local
    if (localModel !== undefined) sum.localModels.add(localModel)
  }

  values(): readonly Sum[] {
    return [...this.#sums.values()]
  }
}

function classOf(invoice: number, local: number, slack: number): ReconciliationClass {
  const apart = Math.abs(invoice - local)
  if (apart <= slack || apart <= matchedShare * Math.max(Math.abs(invoice), local)) return 'matched'
  if (local === 0) return 'provider_only'
  return invoice === 0 ? 'local_only' : 'mismatch'
}

function totalsOf(byDay: Sums, slack: number): Omit<Comparison, 'estimated'> {
  const rows = byDay.values().map(({ localModels: _, ...row }): ComparedDay => ({
    ...row,
    class: classOf(row.invoice, row.local, slack),
  }))
  rows.sort(
    (one, other) =>
      order(one.day, other.day) || order(one.model, other.model) || order(one.tier ?? '', other.tier ?? ''),
  )
  const overall = new Sums()
  const counts = new Map<string, { days: number; apart: number }>()
  for (const { model, isItem, tier, invoice, local, localModels } of byDay.values()) {
    overall.add('', model, isItem, tier, invoice, local)
    for (const name of localModels) overall.add('', model, isItem, tier, 0, 0, name)
    const key = JSON.stringify([model, isItem, tier])
    const count = counts.get(key) ?? { days: 0, apart: 0 }
    counts.set(key, count)
    count.days += 1
    if (classOf(invoice, local, slack) !== 'matched') count.apart += 1
  }
  const models = overall.values().map(({ day: _, localModels, ...sum }): ComparedTotal => {
    const count = counts.get(JSON.stringify([sum.model, sum.isItem, sum.tier]))
    return {
      ...sum,
      class: classOf(sum.invoice, sum.local, slack),
      days: count?.days ?? 0,
      daysApart: count?.apart ?? 0,
      localModels: [...localModels].sort(order),
    }
  })
  models.sort((one, other) => other.invoice - one.invoice || other.local - one.local || order(one.model, other.model))
  const isCredit = ({ isItem, invoice }: ComparedTotal): boolean => isItem && invoice < 0
  const counted = models.filter((model) => !isCredit(model))
  const sum = (pick: (model: ComparedTotal) => number, of = counted): number =>
    of.reduce((all, one) => all + pick(one), 0)
  const [invoice, local] = [sum((one) => one.invoice), sum((one) => one.local)]
  return {
    rows,
    models,
    invoice,
    local,
    credits: sum((one) => one.invoice, models.filter(isCredit)),
    drift: local > 0 ? invoice / local : null,
    coverage: coverageOf(counted),
  }
}

/** Money that we saw of what was invoiced, model by model, so that one that we overstate hides none that we missed (D18). */
function coverageOf(models: readonly ComparedTotal[]): number | null {
  const byModel = new Map<string, { invoice: number; local: number }>()
  for (const { model, isItem, invoice, local } of models) {
    const key = JSON.stringify([model, isItem])
    const sum = byModel.get(key) ?? { invoice: 0, local: 0 }
    byModel.set(key, sum)
    sum.invoice += invoice
    sum.local += local
  }
  let [seen, invoiced] = [0, 0]
  for (const { invoice, local } of byModel.values()) {
    invoiced += Math.max(0, invoice)
    seen += Math.max(0, Math.min(invoice, local))
  }
  return invoiced > 0 ? seen / invoiced : null
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Most models of a summary: the largest; the totals have all. */
const mostModels = 200

/** A comparison as the daemon keeps it. */
export function summaryOf(
  comparison: Comparison,
  invoice: Pick<Invoice, 'format' | 'unit'>,
  about: Pick<ReconciliationSummary, 'provider' | 'from' | 'to'>,
): ReconciliationSummary {
  const scale = invoice.unit === 'usd' ? nanoPerUsd : 1
  return {
    ...about,
    format: invoice.format,
    unit: invoice.unit,
    invoice: comparison.invoice / scale,
    local: comparison.local / scale,
    drift: comparison.drift,
    coverage: comparison.coverage,
    models: comparison.models.slice(0, mostModels).map((one) => ({
      model: one.model,
      tier: one.tier,
      invoice: one.invoice / scale,
      local: one.local / scale,
      ratio: one.local > 0 ? one.invoice / one.local : null,
      class: one.class,
    })),
  }
}
