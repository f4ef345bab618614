import type { PriceCorrection } from '../../shared/config.ts'
import { matchesPattern } from '../guards/pattern.ts'

/** The factor on the price of a model's tokens at an instant; 1 where nothing corrects it. */
export type CorrectionAt = (atMs: number) => number

const uncorrected: CorrectionAt = () => 1

/**
 * What the invoices taught about one model (D17). `providers` are the names of its provider, `models` those that the model is
 * known by. Of the corrections that match, the one with the latest date holds, and of two with the same date the later entry.
 * A date begins at midnight UTC, where providers change their days; calls before it keep the price that they had.
 */
export function correctionOf(
  corrections: readonly PriceCorrection[],
  providers: readonly string[],
  models: readonly string[],
): CorrectionAt {
  const dated = corrections
    .filter(
      ({ provider, match }) =>
        (provider === null || providers.includes(provider)) && models.some((model) => matchesPattern(match, model)),
    )
    .map(({ factor, from }) => ({ factor, fromMs: Date.parse(`${from}T00:00:00Z`) }))
    .sort((one, other) => one.fromMs - other.fromMs)
  if (dated.length === 0) return uncorrected
  return (atMs) => dated.findLast(({ fromMs }) => fromMs <= atMs)?.factor ?? 1
}

/** Pico-dollar with a correction, whole and rounded up: it is held and charged in the same way. */
export function corrected(picoUsd: number, factor: number): number {
  return factor === 1 ? picoUsd : Math.ceil(picoUsd * factor)
}
