import type { SpendStatus, Status } from '../../shared/status.ts'
import type { Text } from '../text.ts'
import type { Figures } from './figures.ts'

/** One cap against what was used of it. */
export interface Gauge {
  readonly unit: 'eur' | 'tokens'
  readonly window: 'day' | 'month'
  readonly used: number
  readonly cap: number
  /** Used ÷ cap; infinite for a cap of 0. */
  readonly share: number
}

/** Every token of a window, as token caps count them. */
export function allTokens(spend: SpendStatus): number {
  const { input, cacheRead, cacheWrite, output } = spend.tokens
  return input + cacheRead + cacheWrite + output
}

/** The caps that are set, fullest first. */
export function gauges(status: Status): readonly Gauge[] {
  const found: Gauge[] = []
  for (const [window, spend] of [
    ['day', status.today],
    ['month', status.month],
  ] as const) {
    if (spend.capEur !== null) found.push(gauge('eur', window, spend.spentEur, spend.capEur))
    if (spend.capTokens !== null) found.push(gauge('tokens', window, allTokens(spend), spend.capTokens))
  }
  return found.sort((left, right) => right.share - left.share)
}

function gauge(unit: Gauge['unit'], window: Gauge['window'], used: number, cap: number): Gauge {
  return { unit, window, used, cap, share: cap === 0 ? Infinity : used / cap }
}

/** A cap as text: `€10.00` or `6k tokens`. */
export function capText(unit: Gauge['unit'], cap: number, figures: Figures, text: Text): string {
  return unit === 'eur' ? figures.eur(cap) : text.tokenCap(figures.tokens(cap))
}
