import { nanoPerUnit } from '../../shared/money.ts'
import type { UsageByUtcDay, UsageOfDay } from '../../shared/reconciliation.ts'
import { noUsage } from '../../shared/usage.ts'
import type { Gate } from '../gate.ts'
import type { UtcDaySums } from '../ledger/ledger.ts'
import { loadBuiltInPrices } from '../money/builtInPrices.ts'
import { providerOf } from '../money/table.ts'

/** What of the gate is asked. */
export type UsageParts = Pick<Gate, 'nowMs' | 'config' | 'ledger' | 'priceBook'>

/** Days of a period, both its ends included. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

/** Longest period of one answer, in days. */
const mostDays = 400

/** Most entries of one answer. */
const mostEntries = 20_000

/** Reads `from` and `to` of the address; a string is what is wrong with them. */
export function readDayRange(from: string | null, to: string | null): DayRange | string {
  if (from === null || to === null || !isDay(from) || !isDay(to)) return 'from and to must be days such as 2026-11-30.'
  if (from > to) return 'from must not be later than to.'
  if ((startOf(to) - startOf(from)) / dayMs >= mostDays) return `from and to are at most ${mostDays} days apart.`
  return { from, to }
}

/**
 * Our side of an invoice: what metered calls came to by UTC day, upstream, model and tier. Providers bill in UTC, whatever the
 * configured zone; each call is converted at the rate of its own row. Calls of a day are read in one go, and `pause` lets other
 * work pass before the next. A string is what is wrong. Throws LedgerUnavailable.
 */
export async function usageByUtcDay(
  gate: UsageParts,
  { from, to }: DayRange,
  pause: () => Promise<unknown>,
): Promise<UsageByUtcDay | string> {
  const { ledger } = gate
  const period = { fromMs: startOf(from), toMs: startOf(to) + dayMs }
  const oldestMs = ledger.oldestCallMs()
  const entries = new Map<string, Entry>()
  // A clock that was set back leaves calls behind in the order; the last slice has no end.
  const endMs = Math.max(period.fromMs, gate.nowMs())
  const sinceMs = Math.max(period.fromMs, Math.floor((oldestMs ?? endMs) / dayMs) * dayMs)
  for (let sliceMs = sinceMs; sliceMs <= endMs; sliceMs += dayMs) {
    const untilMs = sliceMs + dayMs > endMs ? null : sliceMs + dayMs
    for (const sums of ledger.usageByUtcDay(period, { sinceMs: sliceMs, untilMs })) add(entries, sums)
    if (entries.size > mostEntries) return 'There are too many models and days for one answer: ask for fewer days.'
    await pause()
  }
  const describe = await describer(gate)
  const oldest = oldestMs === null ? null : new Date(oldestMs).toISOString().slice(0, 10)
  return { from, to, oldest, days: [...entries.values()].map(describe) }
}

/** Sums of one day, upstream, model, served name and tier, over its exchange rates. */
interface Entry extends Omit<UtcDaySums, 'usdRate' | 'nanoEur' | 'estimatedNanoEur'> {
  nanoUsd: number
  estimatedNanoUsd: number
}

function add(entries: Map<string, Entry>, sums: UtcDaySums): void {
  const { usdRate, nanoEur, estimatedNanoEur, ...names } = sums
  const key = JSON.stringify([sums.day, sums.upstream, sums.model, sums.responseModel, sums.tier])
  const before = entries.get(key)
  const entry: Entry = {
    ...names,
    nanoUsd: (before?.nanoUsd ?? 0) + nanoEur / usdRate,
    estimatedNanoUsd: (before?.estimatedNanoUsd ?? 0) + estimatedNanoEur / usdRate,
    calls: (before?.calls ?? 0) + sums.calls,
    inputTokens: (before?.inputTokens ?? 0) + sums.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + sums.outputTokens,
    webSearches: (before?.webSearches ?? 0) + sums.webSearches,
    fileSearches: (before?.fileSearches ?? 0) + sums.fileSearches,
    codeContainers: (before?.codeContainers ?? 0) + sums.codeContainers,
  }
  entries.set(key, entry)
}

/** Entries as they are shown, with the provider behind each upstream and the fees of its tools. */
async function describer(gate: UsageParts): Promise<(entry: Entry) => UsageOfDay> {
  const { upstreams, currency } = gate.config()
  const prices = await gate.priceBook.prices()
  const table = await loadBuiltInPrices()
  const usd = (nano: number): number => Math.round(nano) / nanoPerUnit
  const baseUrlOf = (upstream: string): string =>
    Object.hasOwn(upstreams, upstream) ? (upstreams[upstream]?.baseUrl ?? '') : ''
  return (entry) => {
    const { day, upstream, model, responseModel, webSearches, fileSearches, codeContainers } = entry
    const baseUrl = baseUrlOf(upstream)
    const price =
      prices.find(upstream, baseUrl, responseModel ?? model, day * dayMs) ??
      prices.find(upstream, baseUrl, model, day * dayMs)
    const toolUsd: Record<string, number> = {}
    for (const [name, uses] of [
      ['web search', { webSearches }],
      ['file search', { fileSearches }],
      ['code execution', { codeContainers }],
    ] as const) {
      const nanoEur = price?.cost({ ...noUsage, ...uses }, {}, day * dayMs) ?? 0
      if (nanoEur > 0) toolUsd[name] = usd(nanoEur / currency.usdRate)
    }
    return {
      day: new Date(day * dayMs).toISOString().slice(0, 10),
      upstream,
      provider: providerOf(table, upstream, baseUrl)?.id ?? upstream,
      model,
      responseModel,
      tier: entry.tier ?? 'standard',
      calls: entry.calls,
      usd: usd(entry.nanoUsd),
      estimatedUsd: usd(entry.estimatedNanoUsd),
      inputTokens: entry.inputTokens,
      outputTokens: entry.outputTokens,
      toolUsd,
    }
  }
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const ms = startOf(text)
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text)
}
