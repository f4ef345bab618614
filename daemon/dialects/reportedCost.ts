import type { NanoUsd } from '../../shared/money.ts'
import type { JsonObject } from './dialect.ts'
import { objectIn } from './read.ts'
import type { Vendor } from './vendors.ts'

/** No single call costs that much; a figure above it is none. */
const mostUsd = 100_000

const picoPerUsd = 1_000_000_000_000

/**
 * What a usage block says was charged, in nano-dollar, rounded up; null where its vendor says nothing. OpenRouter with a key
 * of the user's own charges its fee alone, and the provider behind it the rest, which it names beside the fee.
 */
export function reportedCost(usage: JsonObject, { cost }: Pick<Vendor, 'cost'>): NanoUsd | null {
  if (cost === null) return null
  const charged = amountIn(usage, cost.field)
  if (charged === null) return null
  const behind = usage['is_byok'] === true ? amountIn(objectIn(usage, 'cost_details'), 'upstream_inference_cost') : null
  // To whole pico-dollar first: a product of two decimals is a hair off, and rounding up would make a nano-dollar of it.
  const picoUsd = Math.round((charged + (behind ?? 0)) * (picoPerUsd / cost.unitsPerUsd))
  return picoUsd > mostUsd * picoPerUsd ? null : Math.ceil(picoUsd / 1000)
}

function amountIn(object: JsonObject | null, name: string): number | null {
  const value = object?.[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}
