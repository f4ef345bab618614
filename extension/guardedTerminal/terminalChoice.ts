import type { Text } from '../text/text.ts'
import type { Choice, Offer } from '../ui/offer.ts'

/**
 * A message about a task that is a terminal of this window leads there too; any other one is unchanged. Where the task is halted
 * already, that takes the place of *Stop Task*: VS Code cuts the words of five buttons off.
 */
export function withTerminalChoice(offer: Offer, isHere: (task: string) => boolean, text: Text): Offer {
  const { about, kind } = offer
  if (about === null || !isHere(about)) return offer
  const isHalted = kind === 'taskHalted' || kind === 'loopHalted'
  const kept = offer.choices.filter(({ step }) => !isHalted || step.kind !== 'stop')
  const show: Choice = { title: text.terminal.showTerminal, step: { kind: 'showTerminal', task: about } }
  return { ...offer, choices: [...kept, show] }
}
