import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { publishOnce, restrictToOwner } from '../lifecycle/privateFile.ts'
import { journalLoss } from './file/journal.ts'
import { schemaOfFile } from './file/pages.ts'
import { LedgerUnavailable } from './ledger.ts'
import { migrations, schemaVersion } from './schema.ts'
import { damagedLedger, ledgerUnavailable, wayOut } from './unavailable.ts'

/** Where the ledger's file is and how SQLite is loaded. */
export interface DatabaseOptions {
  readonly path: string
  /** The `.node` file of better-sqlite3 where it does not lie in its package. */
  readonly nativeBinding?: string
}

/** How long a statement waits for another process's lock, in milliseconds (M01, M02). */
const busyTimeoutMs = 5000

/** Half of SQLite's page: a commit writes each page it touched as a whole, and a call touches half a dozen. */
const pageBytes = 2048

/**
 * Pages in the write-ahead log before they are moved to the main file. 2 MB: the log is soon written over in place, which
 * is cheaper to flush than a file that grows.
 */
const checkpointPages = 1000

/**
 * Opens the ledger's file, makes it if there is none, and brings its schema up to date. The file is readable for its
 * owner only.
 *
 * Throws LedgerUnavailable for a file that is damaged, empty, or written by a newer version, and leaves it untouched: such
 * a file must not turn into a fresh ledger with nothing spent (M08).
 */
export function openLedgerDatabase(options: DatabaseOptions): Database.Database {
  const { path } = options
  let database: Database.Database | null = null
  try {
    if (!existsSync(path)) create(options)
    else refuseUnusable(path)
    database = connect(path, options)
    if (readVersion(database) === 0) throw damagedLedger(`${path} is not a ledger of Tollgate`)
    restrictToOwner(path)
    configure(database)
    migrate(database)
    return database
  } catch (fault) {
    database?.close()
    throw ledgerUnavailable(fault, path)
  }
}

/** Refuses what must not be opened for writing. Throws LedgerUnavailable, or what the file system throws. */
function refuseUnusable(path: string): void {
  refuseUnreadable(path)
  // Opening alone would change a file of the future whose daemon died.
  const version = schemaOfFile(path) ?? 0
  if (version > schemaVersion) throw futureLedger(path, version)
}

/**
 * Refuses what SQLite must not open, not even for reading: it takes an empty file for an empty database, accepts one whose
 * journal was cut, and wipes out the trace of that. Throws LedgerUnavailable, or what the file system throws.
 */
export function refuseUnreadable(path: string): void {
  const found = statSync(path)
  if (found.isDirectory()) throw damagedLedger(`${path} is a folder and no ledger`)
  if (found.size === 0) throw damagedLedger(`The ledger ${path} is empty (0 bytes)`)
  const loss = journalLoss(path)
  if (loss === null) return
  const { committedFrames, foundFrames } = loss
  throw damagedLedger(
    `The end of the journal ${path}-wal is missing (${foundFrames} of ${committedFrames} pages are left), so the ledger does not know what was spent last`,
  )
}

function futureLedger(path: string, version: number): LedgerUnavailable {
  return new LedgerUnavailable(
    `The ledger ${path} was written by a newer version of Tollgate (schema ${version}, this one knows ${schemaVersion}) and was left as it is. Update Tollgate. ${wayOut}`,
  )
}

function connect(path: string, { nativeBinding }: Pick<DatabaseOptions, 'nativeBinding'>): Database.Database {
  return new Database(path, { timeout: busyTimeoutMs, ...(nativeBinding === undefined ? {} : { nativeBinding }) })
}

/**
 * Makes the file under another name and links it into place when its schema is complete. A ledger that exists is
 * therefore never half made, two processes that start at once agree on one file, and an empty file means damage.
 */
function create(options: DatabaseOptions): void {
  const { path } = options
  if (existsSync(`${path}-wal`))
    throw damagedLedger(`The ledger ${path} is missing, but its journal ${path}-wal is there`)
  const draft = `${path}.${process.pid}.new`
  try {
    draftLedger(draft, options, schemaVersion).close()
    publishOnce(draft, path)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  }
}

/**
 * Makes a new file with the first `schema` steps, for its owner only, in the place of what is there, and opens it. What a
 * ledger of an older version held is put into a file of that version before the later steps change it.
 */
export function draftLedger(
  path: string,
  options: Pick<DatabaseOptions, 'nativeBinding'>,
  schema: number,
): Database.Database {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  closeSync(openSync(path, 'wx', 0o600))
  const database = connect(path, options)
  try {
    database.pragma(`page_size = ${pageBytes}`)
    configure(database)
    migrate(database, schema)
    return database
  } catch (fault) {
    database.close()
    throw fault
  }
}

function configure(database: Database.Database): void {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database.pragma(`wal_autocheckpoint = ${checkpointPages}`)
}

function readVersion(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/** Each step and its number are one transaction; a second process that waited for it finds it done. */
export function migrate(database: Database.Database, until = schemaVersion): void {
  const step = database.transaction(() => {
    const version = readVersion(database)
    const sql = version < until ? migrations[version] : undefined
    if (sql === undefined) return false
    database.exec(sql)
    database.pragma(`user_version = ${version + 1}`)
    return true
  })
  while (step.immediate());
}
