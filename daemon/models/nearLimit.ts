/** What one call comes to, and what it has to fit in; both in the same unit. */
export interface LimitedAsk {
  /** With the shortest answer that is still useful. */
  readonly least: number
  /** With the longest one that it may give. Equal to `least` where a limit is on input alone. */
  readonly most: number
  /** `null` is none; 0 and less lets nothing through, however it is counted. */
  readonly limit: number | null
}

/**
 * How far an estimate may lie from the truth. The widest margin of a family is 1.75, and text counts down to 0.65 of the
 * plain count, so that half and twice hold every limit about which an exact count could decide otherwise.
 */
const widestError = 2

/** True where an exact count could decide otherwise than the estimate: a call lies between half and twice of a limit. */
export function isNearLimit(asks: readonly LimitedAsk[]): boolean {
  return asks.some(
    ({ least, most, limit }) =>
      limit !== null && limit > 0 && most >= limit / widestError && least <= limit * widestError,
  )
}
