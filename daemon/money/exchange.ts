import { ageInDays, rateOldAfterDays } from '../../shared/age.ts'
import type { Config } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'

/** What reservations hold on top while the exchange rate is stale, in percent. */
export const staleRatePercent = 2

/**
 * Whether the configured rate is too old to be relied on (M10). A currency that is the dollar needs none. A date ahead of
 * the clock is not old.
 */
export function isRateStale({ code, asOf }: Config['currency'], nowMs: number): boolean {
  return code !== 'USD' && ageInDays(asOf, nowMs) > rateOldAfterDays
}

/**
 * A worst case with the margin for a stale rate, rounded up. What a call cost is never changed: it is converted at the rate
 * that stands in its row.
 */
export function withStaleMargin(nanoEur: NanoEur): NanoEur {
  return nanoEur + Math.ceil(nanoEur / (100 / staleRatePercent))
}
