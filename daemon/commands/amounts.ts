import { formatEur, nanoFromEur } from '../../shared/money.ts'

/**
 * `€1.84`, or `1.84 USD` for a currency without a sign here. An amount that lacks calls without a known price is a floor, `≥ €1.84`, and
 * `€?` where nothing of it is known.
 */
export function money(eur: number, currency: string, isFloor = false): string {
  const amount = isFloor && eur === 0 ? '?' : formatEur(nanoFromEur(Math.max(0, eur)))
  const text = currency === 'EUR' ? `€${amount}` : `${amount} ${currency}`
  return isFloor && eur > 0 ? `≥ ${text}` : text
}

/** `€1.84 of 10.00`, or `€1.84 of 10.00 + 5.00 granted`; without a cap only the amount. */
export function moneyOfCap(eur: number, cap: number | null, currency: string, grantedEur = 0, isFloor = false): string {
  if (cap === null) return money(eur, currency, isFloor)
  const granted = grantedEur > 0 ? ` + ${formatEur(nanoFromEur(grantedEur))} granted` : ''
  return `${money(eur, currency, isFloor)} of ${cap.toFixed(2)}${granted}`
}

/** `940`, `128k`, `1.2M`: whole below a thousand, then at most three digits that count. */
export function tokenCount(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  for (const [size, letter] of [
    [1e3, 'k'],
    [1e6, 'M'],
    [1e9, 'G'],
  ] as const) {
    const scaled = tokens / size
    // 999,600 is 1M and not 1000k.
    if (scaled < 999.5 || letter === 'G')
      return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${letter}`
  }
  return String(tokens)
}

/** What a grant gives, of whatever it has more than 0: `€2.00, 20 calls and 10 minutes`. */
export function grantedText(
  amount: (name: 'eur' | 'tokens' | 'iterations' | 'minutes') => number,
  currency: string,
): string {
  const [eur, tokens, iterations, minutes] = [amount('eur'), amount('tokens'), amount('iterations'), amount('minutes')]
  const given = [
    ...(eur > 0 ? [money(eur, currency)] : []),
    ...(tokens > 0 ? [`${tokenCount(tokens)} tokens`] : []),
    ...(iterations > 0 ? [plural(iterations, 'call')] : []),
    ...(minutes > 0 ? [plural(minutes, 'minute')] : []),
  ]
  const last = given.pop() ?? ''
  return given.length === 0 ? last : `${given.join(', ')} and ${last}`
}

/** `1 call`, `5 calls`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
