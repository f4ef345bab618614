import type { PacingStatus, Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import type { Figures } from './figures.ts'
import { mostRows, plain } from './tooltipTable.ts'

/** How far the providers' own windows are used, a line each: `anthropic, window 5h: 42% used, resets 14:00`. */
export function pacingLines(status: Status, nowMs: number, text: Text, figures: Figures): readonly string[] {
  const lines = status.pacing.slice(0, mostRows).map((paced) => {
    const usage = usageText(paced, text, figures)
    return paced.resetsAt === null ? usage : text.pacingResets(usage, figures.when(paced.resetsAt, nowMs))
  })
  // In one paragraph: apart, each would take the room of two lines.
  return lines.length === 0 ? [] : [lines.join('  \n')]
}

function usageText({ upstream, window, usedShare, state }: PacingStatus, text: Text, figures: Figures): string {
  const [name, length] = [plain(upstream), plain(window)]
  if (usedShare !== null) return text.pacingUsed(name, length, figures.percent(usedShare))
  switch (state) {
    case 'warning':
      return text.pacingWarning(name, length)
    case 'rejected':
      return text.pacingRejected(name, length)
    case 'allowed':
    case null:
      return text.pacingAllowed(name, length)
  }
}
