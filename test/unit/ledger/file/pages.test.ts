import assert from 'node:assert/strict'
import fc from 'fast-check'
import Database from 'better-sqlite3'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LedgerPages, schemaOfFile } from '../../../../daemon/ledger/file/pages.ts'
import { readTreePage, type Value } from '../../../../daemon/ledger/file/records.ts'
import { readLayouts } from '../../../../daemon/ledger/rescue/layout.ts'
import { Salvage } from '../../../../daemon/ledger/rescue/salvage.ts'
import { temporaryFolder } from '../sample.ts'

/** What SQLite stores in a column without a type comes out as it went in; -0 is stored as 0. */
const value = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.maxSafeInteger().map((number) => number + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Number.isSafeInteger(number) ? 0.5 : number)),
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\u0000', ' ')),
  fc.integer({ min: 0, max: 9000 }).map((length) => 'long '.repeat(length / 5)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
)

describe('the pages of a database file', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'any.db')
  })

  afterEach(() => folder.remove())

  function salvaged(database: Database.Database): ReadonlyMap<string, readonly (readonly Value[])[]> {
    const pages = new LedgerPages(path)
    const rows = new Map<string, (readonly Value[])[]>()
    const salvage = new Salvage(pages, readLayouts(database))
    for (const { table, values } of salvage.rows()) rows.set(table.name, [...(rows.get(table.name) ?? []), values])
    assert.deepEqual(salvage.losses, { pages: 0, rows: 0 })
    pages.close()
    return rows
  }

  it('give back every row that SQLite wrote, from the file and from the journal, in tables of both kinds', () => {
    let file = 0
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value, value), { maxLength: 60 }),
        fc.constantFrom(512, 2048, 65_536),
        fc.boolean(),
        (rows, pageSize, isClosed) => {
          path = join(folder.path, `any-${(file += 1)}.db`)
          const database = new Database(path)
          database.pragma(`page_size = ${pageSize}`)
          database.pragma('journal_mode = WAL')
          database.exec(
            'CREATE TABLE numbered (id INTEGER PRIMARY KEY, a, b, c); CREATE TABLE keyed (a, b, c, k INTEGER NOT NULL, PRIMARY KEY (k)) WITHOUT ROWID; CREATE INDEX other ON numbered (b)',
          )
          rows.forEach((row, at) => {
            database.prepare('INSERT INTO numbered VALUES (?, ?, ?, ?)').run(at * 7, ...row)
            database.prepare('INSERT INTO keyed VALUES (?, ?, ?, ?)').run(...row, at)
          })
          // In a closed file everything lies in the main file, in an open one in the journal.
          const layouts = isClosed ? new Database(':memory:') : database
          if (isClosed) {
            layouts.exec(
              database.prepare<[], string>("SELECT group_concat(sql, ';') FROM sqlite_schema").pluck().get() ?? '',
            )
            database.close()
          }
          const found = salvaged(layouts)
          layouts.close()
          const numbered = rows.map((row, at) => [at * 7, ...row])
          const keyed = rows.map(([a, b, c], at) => [at, a, b, c])
          const byKey = (list: readonly (readonly Value[])[]): readonly unknown[] =>
            [...list].sort((left, right) => Number(left[0]) - Number(right[0]))
          assert.deepEqual(byKey(found.get('numbered') ?? []), numbered)
          assert.deepEqual(byKey(found.get('keyed') ?? []), keyed)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('hold numbers that no double can hold as bigints', () => {
    const database = new Database(path)
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a)')
    database.prepare('INSERT INTO t VALUES (?, ?)').run(-(2n ** 62n), 2n ** 60n + 1n)
    assert.deepEqual(salvaged(database).get('t'), [[-(2n ** 62n), 2n ** 60n + 1n]])
    database.close()
  })

  it('leave out what was deleted', () => {
    const database = new Database(path)
    database.pragma('page_size = 512')
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a)')
    for (let row = 0; row < 300; row += 1) database.prepare('INSERT INTO t (a) VALUES (?)').run('x'.repeat(100))
    database.exec('DELETE FROM t WHERE id BETWEEN 10 AND 290')
    assert.equal(salvaged(database).get('t')?.length, 19)
    database.close()
  })

  it('never take more from random bytes than what they are, and never fail on them', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 512, maxLength: 4096 }),
        fc.constantFrom(0x0d, 0x05, 0x0a, 0x02),
        (bytes, kind) => {
          const page = Buffer.from(bytes)
          page.writeUInt8(kind, 0)
          const tree = readTreePage(page, 2)
          if (tree !== null) assert.ok(tree.cells.every((at) => at < page.length))
          const database = new Database(':memory:')
          database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)')
          writeFileSync(path, Buffer.concat([Buffer.alloc(2048), page]))
          const pages = new LedgerPages(path)
          for (const { values } of new Salvage(pages, readLayouts(database)).rows()) assert.equal(values.length, 3)
          pages.close()
          database.close()
        },
      ),
      { numRuns: 200 },
    )
  })

  it('tell the schema from the header, also where it lies in the journal only', () => {
    const database = new Database(path)
    database.pragma('journal_mode = WAL')
    database.exec('CREATE TABLE t (a)')
    database.pragma('wal_checkpoint(TRUNCATE)')
    database.pragma('user_version = 77')
    assert.equal(schemaOfFile(path), 77)
    database.close()
    assert.equal(schemaOfFile(path), 77)
    writeFileSync(path, 'x'.repeat(200))
    assert.equal(schemaOfFile(path), null)
  })
})
