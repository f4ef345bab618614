import type Database from 'better-sqlite3'
import type { Cell, Value } from '../file/records.ts'

/** One column of a table. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** What a row has that was written before the column existed. */
  readonly missing: Value
}

/** A table as its rows are stored. */
export interface TableLayout {
  readonly name: string
  /** False for a table that is kept as a tree of its key. */
  readonly hasRowids: boolean
  /** In the order of the stored record. */
  readonly columns: readonly Column[]
  /** Place of the column that is the row's number; -1 where there is none. */
  readonly rowidColumn: number
}

interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

/** The tables of a database with a sound schema. */
export function readLayouts(database: Database.Database): readonly TableLayout[] {
  const tables = database
    .prepare<[], { name: string; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  return tables.map(({ name, wr }) => layoutOf(database, name, wr === 0))
}

function layoutOf(database: Database.Database, name: string, hasRowids: boolean): TableLayout {
  const infos = database.prepare<[string], ColumnInfo>('SELECT * FROM pragma_table_info(?)').all(name)
  const keys = infos.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk)
  // A tree of its key has the key's columns first.
  const stored = hasRowids ? infos : [...keys, ...infos.filter(({ pk }) => pk === 0)]
  const [key] = keys
  const isRowid = hasRowids && keys.length === 1 && key?.type === 'INTEGER'
  return {
    name,
    hasRowids,
    columns: stored.map(({ name: column, type, notnull, dflt_value, pk }) => ({
      name: column,
      type,
      isRequired: notnull === 1 || pk > 0,
      missing: defaultValue(database, dflt_value),
    })),
    rowidColumn: isRowid ? stored.findIndex(({ pk }) => pk === 1) : -1,
  }
}

function defaultValue(database: Database.Database, expression: string | null): Value {
  if (expression === null) return null
  return database.prepare<[], Value>(`SELECT ${expression}`).pluck().get() ?? null
}

/** Tables, columns and indexes as one text, to tell whether a file has those that its schema should have. */
export function layoutText(database: Database.Database): string {
  const indexes = database
    .prepare<[], string>("SELECT tbl_name || ' ' || name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    .pluck()
    .all()
  const tables = [...readLayouts(database)].sort((left, right) => (left.name < right.name ? -1 : 1))
  return JSON.stringify([tables, indexes])
}

/** The values of a cell in the order of the columns; null where the cell cannot be a row of the table. */
export function rowOf(layout: TableLayout, cell: Cell): readonly Value[] | null {
  const { columns, rowidColumn } = layout
  if (cell.values.length > columns.length || (cell.rowid !== null) !== layout.hasRowids) return null
  const row: Value[] = []
  for (const [at, column] of columns.entries()) {
    const stored = at < cell.values.length ? (cell.values[at] ?? null) : column.missing
    const value = at === rowidColumn && stored === null ? cell.rowid : stored
    if (!fits(value, column)) return null
    row.push(value)
  }
  return row
}

/** Tables are strict, so that a value of another type is no value of the column. */
function fits(value: Value, { type, isRequired }: Column): boolean {
  if (value === null) return !isRequired
  switch (type) {
    case 'INTEGER':
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
    case 'REAL':
      return typeof value === 'number'
    case 'TEXT':
      return typeof value === 'string'
    default:
      return true
  }
}
