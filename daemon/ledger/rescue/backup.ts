import { closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { publishOnce, restrictToOwner } from '../../lifecycle/privateFile.ts'
import type { DatabaseOptions } from '../database.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { openReadOnly } from './readOnly.ts'

/** How a backup was made: through SQLite, whole at one moment, or byte by byte because SQLite cannot read the file. */
export type BackupKind = 'online' | 'bytes'

/** A file that should be made is there already. */
export class FileExists extends Error {
  override name = 'FileExists'
}

/** More pages than a file has: all are copied in one step, so that a busy daemon cannot make the backup begin anew. */
const allPages = 0x7fffffff

/**
 * Copies a ledger into a new file that only its owner may read, also while a daemon writes to it: what was committed when
 * the copy began. A file that SQLite cannot read is copied as it is, with its journal and the journal's index beside it
 * under the same suffixes. Throws FileExists, and what the file system throws; an unfinished copy is removed.
 */
export async function backupLedger(options: DatabaseOptions, target: string): Promise<BackupKind> {
  refuseExisting(target)
  const draft = `${target}.${process.pid}.new`
  rmSync(draft, { force: true })
  closeSync(openSync(draft, 'wx', 0o600))
  try {
    const kind = (await backupOnline(options, draft)) ? 'online' : 'bytes'
    if (kind === 'bytes') {
      copyFileSync(options.path, draft)
      restrictToOwner(draft)
      copyJournal(options.path, target)
    }
    flushFile(draft)
    if (!publishOnce(draft, target)) throw new FileExists(target)
    return kind
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true })
  }
}

/** False where SQLite cannot read the ledger. */
async function backupOnline(options: DatabaseOptions, draft: string): Promise<boolean> {
  let database: ReturnType<typeof openReadOnly>
  try {
    database = openReadOnly(options)
  } catch (fault) {
    if (fault instanceof LedgerUnavailable) return false
    throw fault
  }
  try {
    await database.backup(draft, { progress: () => allPages })
    return true
  } catch (fault) {
    if (isCorruption(fault)) return false
    throw fault
  } finally {
    database.close()
  }
}

function isCorruption(fault: unknown): boolean {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : ''
  return code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')
}

/** Copies a ledger byte by byte, with its journal, into files that only their owner may read. Throws FileExists. */
export function copyLedger(path: string, target: string): void {
  refuseExisting(target)
  if (existsSync(path)) copyPrivately(path, target)
  copyJournal(path, target)
}

/** Without the files beside it the last calls are missing. */
function copyJournal(path: string, target: string): void {
  for (const suffix of ['-wal', '-shm']) {
    if (!existsSync(path + suffix)) continue
    refuseExisting(target + suffix)
    copyPrivately(path + suffix, target + suffix)
  }
}

function copyPrivately(path: string, target: string): void {
  copyFileSync(path, target, constants.COPYFILE_EXCL)
  restrictToOwner(target)
  flushFile(target)
}

/** Throws FileExists. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw new FileExists(path)
}

function flushFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
