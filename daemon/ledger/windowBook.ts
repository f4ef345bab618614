import type Database from 'better-sqlite3'
import type { ScopeRef, WindowTotals } from './ledger.ts'
import { noTotals, totalsColumns, totalsFromColumns, type TotalsColumns } from './rows.ts'

/** One window while a batch changes it. */
export interface OpenWindow {
  readonly scope: ScopeRef
  /** Null until the window is written for the first time. */
  id: number | null
  totals: WindowTotals
  dirty: boolean
}

/** Windows that are kept in memory between batches. */
const mostWindows = 5000

/**
 * The windows that one connection works on. Inside a transaction, `load` gives a window as it is now, changes happen in
 * memory, and `save` writes each changed window once, whatever the number of calls in the batch (A04, A05).
 *
 * Windows stay in memory between batches. SQLite's `data_version` changes when another connection has committed; it is
 * read under the write lock, so what is in memory is what is in the file or is read again.
 */
export class WindowBook {
  readonly #windows = new Map<string, OpenWindow>()
  readonly #dirty: OpenWindow[] = []
  readonly #dataVersion: Database.Statement<[], number>
  readonly #find: Database.Statement<[string, string, string, string], readonly [number, ...TotalsColumns]>
  readonly #findById: Database.Statement<[number], readonly [string, string, string, string]>
  readonly #insert: Database.Statement<[string, string, string, string, number, number, number, number]>
  readonly #update: Database.Statement<[number, number, number, number, number]>
  #seenVersion = -1

  constructor(database: Database.Database) {
    this.#dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck()
    this.#find = database
      .prepare<[string, string, string, string], readonly [number, ...TotalsColumns]>(
        `SELECT id, ${totalsColumns} FROM windows WHERE period = ? AND scope = ? AND ref = ? AND window = ?`,
      )
      .raw()
    this.#findById = database
      .prepare<[number], readonly [string, string, string, string]>(
        'SELECT scope, ref, window, period FROM windows WHERE id = ?',
      )
      .raw()
    this.#insert = database.prepare(
      `INSERT INTO windows (period, scope, ref, window, ${totalsColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#update = database.prepare(
      'UPDATE windows SET spent_nano = ?, reserved_nano = ?, spent_tokens = ?, reserved_tokens = ? WHERE id = ?',
    )
  }

  /** Called first inside each transaction, under the write lock. */
  begin(): void {
    const version = this.#dataVersion.get() ?? -1
    if (version !== this.#seenVersion || this.#windows.size > mostWindows) this.forget()
    this.#seenVersion = version
  }

  /** Drops what is in memory: after a rollback, and after a change that did not go through the book. */
  forget(): void {
    this.#windows.clear()
    this.#dirty.length = 0
  }

  load(scope: ScopeRef): OpenWindow {
    // The reference comes last: it is the only part that may hold any character.
    const key = `${scope.window}|${scope.period}|${scope.scope}|${scope.ref}`
    const known = this.#windows.get(key)
    if (known !== undefined) return known
    const row = this.#find.get(scope.period, scope.scope, scope.ref, scope.window)
    const window: OpenWindow = { scope, id: null, totals: noTotals, dirty: false }
    if (row !== undefined) {
      const [id, ...columns] = row
      window.id = id
      window.totals = totalsFromColumns(columns)
    }
    this.#windows.set(key, window)
    return window
  }

  /** The scope of a window's number; null where there is none. */
  scopeOf(id: number): ScopeRef | null {
    const row = this.#findById.get(id)
    return row === undefined ? null : scopeFromColumns(row)
  }

  change(window: OpenWindow, totals: WindowTotals): void {
    window.totals = totals
    if (window.dirty) return
    window.dirty = true
    this.#dirty.push(window)
  }

  /** The window's number, writing a new window at once because its number goes into the call's row. */
  idOf(window: OpenWindow): number {
    if (window.id !== null) return window.id
    const { scope, totals } = window
    const { lastInsertRowid } = this.#insert.run(
      scope.period,
      scope.scope,
      scope.ref,
      scope.window,
      totals.spentNanoEur,
      totals.reservedNanoEur,
      totals.spentTokens,
      totals.reservedTokens,
    )
    window.id = Number(lastInsertRowid)
    return window.id
  }

  /** Writes the changed windows, once each. */
  save(): void {
    for (const window of this.#dirty) {
      const { spentNanoEur, reservedNanoEur, spentTokens, reservedTokens } = window.totals
      this.#update.run(spentNanoEur, reservedNanoEur, spentTokens, reservedTokens, this.idOf(window))
      window.dirty = false
    }
    this.#dirty.length = 0
  }
}

/** A scope from the columns scope, ref, window, period. */
export function scopeFromColumns([scope, ref, window, period]: readonly [string, string, string, string]): ScopeRef {
  return { scope: scope as ScopeRef['scope'], ref, window: window as ScopeRef['window'], period }
}
