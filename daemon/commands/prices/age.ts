import { ageInDays, pricesOldAfterDays, rateOldAfterDays } from '../../../shared/age.ts'
import { builtInPricesAsOf } from '../../money/builtInPrices.ts'
import { isRateStale, staleRatePercent } from '../../money/exchange.ts'
import { plural } from '../amounts.ts'
import type { Terminal } from '../terminal.ts'
import type { PriceDesk } from './desk.ts'

/** `tollgate prices age`: how old the prices and the exchange rate are, and where they come from. */
export function runAge(desk: PriceDesk, json: boolean, terminal: Terminal): number {
  const { stored, nowMs } = desk
  const { currency } = desk.config
  const asOf = stored.kind === 'found' ? stored.record.asOf : builtInPricesAsOf
  const isOld = ageInDays(asOf, nowMs) > pricesOldAfterDays
  const isStale = isRateStale(currency, nowMs)
  if (json) {
    const report = {
      prices: {
        asOf,
        days: ageInDays(asOf, nowMs),
        old: isOld,
        source: stored.kind === 'found' ? 'update' : 'table',
        sha256: stored.kind === 'found' ? stored.record.sha256 : null,
        problem: stored.kind === 'damaged' ? stored.problem : null,
      },
      rate: { usdRate: currency.usdRate, asOf: currency.asOf, days: ageInDays(currency.asOf, nowMs), stale: isStale },
    }
    terminal.out(`${JSON.stringify(report, null, 2)}\n`)
    return 0
  }
  const source =
    stored.kind === 'found'
      ? `an update with ${plural(stored.record.rows, 'price')}, put there ${stored.record.installedAt.slice(0, 10)}`
      : 'the built-in table'
  const lines = [`Prices are of ${asOf} (${daysText(asOf, nowMs)}): ${source}.`]
  if (stored.kind === 'damaged') lines.push(`The update beside the ledger is not used: ${stored.problem}.`)
  if (isOld)
    lines.push(`That is more than ${pricesOldAfterDays} days: bring newer ones with: tollgate prices update FILE`)
  lines.push(
    `A dollar is ${currency.usdRate} ${currency.code}, rate of ${currency.asOf} (${daysText(currency.asOf, nowMs)}).`,
  )
  if (isStale) {
    lines.push(
      `That is more than ${rateOldAfterDays} days: reservations hold ${staleRatePercent} % more until currency.usdRate and currency.asOf are set anew.`,
    )
  }
  terminal.out(`${lines.join('\n')}\n`)
  return 0
}

function daysText(date: string, nowMs: number): string {
  const days = ageInDays(date, nowMs)
  return days < 0 ? 'still to come' : `${plural(days, 'day')} old`
}
