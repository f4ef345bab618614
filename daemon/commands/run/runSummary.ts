import { constants } from 'node:os'
import { eurFromNano } from '../../../shared/money.ts'
import { money, moneyOfCap, plural, tokenCount } from '../amounts.ts'
import type { RunTotals } from './runTally.ts'
import type { RunRefusal, RunState } from './runWatch.ts'
import { printable } from '../terminal.ts'

/** How a command ended: with a code, or by a signal. */
export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The exit code that a shell would report: the command's own, or 128 and the number of the signal. */
export function exitCodeOf({ code, signal }: CommandEnd): number {
  if (code !== null) return code
  return signal === null ? 1 : 128 + constants.signals[signal]
}

/** Everything that the summary of a run shows. */
export interface RunReport {
  readonly task: string
  /** Program name, without arguments. */
  readonly program: string
  readonly end: CommandEnd
  readonly durationMs: number
  readonly totals: RunTotals
  readonly refusals: number
  readonly lastRefusal: RunRefusal | null
  readonly state: RunState
  /** What the calls of the halted task were told. */
  readonly halt: RunRefusal | null
  /** The signal that ended the process group because the task went on calling; null where nothing had to be stopped. */
  readonly stoppedBy: NodeJS.Signals | null
  readonly graceSeconds: number
  readonly capEur: number | null
  readonly capIterations: number | null
  readonly currency: string
  /** False where the daemon did not answer at the end, so that the figures may lack something. */
  readonly isComplete: boolean
}

/** The summary that stands below a command's own output, as lines that end with a line feed. */
export function runSummary(report: RunReport): string {
  const { totals, halt, lastRefusal } = report
  const rows: [string, string][] = [
    ['calls', callsText(report)],
    ['input', `${tokenCount(totals.newInputTokens)} new, ${tokenCount(totals.cachedInputTokens)} cached`],
    ['output', tokenCount(totals.outputTokens)],
    ['spent', spentText(report)],
    ['state', report.state],
  ]
  if (halt !== null) rows.push(['halted by', refusalText(halt)])
  else if (lastRefusal !== null) rows.push(['refused', refusalText(lastRefusal)])
  if (report.stoppedBy !== null) {
    rows.push([
      'stopped',
      `${printable(report.program)} still called ${report.graceSeconds} s after the halt; its processes were ended with ${report.stoppedBy}`,
    ])
  }
  if (!report.isComplete) rows.push(['note', 'the daemon did not answer at the end; the figures may lack calls'])
  const lines = rows.map(([name, value]) => `  ${name.padEnd(11)}${value}`)
  return ['', `Task ${report.task} ${endText(report.end)} after ${durationText(report.durationMs)}`, ...lines, ''].join(
    '\n',
  )
}

function callsText({ totals, refusals, capIterations }: RunReport): string {
  const parts = [capIterations === null ? String(totals.calls) : `${totals.calls} of ${capIterations}`]
  if (refusals > 0) parts.push(`${refusals} refused`)
  if (totals.openCalls > 0) parts.push(`${totals.openCalls} not settled yet`)
  return parts.join(', ')
}

function spentText({ totals, capEur, currency }: RunReport): string {
  const spent = eurFromNano(totals.spentNanoEur)
  const text = capEur === null ? money(spent, currency) : moneyOfCap(spent, capEur, currency)
  return totals.unpricedCalls === 0
    ? text
    : `${text}, and ${plural(totals.unpricedCalls, 'call')} without a known price`
}

function refusalText({ code, message }: RunRefusal): string {
  return message === '' ? printable(code) : `${printable(message)} (${printable(code)})`
}

function endText({ code, signal }: CommandEnd): string {
  return code === null ? `was ended by ${signal ?? 'the system'}` : `ended with exit code ${code}`
}

/** `8.2 s`, `2 min 14 s`, `1 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
