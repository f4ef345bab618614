import { nanoEurFromUsd } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { PricedModel } from './price.ts'
import { larger, periodAt, picoFromUsd, usageCost } from './rates.ts'
import type { PicoUsd, RatePeriod, RatePeriods, TokenRates } from './rates.ts'
import { toolKind, unboundedToolUses } from './tiers.ts'
import type { TierPrices } from './tiers.ts'

/** What a price is made of. */
export interface PriceParts {
  /** The entry that matched: `openai/gpt-5.5`, `override my-model-*`. */
  readonly entry: string
  readonly periods: RatePeriods
  readonly tiers: TierPrices
  /** Euros per dollar. */
  readonly usdRate: number
  /** Whether the provider writes its cache unasked, so that any input token may be a write (OpenAI from gpt-5.6 on). */
  readonly writesUnasked: boolean
}

/**
 * A model's price. Reservation and settlement read the same rates, tiers, factors and fees (A10: a reservation at other
 * rates than the bill once held 0.90 for 0.0003), and round in opposite directions where it matters.
 */
export function pricedModel(parts: PriceParts): PricedModel {
  const { periods, tiers, usdRate } = parts
  return {
    entry: parts.entry,
    cost(usage, tier, atMs) {
      const period = periodAt(periods, atMs)
      const tokens = usageCost(period, usage) * tiers.factor(tier)
      const searches = usage.webSearches * searchFee(period, tiers)
      return nanoEur(tokens + searches, usdRate, 'nearest')
    },
    worstCase(ask) {
      const period = periodAt(periods, ask.atMs)
      const rates = dearestReachable(period, ask.inputTokens)
      const input = Math.max(
        rates.input,
        rates.cacheRead,
        ask.audioInput === false ? 0 : rates.audioInput,
        ask.cacheWrite === 'none' && !parts.writesUnasked ? 0 : rates.cacheWrite5m,
        ask.cacheWrite === '1h' ? rates.cacheWrite1h : 0,
      )
      const output = Math.max(rates.output, rates.reasoning, rates.audioOutput)
      let fees = 0
      for (const { name, maxUses } of ask.serverTools) {
        const fee = toolKind(name) === 'web_search' ? searchFee(period, tiers) : picoFromUsd(tiers.fee(name) ?? 0)
        fees += (maxUses ?? unboundedToolUses) * fee
      }
      const tokens = (ask.inputTokens * input + ask.outputTokens * output) * tiers.factor(ask.tier)
      return nanoEur(tokens + fees, usdRate, 'up')
    },
  }
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

/** A configured fee, else the model's own, else the provider's. */
function searchFee(period: RatePeriod, tiers: TierPrices): PicoUsd {
  return tiers.configuredSearchFee() ?? period.webSearch ?? picoFromUsd(tiers.fee('web_search') ?? 0)
}

/** Whole nano-dollar first, so that the stored euro amount can be traced to the table with one multiplication. */
function nanoEur(picoUsd: PicoUsd, usdRate: number, rounding: 'up' | 'nearest'): NanoEur {
  const nanoUsd = rounding === 'up' ? Math.ceil(picoUsd / 1000) : Math.round(picoUsd / 1000)
  return nanoEurFromUsd(nanoUsd, usdRate, rounding)
}
