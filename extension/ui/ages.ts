import { ageInDays, pricesOldAfterDays, rateOldAfterDays } from '../../shared/age.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import type { Figures } from './figures.ts'

/**
 * How old prices and exchange rate are, in one line: `Prices of 1 Nov 2026, rate of 20 Nov 2026.` What has grown too old to
 * be relied on is said with what helps. A currency that is the dollar needs no rate.
 */
export function agesLine({ integrity, currency, time }: Status, text: Text, figures: Figures): string {
  const prices = figures.day(integrity.pricesAsOf)
  const sentences = [
    currency === 'USD' ? text.pricesOf(prices) : text.pricesAndRateOf(prices, figures.day(integrity.usdRateAsOf)),
  ]
  if (ageInDays(integrity.pricesAsOf, Date.parse(time)) > pricesOldAfterDays)
    sentences.push(text.pricesOld(figures.whole(pricesOldAfterDays)))
  if (integrity.usdRateStale) sentences.push(text.rateOld(figures.whole(rateOldAfterDays)))
  return sentences.join(' ')
}
