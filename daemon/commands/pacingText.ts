import type { PacingStatus } from '../../shared/status.ts'
import { printable } from './terminal.ts'

/** One window as the cells of a row: `anthropic`, `5h`, `42 % used`, `resets 2026-12-01 14:00`. */
export function pacingRow({ upstream, window, usedShare, state, resetsAt }: PacingStatus): readonly string[] {
  const used = usedShare === null ? stateText(state) : `${Math.round(usedShare * 100)} % used`
  // The zone's own clock, which the offset in the ISO time stands for.
  const resets = resetsAt === null ? '' : `resets ${resetsAt.slice(0, 16).replace('T', ' ')}`
  return [`  ${printable(upstream)}`, printable(window), used, resets]
}

function stateText(state: PacingStatus['state']): string {
  switch (state) {
    case 'warning':
      return 'near its limit'
    case 'rejected':
      return 'used up'
    case 'allowed':
    case null:
      return 'open'
  }
}
