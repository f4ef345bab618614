import { ageInDays, pricesOldAfterDays, rateOldAfterDays } from '../../../shared/age.ts'
import { isTimezone } from '../../config/crossChecks.ts'
import { storedPrices } from '../../config/priceFile.ts'
import { builtInPricesAsOf } from '../../money/builtInPrices.ts'
import { isRateStale } from '../../money/exchange.ts'
import { plural } from '../amounts.ts'
import { ok, type Check } from './check.ts'
import { configOf, type DoctorWorld } from './world.ts'

/** The configuration, and what in it grows old. */
export function checkConfiguration(world: DoctorWorld): readonly Check[] {
  return [configCheck(world), zoneCheck(world), pricesCheck(world), ...rateCheck(world)]
}

function configCheck({ loaded, configPath }: DoctorWorld): Check {
  const name = 'config.valid'
  if (!loaded.ok) {
    const says = 'The configuration is not valid, so that no daemon starts with it.'
    return { name, verdict: 'fail', says, details: loaded.problems, next: `Correct ${configPath}.` }
  }
  if (loaded.warnings.length === 0) return ok(name, `The configuration ${configPath} is valid.`)
  const says = 'A part of the configuration is not used.'
  return { name, verdict: 'warn', says, details: loaded.warnings, next: null }
}

function zoneCheck(world: DoctorWorld): Check {
  const name = 'config.timezone'
  const zone = configOf(world)?.timezone
  if (isTimezone(world.systemTimezone) || (zone !== undefined && zone !== 'UTC')) {
    return ok(name, `Days are those of ${zone ?? world.systemTimezone}.`)
  }
  const says = 'The time zone of this machine is not known; days are counted in UTC.'
  return { name, verdict: 'warn', says, next: 'Set "timezone" in the configuration, such as "Europe/Berlin".' }
}

function pricesCheck({ dataDir, nowMs, command }: DoctorWorld): Check {
  const name = 'config.prices'
  const stored = storedPrices(dataDir)
  const next = `Bring newer ones: ${command('prices update FILE')}`
  if (stored.kind === 'damaged') return { name, verdict: 'fail', says: stored.problem, next }
  const asOf = stored.kind === 'found' ? stored.record.asOf : builtInPricesAsOf
  const days = ageInDays(asOf, nowMs)
  if (days <= pricesOldAfterDays) return ok(name, `The price table is of ${asOf}.`)
  const says = `The price table is of ${asOf}, ${plural(days, 'day')} ago; newer models may be missing and prices have moved.`
  return { name, verdict: 'warn', says, next }
}

function rateCheck(world: DoctorWorld): readonly Check[] {
  const currency = configOf(world)?.currency
  if (currency === undefined || currency.code === 'USD') return []
  const name = 'config.rate'
  const rate = `1 USD = ${currency.usdRate} ${currency.code} of ${currency.asOf}`
  if (!isRateStale(currency, world.nowMs)) return [ok(name, `The exchange rate is ${rate}.`)]
  const says = `The exchange rate, ${rate}, is older than ${rateOldAfterDays} days.`
  return [{ name, verdict: 'warn', says, next: 'Set "currency" in the configuration, with its date.' }]
}
