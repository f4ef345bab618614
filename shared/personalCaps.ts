import type { PersonalCaps } from './protocol.ts'

/** A personal cap. */
export type PersonalCapName = keyof PersonalCaps

/** What a cap counts. */
export type CapUnit = 'eur' | 'tokens'

/** The personal caps in the order in which they are stored, with what each counts. */
export const personalCapUnits = {
  userDailyEur: 'eur',
  userDailyTokens: 'tokens',
  tenantMonthlyEur: 'eur',
  tenantMonthlyTokens: 'tokens',
} as const satisfies Record<PersonalCapName, CapUnit>

/** Names of the personal caps. */
export const personalCapNames = Object.keys(personalCapUnits) as readonly PersonalCapName[]

/**
 * Largest cap. What a window has spent and holds is summed up in whole nano-euro and tokens, and a double is exact up to
 * 2^53 (9.007e15): this leaves room for the call that comes to the cap.
 */
export const largestCap: Readonly<Record<CapUnit, number>> = { eur: 9_000_000, tokens: 9_000_000_000_000_000 }

/** A cap is a number from 0 to the largest one, whole where it counts tokens, or null for none. Both sides judge by this (M09). */
export function isCap(value: unknown, unit: CapUnit): value is number | null {
  if (value === null) return true
  if (typeof value !== 'number' || !(value >= 0 && value <= largestCap[unit])) return false
  return unit === 'eur' || Number.isInteger(value)
}
