import type Database from 'better-sqlite3'
import type { DatabaseOptions } from '../database.ts'
import { LedgerPages } from '../file/pages.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { ledgerUnavailable } from '../unavailable.ts'
import { exportColumns, type StoredRow } from './exportCalls.ts'
import { openReadOnly } from './readOnly.ts'
import { readLayouts } from './layout.ts'
import { readableSchema, withSchema } from './rebuild.ts'
import { Salvage } from './salvage.ts'

/** What is known to be missing from the calls that were read. */
export interface UnreadCalls {
  readonly pages: number
  readonly rows: number
  /** Settled calls that the sums of the days know beyond those that were read. */
  readonly calls: number
}

/** Every call of a ledger that SQLite can read, oldest first, by the columns that it has: also of a newer schema. */
export function* readCalls(database: Database.Database): Generator<StoredRow> {
  const has = new Map<string, string>()
  for (const [table, short] of [
    ['lines', 'l'],
    ['calls', 'c'],
  ] as const) {
    for (const name of database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)) {
      // `input` and `output` are in both; those of the call are meant.
      has.set(name, `${short}.${name}`)
    }
  }
  const columns = exportColumns.flatMap(({ from }) => has.get(from) ?? [])
  yield* database
    .prepare<[], StoredRow>(
      `SELECT ${columns.join(', ')} FROM calls c LEFT JOIN lines l ON l.id = c.line ORDER BY c.seq`,
    )
    .iterate()
}

/** Opens a ledger for `readCalls`. Throws LedgerUnavailable where SQLite cannot read it. */
export function withCalls<Result>(options: DatabaseOptions, use: (rows: Iterable<StoredRow>) => Result): Result {
  const database = openReadOnly(options)
  try {
    return use(readCalls(database))
  } catch (fault) {
    if (fault instanceof LedgerUnavailable || !isOfSqlite(fault)) throw fault
    throw ledgerUnavailable(fault, options.path)
  } finally {
    database.close()
  }
}

function isOfSqlite(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && String(fault.code).startsWith('SQLITE_')
}

/** Every call of a damaged ledger that can be read page by page, in no order, and what is missing. */
export function salvageCalls<Result>(
  options: DatabaseOptions,
  use: (rows: Iterable<StoredRow>) => Result,
): { readonly result: Result; readonly unread: UnreadCalls } {
  const pages = new LedgerPages(options.path)
  try {
    const tables = withSchema(readableSchema(pages), options, readLayouts)
    // Two rounds, each for the pages of one table: the names that calls share can lie anywhere in the file.
    const salvageOf = (name: string): Salvage =>
      new Salvage(
        pages,
        tables.filter((table) => table.name === name),
      )
    const lines = new Map<unknown, StoredRow>()
    let counted = 0
    for (const row of namedRows(salvageOf('lines'))) {
      if (lines.has(row['id'])) continue
      lines.set(row['id'], row)
      if (!isFolded(row) && Number.isSafeInteger(row['calls'])) counted += Number(row['calls'])
    }
    const salvage = salvageOf('calls')
    let settled = 0
    const seen = new Set<unknown>()
    const calls = function* (): Generator<StoredRow> {
      for (const row of namedRows(salvage)) {
        if (seen.has(row['seq'])) continue
        seen.add(row['seq'])
        const line = lines.get(row['line']) ?? {}
        const hasReached = row['settlement'] !== null && row['settlement'] !== 'released'
        if (hasReached && !isFolded(line)) settled += 1
        yield { ...line, ...row }
      }
    }
    const result = use(calls())
    return { result, unread: { ...salvage.losses, calls: Math.max(0, counted - settled) } }
  } finally {
    pages.close()
  }
}

/** Whether retention has removed calls of a line: then its count says nothing about what could not be read. */
function isFolded(line: StoredRow): boolean {
  return ['folded_nano', 'folded_list_nano', 'folded_tokens'].some((column) => Number(line[column] ?? 0) > 0)
}

function* namedRows(salvage: Salvage): Generator<StoredRow> {
  for (const { table, values } of salvage.rows()) {
    yield Object.fromEntries(table.columns.map((column, at) => [column.name, values[at]]))
  }
}
