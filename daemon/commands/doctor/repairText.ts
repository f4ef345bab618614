import { eurFromNano } from '../../../shared/money.ts'
import { mostExamples } from '../../ledger/rescue/findings.ts'
import type { RepairReport } from '../../ledger/rescue/repair.ts'
import { totalsText } from '../../ledger/rescue/rowFindings.ts'
import { money, plural } from '../amounts.ts'
import { printable } from '../terminal.ts'

/** What a repair did, for the person who asked for it: what is lost is said as numbers. */
export function repairText(report: RepairReport, currency: string): string {
  const lines = [...(report.rebuilt === null ? addedUp(report) : builtAnew(report, currency)), ...mendedText(report)]
  return `${lines.map(printable).join('\n')}\n`
}

function addedUp({ backup, mended, wasInterrupted }: RepairReport): readonly string[] {
  const changed = mended.lines + mended.windows.length
  return [
    `The ledger as it was is kept as ${backup}.`,
    ...(wasInterrupted ? ['An earlier repair had been interrupted; its result is in place now.'] : []),
    changed === 0
      ? 'All sums equalled their calls already.'
      : `${plural(mended.windows.length, 'window')} and ${plural(mended.lines, 'day sum')} were added up anew from their calls.`,
  ]
}

function builtAnew({ backup, rebuilt, mended, wasInterrupted }: RepairReport, currency: string): readonly string[] {
  if (rebuilt === null) return []
  const { losses, rows, journal } = rebuilt
  const calls = rows.get('calls') ?? 0
  const { restored } = mended
  const nothing = 'Nothing could be read. What was spent before is not known: every cap begins at 0 spent again.'
  return [
    `The damaged ledger is kept as ${backup}.`,
    ...(wasInterrupted ? ['An earlier repair had been interrupted; its result was repaired again.'] : []),
    rows.size === 0 ? nothing : `A new ledger was built from ${plural(calls, 'call')} that could be read.`,
    ...(losses.pages + losses.rows > 0
      ? [`${plural(losses.pages, 'page')} and ${plural(losses.rows, 'row')} could not be read.`]
      : []),
    ...(journal === null
      ? []
      : [
          `Of the journal ${journal.foundFrames} of ${journal.committedFrames} pages were left: what was spent last is not known and does not count.`,
        ]),
    ...(restored.calls === 0
      ? []
      : [
          `${plural(restored.calls, 'call')} that could not be read are still in the sums of their days: ${money(eurFromNano(restored.nanoEur), currency)} is kept as one row a day and model, without the tasks.`,
        ]),
  ]
}

function mendedText({ rebuilt, mended }: RepairReport): readonly string[] {
  const { figures, references, windows } = mended
  const lines: string[] = []
  if (figures.calls > 0) {
    lines.push(`${plural(figures.calls, 'call')} with impossible figures: charged with what was reserved.`)
  }
  if (figures.sums > 0) lines.push(`${plural(figures.sums, 'sum')} with impossible figures: added up anew.`)
  if (references.lines > 0)
    lines.push(`${plural(references.lines, 'call')} without their names: counted for day and user.`)
  if (references.windows > 0) lines.push(`${plural(references.windows, 'call')} without their windows: charged again.`)
  for (const { scope, before, after } of windows.slice(0, mostExamples)) {
    const period = scope.window === 'life' ? '' : ` ${scope.period}`
    lines.push(`  ${scope.scope} ${scope.ref}${period}: ${totalsText(before)}, now ${totalsText(after)}`)
  }
  if (windows.length > mostExamples) lines.push(`  and ${windows.length - mostExamples} more`)
  if (rebuilt !== null && windows.length > 0) lines.unshift(`${plural(windows.length, 'window')} changed:`)
  return lines
}
