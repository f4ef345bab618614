import type Database from 'better-sqlite3'
import { worstCase } from '../closing.ts'

/** Tables whose whole numbers are sums, counts, times and references: never negative. */
export const countedTables = ['calls', 'lines', 'windows'] as const

/** A condition that is true for what is no whole number from 0 to the largest that a sum can hold. */
export function isUnsound(column: string): string {
  return `(typeof(${column}) <> 'integer' OR ${column} NOT BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER})`
}

/** Columns of a table that must hold such a number in each row. */
export function countColumns(database: Database.Database, table: string): readonly string[] {
  return database
    .prepare<[string], string>(
      'SELECT name FROM pragma_table_info(?) WHERE type = \'INTEGER\' AND "notnull" = 1 AND pk = 0',
    )
    .pluck()
    .all(table)
}

/** A condition that is true for a row with at least one number that is none. */
export function hasUnsound(database: Database.Database, table: string): string {
  return countColumns(database, table)
    .map((column) => isUnsound(column))
    .join(' OR ')
}

/** What was done about numbers that are none. */
export interface MendedFigures {
  /** Calls that count at what was reserved for them. */
  readonly calls: number
  /** Windows and lines that are added up anew. */
  readonly sums: number
}

type UnsoundCall = Readonly<Record<string, unknown>> & { readonly seq: number | bigint; readonly settlement: unknown }

/**
 * Replaces numbers that are none (M08). A call that has ended counts at what was reserved for it, as an orphan does: what
 * it cost is not known and must not become 0. Windows and lines get 0 here and are added up afterwards. Inside a
 * transaction without foreign keys.
 */
export function mendFigures(database: Database.Database): MendedFigures {
  return { calls: mendCalls(database), sums: zeroUnsound(database, 'windows') + zeroUnsound(database, 'lines') }
}

function zeroUnsound(database: Database.Database, table: string): number {
  const sets = countColumns(database, table).map((column) => `${column} = iif(${isUnsound(column)}, 0, ${column})`)
  return database.prepare(`UPDATE ${table} SET ${sets.join(', ')} WHERE ${hasUnsound(database, table)}`).run().changes
}

function mendCalls(database: Database.Database): number {
  const columns = countColumns(database, 'calls')
  const rows = database
    .prepare<[], UnsoundCall>(
      `SELECT seq, settlement, ${columns.join(', ')} FROM calls WHERE ${hasUnsound(database, 'calls')}`,
    )
    .all()
  // A strict table checks the whole row: every column that cannot stay has to change at once.
  const others = ['status', 'settled_at_ms', 'duration_ms', 'first_byte_ms'].map(
    (column) => `${column} = iif(typeof(${column}) = 'integer', ${column}, NULL)`,
  )
  const update = database.prepare(
    `UPDATE calls SET ${[...columns.map((column) => `${column} = ?`), ...others].join(', ')} WHERE seq = ?`,
  )
  for (const row of rows) {
    const mended = mendedCall(row)
    update.run(...columns.map((column) => mended[column] ?? 0), row.seq)
  }
  return rows.length
}

function mendedCall(row: UnsoundCall): Readonly<Record<string, number>> {
  const sound = (column: string): number => {
    const value = row[column]
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
  }
  const kept = Object.fromEntries(Object.keys(row).map((column) => [column, sound(column)]))
  // The number of a row is the time of its reservation in microseconds.
  const receivedAtMs = sound('received_at_ms') || Math.max(0, Math.floor(Number(row.seq) / 1000))
  if (row.settlement === null) return { ...kept, received_at_ms: receivedAtMs }
  const { usage, costNanoEur, listNanoEur } = worstCase({
    reservedNanoEur: sound('reserved_nano'),
    reservedTokens: sound('reserved_tokens'),
    estimatedInputTokens: sound('estimated_input'),
    listNanoEur: sound('list_nano'),
  })
  return {
    ...kept,
    received_at_ms: receivedAtMs,
    cost_nano: costNanoEur,
    list_nano: listNanoEur,
    input: usage.input,
    output: usage.output,
    cache_read: 0,
    cache_write_5m: 0,
    cache_write_1h: 0,
  }
}
