import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { publishOnce, restrictToOwner } from '../lifecycle/privateFile.ts'
import { LedgerUnavailable } from './ledger.ts'
import { migrations, schemaVersion } from './schema.ts'
import { ledgerUnavailable } from './unavailable.ts'

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
    if (statSync(path).size === 0) throw damaged(`The ledger ${path} is empty (0 bytes)`)
    database = connect(path, options)
    const version = readVersion(database)
    if (version > schemaVersion) {
      throw new LedgerUnavailable(
        `The ledger ${path} was written by a newer version of Tollgate (schema ${version}, this one knows ${schemaVersion}). Update Tollgate.`,
      )
    }
    if (version === 0) throw damaged(`${path} is not a ledger of Tollgate`)
    restrictToOwner(path)
    configure(database)
    migrate(database)
    return database
  } catch (fault) {
    database?.close()
    throw ledgerUnavailable(fault, path)
  }
}

function damaged(what: string): LedgerUnavailable {
  return new LedgerUnavailable(
    `${what} and was left as it is. Stop Tollgate, keep a copy of the file, then restore a backup or move it away to start a new ledger.`,
  )
}

function connect(path: string, { nativeBinding }: DatabaseOptions): Database.Database {
  return new Database(path, { timeout: busyTimeoutMs, ...(nativeBinding === undefined ? {} : { nativeBinding }) })
}

/**
 * Makes the file under another name and links it into place when its schema is complete. A ledger that exists is
 * therefore never half made, two processes that start at once agree on one file, and an empty file means damage.
 */
function create(options: DatabaseOptions): void {
  const { path } = options
  if (existsSync(`${path}-wal`)) throw damaged(`The ledger ${path} is missing, but its journal ${path}-wal is there`)
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  closeSync(openSync(draft, 'wx', 0o600))
  try {
    const database = connect(draft, options)
    try {
      database.pragma(`page_size = ${pageBytes}`)
      configure(database)
      migrate(database)
    } finally {
      database.close()
    }
    publishOnce(draft, path)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
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
function migrate(database: Database.Database): void {
  const step = database.transaction(() => {
    const version = readVersion(database)
    const sql = migrations[version]
    if (sql === undefined) return false
    database.exec(sql)
    database.pragma(`user_version = ${version + 1}`)
    return true
  })
  while (step.immediate());
}
