import type { Text } from '../text.ts'
import type { Offer } from '../ui/offer.ts'

/** A message about a task that is a terminal of this window leads there too; any other one is unchanged. */
export function withTerminalChoice(offer: Offer, isHere: (task: string) => boolean, text: Text): Offer {
  const { about, choices } = offer
  if (about === null || !isHere(about)) return offer
  return {
    ...offer,
    choices: [...choices, { title: text.terminal.showTerminal, step: { kind: 'showTerminal', task: about } }],
  }
}
