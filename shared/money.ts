/**
 * Money inside Tollgate is an integer number of nano-euro (1 EUR = 10^9). A safe integer holds nine million euros, so
 * sums of a ledger never lose a digit; decimals appear only where a person or a client reads them.
 */
export type NanoEur = number

/** Nano-dollar, the unit that the price table is converted to before the exchange rate is applied. */
export type NanoUsd = number

/** Nano-units in one unit of a currency. */
export const nanoPerUnit = 1_000_000_000

/** Nano-euro for a decimal number of euros, rounded to the nearest. Throws a RangeError for what is no finite amount >= 0. */
export function nanoFromEur(eur: number): NanoEur {
  if (!Number.isFinite(eur) || eur < 0) throw new RangeError(`not an amount of euros: ${eur}`)
  return Math.round(eur * nanoPerUnit)
}

/** Decimal euros for an API answer or a message. */
export function eurFromNano(nano: NanoEur): number {
  return nano / nanoPerUnit
}

/**
 * Nano-euro for an amount in nano-dollar at `usdRate` euros per dollar. Reservations round up (`up`), settlements to the
 * nearest, so that a reservation never falls below the settlement that it stands for.
 */
export function nanoEurFromUsd(nanoUsd: NanoUsd, usdRate: number, rounding: 'up' | 'nearest'): NanoEur {
  const exact = nanoUsd * usdRate
  return rounding === 'up' ? Math.ceil(exact) : Math.round(exact)
}

/** Every digit of an amount as a plain decimal number, without an exponent: `0.0000005`. */
export function eurText(nano: NanoEur): string {
  return eurFromNano(nano)
    .toFixed(9)
    .replace(/\.?0+$/, '')
}

/** Two decimals for amounts from one cent up, four below, as spend counters show them: `1.84`, `0.0032`. */
export function formatEur(nano: NanoEur): string {
  const eur = eurFromNano(nano)
  return eur !== 0 && eur < 0.01 ? eur.toFixed(4) : eur.toFixed(2)
}
