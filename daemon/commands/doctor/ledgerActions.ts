import { statSync } from 'node:fs'
import { nanoFromEur } from '../../../shared/money.ts'
import { storedPersonalCaps } from '../../control/caps.ts'
import { Configuration } from '../../config/configuration.ts'
import { cappedScope, tenantMonth, userDay } from '../../budget/scopes.ts'
import { createCalendar } from '../../budget/calendar.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import { LedgerReaders } from '../../ledger/readers.ts'
import { backupLedger, FileExists } from '../../ledger/rescue/backup.ts'
import { examineLedger } from '../../ledger/rescue/examine.ts'
import { exportFormat, writeExport } from '../../ledger/rescue/exportCalls.ts'
import { isFileDamaged } from '../../ledger/rescue/findings.ts'
import { salvageCalls, withCalls, type UnreadCalls } from '../../ledger/rescue/readCalls.ts'
import { openReadOnly } from '../../ledger/rescue/readOnly.ts'
import { repairLedger, type RepairReport } from '../../ledger/rescue/repair.ts'
import { acquireInstanceLock } from '../../lifecycle/instanceLock.ts'
import { moneyOfCap, plural } from '../amounts.ts'
import { CommandFailure } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import { printable } from '../terminal.ts'
import { repairText } from './repairText.ts'
import type { DoctorWorld } from './world.ts'

/** An action that was done, and not with everything. */
const exitIncomplete = 1

/** `doctor --backup FILE`. Throws a CommandFailure. */
export async function backUp({ ledger }: DoctorWorld, file: string, terminal: Terminal): Promise<number> {
  refuseMissing(ledger.path)
  const kind = await attempt(() => backupLedger(ledger, file))
  terminal.out(`The ledger was copied to ${printable(file)}.\n`)
  if (kind === 'online') return 0
  terminal.err('It is damaged and was copied as it is, with its journal beside it.\n')
  return exitIncomplete
}

/** `doctor --export FILE`. Throws a CommandFailure. */
export async function exportLedger(world: DoctorWorld, file: string, terminal: Terminal): Promise<number> {
  const { ledger } = world
  const format = exportFormat(file) ?? 'jsonl'
  refuseMissing(ledger.path)
  const findings = examineLedger({ ...ledger, isRunning: world.daemon.kind === 'running' })
  const { calls, unread } = await attempt(() => {
    if (!isFileDamaged(findings)) {
      return { calls: withCalls(ledger, (rows) => writeExport(file, format, rows)), unread: null }
    }
    const { result, unread } = salvageCalls(ledger, (rows) => writeExport(file, format, rows))
    return { calls: result, unread }
  })
  terminal.out(`${plural(calls, 'call')} written to ${printable(file)}.\n`)
  if (unread === null) return 0
  terminal.err(`The ledger is damaged: ${unreadText(unread)}\n`)
  return exitIncomplete
}

function unreadText({ pages, rows, calls }: UnreadCalls): string {
  const missing = [...(pages > 0 ? [plural(pages, 'page')] : []), ...(rows > 0 ? [plural(rows, 'row')] : [])].join(
    ' and ',
  )
  const lost = calls > 0 ? ` The sums of the days know ${plural(calls, 'more call')}.` : ''
  return `${missing === '' ? 'nothing else is known to be missing' : `${missing} could not be read`}.${lost}`
}

/** `doctor --repair`. Throws a CommandFailure. */
export async function repair(world: DoctorWorld, terminal: Terminal): Promise<number> {
  const { ledger, loaded, dataDir, nowMs } = world
  if (!loaded.ok) {
    throw new CommandFailure(
      `Correct the configuration first, because the caps are in it: ${loaded.problems.join(' ')}`,
    )
  }
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandFailure(`There is no data directory ${dataDir}.`)
  }
  const lock = await attempt(() => acquireInstanceLock(dataDir, ledger.nativeBinding))
  if (lock === null) {
    throw new CommandFailure(`A daemon has the ledger of ${dataDir} open. Stop it, then run this command again.`)
  }
  try {
    const report = await attempt(() => repairLedger({ ...ledger, names: loaded.config, nowMs }))
    terminal.out(repairText(report, loaded.config.currency.code))
    terminal.out(todayText(world))
    return hasLost(report) ? exitIncomplete : 0
  } finally {
    lock.release()
  }
}

/** Whether something of the damaged ledger is not in the new one. */
function hasLost({ rebuilt, mended }: RepairReport): boolean {
  if (rebuilt === null) return false
  const { losses, rows, journal } = rebuilt
  return rows.size === 0 || journal !== null || losses.pages + losses.rows + mended.restored.calls > 0
}

/** What counts against the caps of today from now on: the question that a repair leaves open for everybody. */
function todayText({ ledger, loaded, dataDir, nowMs }: DoctorWorld): string {
  if (!loaded.ok) return ''
  const database = openReadOnly(ledger)
  try {
    const readers = new LedgerReaders(database)
    const configuration = new Configuration(
      loaded.config,
      storedPersonalCaps(dataDir),
      readers.capOverrides(nowMs),
      nowMs,
    )
    const { budgets, tenant, user, timezone, currency } = configuration.current(nowMs)
    const period = createCalendar(() => timezone, readers.newestDay()).periods(nowMs)
    const lines = [
      { title: `Today, ${user}`, scope: userDay(tenant, user, period) },
      { title: `This month, ${tenant}`, scope: tenantMonth(tenant, period) },
    ].map(({ title, scope }) => {
      const { capNanoEur } = cappedScope(scope, budgets, new Map())
      const { spentNanoEur, reservedNanoEur } = readers.totals(scope)
      const spent = (spentNanoEur + reservedNanoEur) / nanoFromEur(1)
      return `  ${title}: ${moneyOfCap(spent, capNanoEur === null ? null : capNanoEur / nanoFromEur(1), currency.code)}\n`
    })
    return `Counted against the caps from now on:\n${printableLines(lines)}`
  } finally {
    database.close()
  }
}

function printableLines(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line.trimEnd())}\n`).join('')
}

function refuseMissing(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new CommandFailure(`There is no ledger ${file}.`)
}

/** Turns what stands in the way into a sentence. */
async function attempt<Result>(body: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await body()
  } catch (fault) {
    if (fault instanceof CommandFailure) throw fault
    if (fault instanceof FileExists) throw new CommandFailure(`${fault.message} is there already. Give another name.`)
    if (fault instanceof LedgerUnavailable) throw new CommandFailure(fault.message)
    throw new CommandFailure(fault instanceof Error ? `${fault.message.replace(/\.$/, '')}.` : String(fault))
  }
}
