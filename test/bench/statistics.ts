/** Value below which a share of the samples lies, by the nearest rank. `share` between 0 and 1; NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN
}

/** The middle sample. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** Sleeps; for pauses between measurements, never inside one. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
