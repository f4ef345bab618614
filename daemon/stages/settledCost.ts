import { nanoEurFromUsd } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import { noUsage } from '../../shared/usage.ts'
import type { AdmittedCall } from '../call.ts'
import type { AnswerFacts } from '../dialects/dialect.ts'
import { restOf, sumOf } from '../dialects/usageParts.ts'
import type { PricedModel } from '../money/price.ts'
import type { SettledUsage } from '../settlement.ts'
import { servedPrice } from './servedPrice.ts'
import type { Terms } from './terms.ts'

/** What a settled call cost, and how that is known. */
export interface SettledCost {
  readonly nanoEur: NanoEur
  /** The provider said what it charged, and that is the price. */
  readonly isReported: boolean
  /** A part of the usage had no rate of its own. */
  readonly isUncertain: boolean
}

/**
 * The price of a settled call: what the provider says it charged, at the rate of the call and rounded up; else the price of
 * each part at the model that did it, and of the rest at the one that answered. A charge that was reported before the end is
 * only a floor, and one of 0 is none for a model that has a price.
 */
export function settledCost(
  terms: Pick<Terms, 'price' | 'prices'>,
  call: AdmittedCall,
  { settlement, usage }: Pick<SettledUsage, 'settlement' | 'usage'>,
  answer: AnswerFacts | null,
  tier: Readonly<Record<string, string>>,
): SettledCost {
  if (call.upstream.free || settlement === 'released') return { nanoEur: 0, isReported: false, isUncertain: false }
  const byTable = tableCost(terms, call, usage, answer, tier)
  const charged = answer?.reportedNanoUsd ?? 0
  const reported = nanoEurFromUsd(charged, call.usdRate, 'up')
  const isReported = charged > 0 && (settlement === 'exact' || reported >= byTable.nanoEur)
  return isReported ? { nanoEur: reported, isReported, isUncertain: false } : { ...byTable, isReported }
}

function tableCost(
  terms: Pick<Terms, 'price' | 'prices'>,
  call: AdmittedCall,
  usage: SettledUsage['usage'],
  answer: AnswerFacts | null,
  tier: Readonly<Record<string, string>>,
): Pick<SettledCost, 'nanoEur' | 'isUncertain'> {
  const parts = answer?.parts ?? []
  const costOf = (
    price: PricedModel | null,
    share: SettledUsage['usage'],
  ): Pick<SettledCost, 'nanoEur' | 'isUncertain'> => {
    const nanoEur = price?.cost(share, tier, call.receivedAtMs) ?? 0
    return { nanoEur, isUncertain: nanoEur > 0 && price?.isUncertain(share, tier, call.receivedAtMs) === true }
  }
  const served = servedPrice(terms, call, answer?.model ?? null)
  if (parts.length === 0) return costOf(served, usage)
  const apart = parts.reduce((whole, part) => sumOf(whole, part.usage), noUsage)
  const costs = [
    costOf(served, restOf(usage, apart)),
    ...parts.map((part) => costOf(priceOf(terms, call, part.model), part.usage)),
  ]
  return {
    nanoEur: costs.reduce((whole, cost) => whole + cost.nanoEur, 0),
    isUncertain: costs.some((cost) => cost.isUncertain),
  }
}

/** The price of a model that the provider ran beside or instead of the one that was asked, whose own stands in for it. */
function priceOf(
  { price, prices }: Pick<Terms, 'price' | 'prices'>,
  { facts, upstreamName, upstream, receivedAtMs }: AdmittedCall,
  model: string,
): PricedModel | null {
  if (model === facts.model) return price
  return prices.find(upstreamName, upstream.baseUrl, model, receivedAtMs) ?? price
}
