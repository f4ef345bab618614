/** Days after which an exchange rate counts as stale: in a quarter the dollar has moved by a few percent. */
export const rateOldAfterDays = 90

/** Days after which a price table is said to be old. */
export const pricesOldAfterDays = 120

const dayMs = 86_400_000

/** Whole days since a date such as `2026-11-01` began in UTC; negative for one that is still to come. */
export function ageInDays(date: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(`${date.slice(0, 10)}T00:00:00Z`)) / dayMs)
}
