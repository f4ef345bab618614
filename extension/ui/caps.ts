import type { SpendStatus, Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
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

/** The cap in euros with what people allowed on top of it, null where there is none. */
export function eurCap(spend: SpendStatus): number | null {
  return spend.capEur === null ? null : spend.capEur + spend.grantedEur
}

/** The cap in tokens with what people allowed on top of it, null where there is none. */
export function tokenCap(spend: SpendStatus): number | null {
  return spend.capTokens === null ? null : spend.capTokens + spend.grantedTokens
}

/** The caps that are set, fullest first. */
export function gauges(status: Status): readonly Gauge[] {
  const found: Gauge[] = []
  for (const [window, spend] of [
    ['day', status.today],
    ['month', status.month],
  ] as const) {
    const [eur, tokens] = [eurCap(spend), tokenCap(spend)]
    if (eur !== null) found.push(gauge('eur', window, spend.spentEur, eur))
    if (tokens !== null) found.push(gauge('tokens', window, allTokens(spend), tokens))
  }
  return found.sort((left, right) => right.share - left.share)
}

function gauge(unit: Gauge['unit'], window: Gauge['window'], used: number, cap: number): Gauge {
  return { unit, window, used, cap, share: cap === 0 ? Infinity : used / cap }
}

/** What people allowed on top of the caps of a window: `€2.00`, `€2.00 + 50k tokens`; null where that is nothing. */
export function allowedText(
  { grantedEur, grantedTokens }: Pick<SpendStatus, 'grantedEur' | 'grantedTokens'>,
  figures: Figures,
  text: Text,
): string | null {
  const eur = capText('eur', grantedEur, figures, text)
  const tokens = capText('tokens', grantedTokens, figures, text)
  if (grantedEur > 0) return grantedTokens > 0 ? text.sumOf(eur, tokens) : eur
  return grantedTokens > 0 ? tokens : null
}

/** A cap as text: `€10.00` or `6k tokens`. */
export function capText(unit: Gauge['unit'], cap: number, figures: Figures, text: Text): string {
  return unit === 'eur' ? figures.eur(cap) : text.tokenCap(cap, figures.tokens(cap))
}
