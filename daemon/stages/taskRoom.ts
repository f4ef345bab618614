import type { DescribedCall } from '../call.ts'
import { leastCeiling } from '../guards/outputCeiling.ts'
import type { Placed } from './place.ts'
import { clampTo } from './reserve.ts'
import { worstCase } from './terms.ts'
import type { Terms } from './terms.ts'

/**
 * Lowers the output ceiling to what the task's euros still allow, so that a task can be used to its last cent. The guards
 * have made sure that the smallest useful answer fits.
 */
export function clampToTask(call: DescribedCall, placed: Placed, terms: Terms): DescribedCall {
  const room = placed.standing?.roomNanoEur ?? null
  const { facts, outputCeiling } = call
  if (room === null || outputCeiling === null) return call
  const fits = (perChoice: number): boolean =>
    worstCase(terms, facts, call.receivedAtMs, perChoice * facts.choices) <= room
  if (fits(outputCeiling)) return call
  // Lower than this is an error for the provider, and the guards have seen to it that this much fits.
  let low = Math.min(outputCeiling, leastCeiling(call.dialect, facts))
  let high = outputCeiling
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return { ...call, ...clampTo(call, low * facts.choices) }
}
