import type { SpendStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { allowedText } from './caps.ts'
import type { Figures } from './figures.ts'

/** What is allowed on top of the caps of a window for a while. */
export interface AllowedOnTop {
  /** Everything that is in force now. */
  readonly all: string
  /** How much of it until when, the first end first: `€2.00 until 18:00`. One where everything ends at the same time. */
  readonly parts: readonly string[]
  /** When the first part ends. */
  readonly until: string
}

/** What is allowed on top of the caps of a window; null where nothing is. An older gate only says when the first of it ends. */
export function allowedOnTop(spend: SpendStatus, nowMs: number, text: Text, figures: Figures): AllowedOnTop | null {
  const all = allowedText(spend, figures, text)
  if (all === null) return null
  const until = figures.when(spend.grantedUntil ?? spend.resetsAt, nowMs)
  const byEnd = new Map<string, { readonly grantedEur: number; readonly grantedTokens: number }>()
  for (const part of spend.granted ?? []) {
    // Ends within one minute are one to whoever reads it.
    const end = figures.when(part.until, nowMs)
    const { grantedEur, grantedTokens } = byEnd.get(end) ?? { grantedEur: 0, grantedTokens: 0 }
    byEnd.set(end, { grantedEur: grantedEur + part.eur, grantedTokens: grantedTokens + part.tokens })
  }
  const parts = [...byEnd].flatMap(([end, amounts]) => {
    const amount = allowedText(amounts, figures, text)
    return amount === null ? [] : [text.amountUntil(amount, end)]
  })
  return { all, parts, until }
}

/** As a row of its own: `+€2.00 until 18:00`; `+€3.00: €2.00 until 18:00, €1.00 until 00:00`. */
export function allowedRow({ all, parts, until }: AllowedOnTop, text: Text): string {
  return parts.length > 1 ? text.spend.onTopInParts(all, parts.join(', ')) : text.spend.onTop(all, until)
}

/** In a sentence about a window, which is gone with it. */
export function allowedSentence(window: string, { all, parts, until }: AllowedOnTop, text: Text): string {
  return parts.length > 1 ? text.allowedInParts(window, all, parts.join(', ')) : text.allowedOnTop(window, all, until)
}
