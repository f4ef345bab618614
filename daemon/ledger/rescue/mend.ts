import type Database from 'better-sqlite3'
import { mendFigures, type MendedFigures } from './figures.ts'
import { restoreLostSums, type RestoredSums } from './lostCalls.ts'
import { mendReferences, type MendedReferences, type Names } from './references.ts'
import { mendFolding, mendLineSums, mendWindowSums, type ChangedWindow } from './sums.ts'

/** What was put right in a ledger. */
export interface Mended {
  readonly figures: MendedFigures
  readonly references: MendedReferences
  readonly restored: RestoredSums
  readonly lines: number
  readonly windows: readonly ChangedWindow[]
}

/**
 * Adds a ledger up anew from its calls, in one transaction: afterwards invariant 4 holds, or nothing was changed. Where
 * calls are known to be lost (`hasLostCalls`), the sums of their days are kept. Throws what the database throws, and an
 * Error where the sums cannot be made to agree.
 */
export function mendLedger(database: Database.Database, names: Names, nowMs: number, hasLostCalls: boolean): Mended {
  // What refers to nothing gets something to refer to on the way.
  database.pragma('foreign_keys = OFF')
  try {
    return database
      .transaction(() => {
        const figures = mendFigures(database)
        mendFolding(database)
        const references = mendReferences(database, names)
        const restored = hasLostCalls ? restoreLostSums(database, names, nowMs) : { calls: 0, nanoEur: 0 }
        const lines = mendLineSums(database)
        const windows = mendWindowSums(database)
        const dangling = (database.pragma('foreign_key_check') as readonly unknown[]).length
        if (dangling > 0) throw new Error(`${dangling} rows still refer to rows that are not there`)
        return { figures, references, restored, lines, windows }
      })
      .immediate()
  } finally {
    database.pragma('foreign_keys = ON')
  }
}
