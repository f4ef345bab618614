import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { refuseUnreadable, type DatabaseOptions } from '../database.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { ledgerUnavailable } from '../unavailable.ts'

/** How long a reader waits where the file is locked as a whole, in milliseconds. */
const busyTimeoutMs = 5000

/**
 * Opens a ledger for reading only, also one of a schema that this program does not know. Beside a running daemon it blocks
 * nobody: with a write-ahead log, readers and the writer do not wait for each other. Throws LedgerUnavailable.
 */
export function openReadOnly({ path, nativeBinding }: DatabaseOptions): Database.Database {
  let database: Database.Database | null = null
  try {
    if (!existsSync(path)) throw new LedgerUnavailable(`There is no ledger ${path}.`)
    refuseUnreadable(path)
    database = new Database(path, {
      readonly: true,
      timeout: busyTimeoutMs,
      ...(nativeBinding === undefined ? {} : { nativeBinding }),
    })
    // The file is read with the first statement, and what is no database is known then.
    database.pragma('schema_version')
    return database
  } catch (fault) {
    database?.close()
    throw ledgerUnavailable(fault, path)
  }
}
