import type { Localiser } from './text.ts'
import type { Figures } from '../ui/figures.ts'

/**
 * A localiser that fills numbers into its sentences as the user's language writes them: `1,204 ms`, `1.204 ms`. What is no amount,
 * such as a process id, has to be passed as text.
 */
export function localiserIn({ amount }: Pick<Figures, 'amount'>, source: Localiser): Localiser {
  return {
    t: (message, ...args) =>
      source.t(message, ...args.map((value) => (typeof value === 'number' ? amount(value) : value))),
  }
}
