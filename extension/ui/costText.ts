import type { Text } from '../text/text.ts'
import type { Figures } from './figures.ts'

/** What calls cost: in euros, and of subscriptions at list price. */
export interface Cost {
  readonly eur: number
  readonly listPriceEur: number
}

/** Euros that are a floor where a price in them is not known: `≥ €1.84`, and `€?` where nothing of them is. Never `€0.00` then. */
export function spentOf(eur: number, isFloor: boolean, text: Text, figures: Figures): string {
  if (!isFloor) return figures.eur(eur)
  return eur === 0 ? figures.unknownEur : text.spend.floor(figures.eur(eur))
}

/** What was spent, and what subscription calls would have cost. */
export function costText({ eur, listPriceEur }: Cost, isFloor: boolean, text: Text, figures: Figures): string {
  const spent = spentOf(eur, isFloor, text, figures)
  if (listPriceEur === 0) return spent
  const listed = text.atListPrice(figures.eur(listPriceEur))
  return eur === 0 && !isFloor ? listed : text.sumOf(spent, listed)
}
