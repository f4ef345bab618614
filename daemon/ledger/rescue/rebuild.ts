import Database from 'better-sqlite3'
import { draftLedger, migrate, type DatabaseOptions } from '../database.ts'
import type { LedgerPages } from '../file/pages.ts'
import type { Value } from '../file/records.ts'
import { migrations, schemaVersion } from '../schema.ts'
import { mendFigures, type MendedFigures } from './figures.ts'
import { readLayouts, type TableLayout } from './layout.ts'
import { Salvage, type SalvageLosses } from './salvage.ts'

/** What came over from a damaged file. */
export interface Rebuilt {
  readonly losses: SalvageLosses
  readonly figures: MendedFigures
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>
  readonly database: Database.Database
}

/** The schema that a damaged file is read by: its own where its header can be read, else the newest. */
export function readableSchema(pages: LedgerPages): number {
  const found = pages.header?.schema ?? 0
  return found >= 1 && found <= schemaVersion ? found : schemaVersion
}

/** Looks at an empty database of a schema. */
export function withSchema<Result>(
  schema: number,
  { nativeBinding }: Pick<DatabaseOptions, 'nativeBinding'>,
  look: (database: Database.Database) => Result,
): Result {
  const database = new Database(':memory:', nativeBinding === undefined ? {} : { nativeBinding })
  try {
    for (const step of migrations.slice(0, schema)) database.exec(step)
    return look(database)
  } finally {
    database.close()
  }
}

/**
 * Puts every row that can be read into a new file, which the caller closes. Of rows that come twice the first counts.
 * Numbers that are none are replaced before the schema is brought up to date, because its steps add them up. The sums are
 * as they were read and have to be mended.
 */
export function rebuildLedger(
  pages: LedgerPages,
  draft: string,
  options: Pick<DatabaseOptions, 'nativeBinding'>,
): Rebuilt {
  const schema = readableSchema(pages)
  const database = draftLedger(draft, options, schema)
  try {
    const tables = readLayouts(database)
    const salvage = new Salvage(pages, tables)
    const rows = new Map<string, number>()
    database.pragma('foreign_keys = OFF')
    const figures = database
      .transaction(() => {
        const inserts = new Map(tables.map((table) => [table, insertInto(database, table)] as const))
        for (const { table, values } of salvage.rows()) {
          const insert = inserts.get(table)
          if (insert === undefined) continue
          if (insert.run(...values).changes > 0) rows.set(table.name, (rows.get(table.name) ?? 0) + 1)
        }
        return mendFigures(database)
      })
      .immediate()
    migrate(database)
    database.pragma('foreign_keys = ON')
    return { losses: salvage.losses, figures, rows, database }
  } catch (fault) {
    database.close()
    throw fault
  }
}

function insertInto(database: Database.Database, { name, columns }: TableLayout): Database.Statement<Value[]> {
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  const places = columns.map(() => '?').join(', ')
  return database.prepare<Value[]>(`INSERT OR IGNORE INTO "${name}" (${list}) VALUES (${places})`)
}
