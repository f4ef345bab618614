import { nanoEurFromUsd } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import { totalTokens } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import { corrected } from './corrections.ts'
import type { CorrectionAt } from './corrections.ts'
import type { PricedModel, PriceSource } from './price.ts'
import { larger, periodAt, picoFromUsd, ratesFor, usageCost } from './rates.ts'
import type { PicoUsd, RatePeriod, RatePeriods, TokenRates } from './rates.ts'
import { toolKind, unboundedToolUses } from './tiers.ts'
import type { TierPrices } from './tiers.ts'

/** What a price is made of. */
export interface PriceParts {
  /** The entry that matched: `openai/gpt-5.5`, `override my-model-*`. */
  readonly entry: string
  readonly source: PriceSource
  readonly periods: RatePeriods
  readonly tiers: TierPrices
  /** Euros per dollar. */
  readonly usdRate: number
  /** Whether the provider writes its cache unasked, so that any input token may be a write (OpenAI from gpt-5.6 on). */
  readonly writesUnasked: boolean
  /** What the invoices taught about the price of its tokens. */
  readonly correctionAt: CorrectionAt
}

/**
 * A model's price. Reservation and settlement read the same rates, tiers, factors and fees (A10: a reservation at other
 * rates than the bill once held 0.90 for 0.0003), and round in opposite directions where it matters.
 */
export function pricedModel(parts: PriceParts): PricedModel {
  const { entry, source, periods, tiers, usdRate, correctionAt } = parts
  const priceOf = (tokens: PicoUsd, tier: Readonly<Record<string, string>>, atMs: number): PicoUsd =>
    corrected(tokens * tiers.factor(tier), correctionAt(atMs))
  return {
    entry,
    source,
    at: (atMs) => periodAt(periods, atMs),
    provenance(atMs) {
      const rates = ratesFor(periodAt(periods, atMs), 0)
      const units = `${usdPerMillion(rates.input)}/${usdPerMillion(rates.output)}`
      const factor = correctionAt(atMs)
      return `${entry} (${source.asOf === null ? '' : `${source.kind} of ${source.asOf}; `}${units}${factor === 1 ? '' : ` × ${factor}`})`
    },
    isUncertain(usage, tier, atMs) {
      const { atTextRate } = periodAt(periods, atMs)
      return atTextRate.some((kind) => usage[kind] > 0) || tiers.isUnknown(tier)
    },
    cost(usage, tier, atMs) {
      const period = periodAt(periods, atMs)
      const tokens = priceOf(usageCost(period, usage), tier, atMs)
      return nanoEur(tokens + feesOf(usage, period, tiers), usdRate, 'nearest')
    },
    worstCase(ask) {
      const period = periodAt(periods, ask.atMs)
      const rates = dearestReachable(period, ask.inputTokens)
      const input = Math.max(
        rates.input,
        rates.cacheRead,
        ask.media === false ? 0 : Math.max(rates.audioInput, rates.audioCacheRead, rates.imageInput),
        ask.cacheWrite === 'none' && !parts.writesUnasked ? 0 : rates.cacheWrite5m,
        ask.cacheWrite === '1h' ? rates.cacheWrite1h : 0,
      )
      const output = Math.max(rates.output, rates.reasoning, rates.audioOutput, rates.imageOutput)
      let fees = period.perCall
      for (const { name, maxUses } of ask.serverTools) {
        fees += (maxUses ?? unboundedToolUses) * toolFee(toolKind(name), name, period, tiers)
      }
      const tokens = priceOf(ask.inputTokens * input + ask.outputTokens * output, ask.tier, ask.atMs)
      return nanoEur(tokens + fees, usdRate, 'up')
    },
  }
}

/** Dollars per million tokens, as price pages write them. */
export function usdPerMillion(picoUsd: PicoUsd): number {
  return picoUsd / 1_000_000
}

/** The dearest rates that a prompt of up to this many tokens can meet. */
function dearestReachable(period: RatePeriod, inputTokens: number): TokenRates {
  let rates: TokenRates | null = null
  for (const tier of period.tiers) {
    if (rates !== null && inputTokens <= tier.aboveTokens) break
    rates = rates === null ? tier.rates : larger(rates, tier.rates)
  }
  if (rates === null) throw new Error('A price without rates.')
  return rates
}

/** What is charged beside the tokens. A call that did nothing, such as a refused one, has no fee either. */
function feesOf(usage: Usage, period: RatePeriod, tiers: TierPrices): PicoUsd {
  const fee = (tool: string): PicoUsd => toolFee(tool, tool, period, tiers)
  const container = tiers.fee('code_interpreter') ?? tiers.fee('code_execution') ?? 0
  return (
    (totalTokens(usage) > 0 ? period.perCall : 0) +
    (usage.webSearches > 0 ? usage.webSearches * fee('web_search') : 0) +
    (usage.fileSearches > 0 ? usage.fileSearches * fee('file_search') : 0) +
    usage.codeContainers * picoFromUsd(container)
  )
}

/** A configured fee, else the model's own, else the provider's. */
function toolFee(kind: string, name: string, period: RatePeriod, tiers: TierPrices): PicoUsd {
  const own = kind === 'web_search' ? period.webSearch : kind === 'file_search' ? period.fileSearch : null
  const configured = tiers.configuredFee(kind)
  return configured === null ? (own ?? picoFromUsd(tiers.fee(name) ?? 0)) : picoFromUsd(configured)
}

/** Whole nano-dollar first, so that the stored euro amount can be traced to the table with one multiplication. */
function nanoEur(picoUsd: PicoUsd, usdRate: number, rounding: 'up' | 'nearest'): NanoEur {
  const nanoUsd = rounding === 'up' ? Math.ceil(picoUsd / 1000) : Math.round(picoUsd / 1000)
  return nanoEurFromUsd(nanoUsd, usdRate, rounding)
}
