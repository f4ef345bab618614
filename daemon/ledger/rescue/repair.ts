import { existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { openLedgerDatabase, type DatabaseOptions } from '../database.ts'
import { journalLoss, type JournalLoss } from '../file/journal.ts'
import { LedgerPages } from '../file/pages.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { backupLedger, copyLedger } from './backup.ts'
import { examineLedger } from './examine.ts'
import { isFileDamaged, type LedgerFindings } from './findings.ts'
import { mendLedger, type Mended } from './mend.ts'
import { rebuildLedger, type Rebuilt } from './rebuild.ts'
import type { Names } from './references.ts'

/** What a repair needs to know. The caller holds the lock of the data directory. */
export interface RepairOptions extends DatabaseOptions {
  readonly names: Names
  readonly nowMs: number
}

/** What a repair did. */
export interface RepairReport {
  /** The ledger as it was, beside it. */
  readonly backup: string
  /** What came out of the damaged file; null where the file was sound and only its sums were added up. */
  readonly rebuilt: (Pick<Rebuilt, 'losses' | 'rows'> & { readonly journal: JournalLoss | null }) | null
  readonly mended: Mended
  /** An earlier repair had been interrupted; its result was put in place first. */
  readonly wasInterrupted: boolean
}

/**
 * Repairs a ledger that no daemon has open. A sound file is backed up and its sums are added up anew from its calls. A
 * damaged one is copied under a new name and built anew from what can be read. Nothing that was there is lost: the file as
 * it was stays beside the new one.
 *
 * Throws LedgerUnavailable for what is no ledger or one of a newer version, and what the file system throws; then the
 * ledger is as it was.
 */
export async function repairLedger(options: RepairOptions): Promise<RepairReport> {
  const wasInterrupted = finishInterrupted(options.path)
  refuseForeign(options.path)
  const findings = examineLedger({ ...options, isRunning: false })
  refuseFindings(findings)
  const report = isFileDamaged(findings) ? buildAnew(options) : await addUp(options)
  return { ...report, wasInterrupted }
}

async function addUp(options: RepairOptions): Promise<Omit<RepairReport, 'wasInterrupted'>> {
  const { names, nowMs } = options
  const backup = besideLedger(options, 'backup')
  await backupLedger(options, backup)
  const database = openLedgerDatabase(options)
  try {
    return { backup, rebuilt: null, mended: mendLedger(database, names, nowMs, false) }
  } finally {
    database.close()
  }
}

function buildAnew(options: RepairOptions): Omit<RepairReport, 'wasInterrupted'> {
  const { names, nowMs } = options
  const backup = besideLedger(options, 'damaged')
  // Before anything else, because it is gone once SQLite has opened the file.
  const journal = journalLoss(options.path)
  copyLedger(options.path, backup)
  const draft = draftPath(options.path)
  const pages = new LedgerPages(options.path)
  try {
    const { database, losses, rows, figures } = rebuildLedger(pages, draft, options)
    let mended: Mended
    try {
      mended = mendLedger(database, names, nowMs, true)
    } finally {
      database.close()
    }
    putInPlace(options.path)
    const all = { calls: figures.calls + mended.figures.calls, sums: figures.sums + mended.figures.sums }
    return { backup, rebuilt: { losses, rows, journal }, mended: { ...mended, figures: all } }
  } catch (fault) {
    // The damaged file is still where it was; after that point nothing fails but the last rename.
    if (!existsSync(options.path) || statSync(options.path).size > 0) removeLedger(draft)
    throw fault
  } finally {
    pages.close()
  }
}

/**
 * Puts the new file in the place of the old one. The old one is emptied first: an empty file is refused at every start,
 * while the old one without its journal, or the new one with it, would be taken for a ledger with other sums.
 */
function putInPlace(ledger: string): void {
  if (existsSync(ledger)) truncateSync(ledger, 0)
  for (const suffix of ['-wal', '-shm']) rmSync(ledger + suffix, { force: true })
  renameSync(draftPath(ledger), ledger)
}

/** A repair that ended between the two steps above is brought to its end. */
function finishInterrupted(ledger: string): boolean {
  const isEmptied = existsSync(ledger) && statSync(ledger).size === 0
  if (!isEmptied || !existsSync(draftPath(ledger))) return false
  putInPlace(ledger)
  return true
}

function draftPath(ledger: string): string {
  return `${ledger}.repaired`
}

function removeLedger(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/** `ledger-2026-11-30-120501.backup.db`, in UTC, with a number behind it where that is taken. */
function besideLedger({ path: ledger, nowMs }: RepairOptions, kind: 'backup' | 'damaged'): string {
  const time = new Date(nowMs).toISOString()
  const stamp = `${time.slice(0, 10)}-${time.slice(11, 19).replaceAll(':', '')}`
  const { dir, name } = path.parse(ledger)
  for (let copy = 1; ; copy += 1) {
    const file = path.join(dir, `${name}-${stamp}${copy === 1 ? '' : `-${copy}`}.${kind}.db`)
    if (!existsSync(file)) return file
  }
}

function refuseForeign(ledger: string): void {
  if (!existsSync(ledger)) {
    if (!existsSync(`${ledger}-wal`)) throw new LedgerUnavailable(`There is no ledger ${ledger}.`)
    return
  }
  if (!statSync(ledger).isFile()) throw new LedgerUnavailable(`${ledger} is no file. Move it away.`)
  const pages = new LedgerPages(ledger)
  try {
    if (pages.header?.schema === 0) {
      throw new LedgerUnavailable(`${ledger} is not a ledger of Tollgate. Move it away.`)
    }
  } finally {
    pages.close()
  }
}

function refuseFindings({ path: ledger, findings }: LedgerFindings): void {
  const newer = findings.find(({ kind }) => kind === 'schema_newer')
  if (newer !== undefined) {
    throw new LedgerUnavailable(`${ledger} is not repaired. ${newer.says} Repair it with that version.`)
  }
  const away = findings.find(({ kind }) => kind === 'inaccessible')
  if (away !== undefined) throw new LedgerUnavailable(away.says)
}
