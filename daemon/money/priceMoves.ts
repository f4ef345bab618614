import { usdPerMillion } from './pricedModel.ts'
import type { PricedModel } from './price.ts'
import type { RatePeriod, TokenRates } from './rates.ts'

/** A price that moved by more than can be believed without a look (E08). */
export interface PriceMove {
  readonly model: string
  readonly upstream: string
  readonly kind: keyof TokenRates
  /** Dollars per million tokens. */
  readonly fromUsd: number
  readonly toUsd: number
}

/** How many times a price may move without being confirmed. */
export const mostTimes = 10

/** What is compared, in the order in which it is said. */
const kinds = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'audioOutput'] as const

/**
 * The first kind of token whose price differs more than tenfold between two prices of a model, at any size of the prompt;
 * null where none does. From nothing to something, and back, is more than tenfold.
 */
export function moveBetween(
  name: Pick<PriceMove, 'model' | 'upstream'>,
  before: PricedModel,
  after: PricedModel,
  atMs: number,
): PriceMove | null {
  const [old, fresh] = [before.at(atMs), after.at(atMs)]
  for (const kind of kinds) {
    for (const [from, to] of pairs(old, fresh, kind)) {
      if (isTenfold(from, to)) return { ...name, kind, fromUsd: usdPerMillion(from), toUsd: usdPerMillion(to) }
    }
  }
  return null
}

/** The rate of the smallest prompt before and after, then that of the largest. */
function pairs(old: RatePeriod, fresh: RatePeriod, kind: keyof TokenRates): readonly (readonly [number, number])[] {
  const rate = ({ tiers }: RatePeriod, at: 0 | -1): number => tiers.at(at)?.rates[kind] ?? 0
  return [
    [rate(old, 0), rate(fresh, 0)],
    [rate(old, -1), rate(fresh, -1)],
  ]
}

function isTenfold(from: number, to: number): boolean {
  return Math.max(from, to) > mostTimes * Math.min(from, to)
}
