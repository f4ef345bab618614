import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'

/** A part of a call's usage that has a price of its own: another model did it, or another run of the same. */
export interface UsagePart {
  readonly model: string
  readonly usage: Usage
}

const buckets = Object.keys(noUsage) as (keyof Usage)[]

/** Bucket by bucket what `combine` makes of two usages. */
export function eachBucket(left: Usage, right: Usage, combine: (left: number, right: number) => number): Usage {
  const combined: Record<keyof Usage, number> = { ...left }
  for (const name of buckets) combined[name] = combine(left[name], right[name])
  return combined
}

/** Both together. */
export function sumOf(left: Usage, right: Usage): Usage {
  return eachBucket(left, right, (one, other) => one + other)
}

/** What is left of a usage without another, nothing below 0. */
export function restOf(whole: Usage, part: Usage): Usage {
  return eachBucket(whole, part, (one, other) => Math.max(0, one - other))
}

/** As much of a usage as lies inside another. */
export function withinOf(usage: Usage, bound: Usage): Usage {
  return eachBucket(usage, bound, Math.min)
}
