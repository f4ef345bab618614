import { ageInDays, pricesOldAfterDays, rateOldAfterDays } from '../../shared/age.ts'
import type { Config } from '../../shared/config.ts'
import { configFile } from '../config/configFile.ts'
import { priceRecordPath, storedPrices } from '../config/priceFile.ts'
import { isRateStale } from '../money/exchange.ts'
import type { PriceBook } from '../money/priceBook.ts'
import type { Log } from '../observe/log.ts'

/**
 * Lets prices that lie beside the ledger hold, now and whenever they change. What cannot be used is said, and the last good
 * prices go on (E08).
 */
export function followPrices(dataDir: string, priceBook: PriceBook, log: Log): void {
  const record = configFile(priceRecordPath(dataDir), false)
  const take = (): void => {
    try {
      record.read()
    } catch {
      // What cannot be read is told below.
    }
    const stored = storedPrices(dataDir)
    switch (stored.kind) {
      case 'none':
        priceBook.install(null)
        return
      case 'damaged':
        log.warn('the prices beside the ledger cannot be used; the last good ones hold', { problem: stored.problem })
        return
      case 'found':
        priceBook.install(stored.prices)
        log.info('prices from an update hold', { count: stored.record.rows, at: stored.prices.asOf })
    }
  }
  take()
  try {
    record.watch(take)
  } catch {
    log.warn('changes of the prices cannot be watched here; they hold after a restart')
  }
}

/** Says what money rests on and has grown old. Each message is said where it holds, and refuses nothing. */
export function sayAges(pricesAsOf: string, currency: Config['currency'], nowMs: number, log: Log): void {
  if (isRateStale(currency, nowMs)) {
    log.warn(
      `the exchange rate is older than ${rateOldAfterDays} days, so reservations hold 2 % more; set currency.usdRate and currency.asOf`,
      { at: currency.asOf },
    )
  }
  if (ageInDays(pricesAsOf, nowMs) > pricesOldAfterDays) {
    log.warn(
      `the prices are older than ${pricesOldAfterDays} days; bring newer ones with "tollgate prices update FILE"`,
      {
        at: pricesAsOf,
      },
    )
  }
}
