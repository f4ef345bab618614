import type { ReceivedCall } from '../call.ts'
import type { PricedModel } from '../money/price.ts'
import type { Terms } from './terms.ts'

/**
 * The price that a call is settled at. The model that answered decides it and not the one that was asked for: an alias may
 * stand for a dearer version, and a router or a fallback may choose another model. A price of the user's own was meant for
 * the name that it was written for and stays; so does the asked model's where the answer's name says nothing to the table.
 */
export function servedPrice(
  terms: Pick<Terms, 'price' | 'prices'>,
  { upstreamName, upstream, receivedAtMs }: Pick<ReceivedCall, 'upstreamName' | 'upstream' | 'receivedAtMs'>,
  answeredBy: string | null,
): PricedModel | null {
  const { price, prices } = terms
  if (price === null || answeredBy === null || price.source.kind === 'override') return price
  const served = prices.find(upstreamName, upstream.baseUrl, answeredBy, receivedAtMs)
  return served === null || served.source.kind === 'dearest' ? price : served
}
