import type { Text } from '../text/text.ts'
import { allowedText, capText } from '../ui/caps.ts'
import type { Figures } from '../ui/figures.ts'
import { nameOfCap } from '../ui/notices.ts'
import { shareOf } from './raisableCaps.ts'
import type { Allowed, Holding, RaisableCap } from './raisableCaps.ts'

/** A cap by its configured amount: `€10.00 a day for you`. */
export function raisableName({ unit, cap, scope, name, window, isOwn }: RaisableCap, text: Text, figures: Figures) {
  return nameOfCap({ unit, limit: cap, scope, ref: name, window, isOwn }, text, figures)
}

/** An amount in a cap's unit. */
export function amountText(unit: RaisableCap['unit'], amount: number, text: Text, figures: Figures): string {
  return capText(unit, amount, figures, text)
}

/** What is allowed on top of a cap: `€2.00`, `€2.00 + 50k tokens`. */
export function grantText({ eur, tokens }: Allowed['grant'], text: Text, figures: Figures): string {
  return allowedText({ grantedEur: eur, grantedTokens: tokens }, figures, text) ?? ''
}

/** How far a cap is used: `€9.80 of €10.00 used (98%)`. */
export function fillText(cap: RaisableCap, text: Text, figures: Figures): string {
  const { unit, used, limit } = cap
  if (limit === 0) return text.spend.paidCallsOff
  const amount = (one: number): string => (unit === 'eur' ? figures.eur(one) : figures.tokens(one))
  return text.spend.usedOf(amount(used), amountText(unit, limit, text, figures), figures.percent(shareOf(cap)))
}

/** What is said after a cap was raised: how much and until when, what still stops calls, and that all are stopped where they are. */
export function raisedText(
  raised: { readonly cap: RaisableCap; readonly amount: number; readonly until: string },
  holding: Holding | null,
  isKilled: boolean,
  text: Text,
  figures: Figures,
): string {
  const { cap, amount, until } = raised
  const name = raisableName(cap, text, figures)
  return [
    text.spend.raisedToday(amountText(cap.unit, amount, text, figures), until, name),
    ...(holding === null
      ? []
      : [
          text.spend.stillHolds(
            raisableName(holding.cap, text, figures),
            amountText(holding.cap.unit, holding.left, text, figures),
          ),
        ]),
    ...(isKilled ? [text.labelKilled] : []),
  ].join(' ')
}
