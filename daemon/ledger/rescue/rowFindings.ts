import type Database from 'better-sqlite3'
import { formatEur } from '../../../shared/money.ts'
import { LedgerCheck } from '../check.ts'
import { UnsoundSum } from '../rows.ts'
import type { WindowTotals } from '../ledger.ts'
import { countColumns, countedTables, hasUnsound, isUnsound } from './figures.ts'
import { mostExamples, type Finding, type LedgerCounts } from './findings.ts'
import { brokenSets } from './references.ts'

type Row = Readonly<Record<string, unknown>>

/** What a ledger holds. Reads the index of open calls and counts the rest. */
export function countRows(database: Database.Database): LedgerCounts {
  const number = (sql: string): number => database.prepare<[], number>(sql).pluck().get() ?? 0
  const day = (sql: string): string | null => database.prepare<[], string | null>(sql).pluck().get() ?? null
  return {
    calls: number('SELECT count(*) FROM calls'),
    open: number('SELECT count(*) FROM calls WHERE settlement IS NULL'),
    orphaned: number("SELECT count(*) FROM calls WHERE settlement = 'orphaned'"),
    windows: number('SELECT count(*) FROM windows'),
    lines: number('SELECT count(*) FROM lines'),
    firstDay: day('SELECT min(day) FROM lines'),
    lastDay: day('SELECT max(day) FROM lines'),
  }
}

/** Rows whose numbers can be none: negative, too large for a sum, a fraction, or a text (M08). */
export function findUnsoundFigures(database: Database.Database): readonly Finding[] {
  const examples: string[] = []
  let count = 0
  for (const table of countedTables) {
    const where = hasUnsound(database, table)
    const found = database.prepare<[], number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() ?? 0
    if (found === 0) continue
    count += found
    for (const row of database
      .prepare<[], Row>(`SELECT rowid AS row_number, * FROM ${table} WHERE ${where} LIMIT ${mostExamples}`)
      .all()) {
      examples.push(`${table} row ${String(row['row_number'])}: ${unsoundIn(database, table, row['row_number'])}`)
    }
  }
  if (count === 0) return []
  const says = `${count} ${count === 1 ? 'row holds' : 'rows hold'} numbers that cannot be counts or sums.`
  return [{ kind: 'figures', verdict: 'fail', count, says, examples: examples.slice(0, mostExamples) }]
}

/** SQLite decides column by column, by the same condition that found the row. */
function unsoundIn(database: Database.Database, table: string, rowid: unknown): string {
  return countColumns(database, table)
    .flatMap((column) => {
      const sql = `SELECT quote(${column}) FROM ${table} WHERE rowid = ? AND ${isUnsound(column)}`
      const value = database.prepare<[unknown], string>(sql).pluck().get(rowid)
      return value === undefined ? [] : [`${column} = ${value.slice(0, 40)}`]
    })
    .join(', ')
}

/** Invariant 4, by the check that the daemon runs itself (A09). */
export function findDrift(database: Database.Database): readonly Finding[] {
  let differences: ReturnType<LedgerCheck['run']>
  try {
    differences = new LedgerCheck(database).run()
  } catch (fault) {
    if (!(fault instanceof UnsoundSum)) throw fault
    const says = `The sums cannot be compared, because the ledger holds ${fault.found} where a sum belongs.`
    return [{ kind: 'sums', verdict: 'fail', count: 1, says, examples: [] }]
  }
  const count = differences.length
  if (count === 0) return []
  const says = `${of(count, 'sum differs from the calls that belong to it', 'sums differ from the calls that belong to them')}.`
  const examples = differences.slice(0, mostExamples).map(({ scope, window, calls }) => {
    const period = scope.window === 'life' ? '' : ` ${scope.period}`
    return `${scope.scope} ${scope.ref}${period}: ${totalsText(window)} stored, ${totalsText(calls)} in its calls`
  })
  return [{ kind: 'sums', verdict: 'fail', count, says, examples }]
}

/** `1.84 and 128000 tokens`, with what is reserved. */
export function totalsText({ spentNanoEur, reservedNanoEur, spentTokens, reservedTokens }: WindowTotals): string {
  const spent = `${formatEur(spentNanoEur)} and ${spentTokens} tokens`
  if (reservedNanoEur === 0 && reservedTokens === 0) return spent
  return `${spent} (+ ${formatEur(reservedNanoEur)} and ${reservedTokens} tokens reserved)`
}

interface Query {
  readonly kind: Finding['kind']
  readonly verdict: Finding['verdict']
  readonly says: (count: number) => string
  /** Rows of one text each. */
  readonly sql: string
}

const of = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const queries: readonly Query[] = [
  {
    // Invariant 3 (A07): a reservation ends once, so that its call has one row.
    kind: 'duplicates',
    verdict: 'fail',
    says: (count) => `${of(count, 'call id is', 'call ids are')} there more than once, so a call may count twice.`,
    sql: "SELECT id || ': ' || count(*) || ' rows' FROM calls GROUP BY id HAVING count(*) > 1",
  },
  {
    kind: 'references',
    verdict: 'fail',
    says: (count) => `${of(count, 'call refers', 'calls refer')} to names, windows or a daemon that are not there.`,
    sql: `SELECT id FROM calls WHERE line NOT IN (SELECT id FROM lines) OR scopes NOT IN (SELECT id FROM scope_sets)
      OR owner NOT IN (SELECT id FROM owners) OR scopes IN (SELECT value FROM json_each(:broken))`,
  },
  {
    // The date in UTC and the date of any zone are at most one apart.
    kind: 'days',
    verdict: 'warn',
    says: (count) =>
      `${of(count, 'call counts', 'calls count')} for a day that is more than a day away from when it came in; the clock may have been wrong.`,
    sql: `WITH numbered AS MATERIALIZED (SELECT id, day, CAST(julianday(day) - 2440587.5 AS INTEGER) AS number FROM lines)
      SELECT c.id || ': counts for ' || l.day || ', came in at ' ||
        ifnull(strftime('%Y-%m-%dT%H:%M:%SZ', c.received_at_ms / 1000, 'unixepoch'), c.received_at_ms)
      FROM calls c JOIN numbered l ON l.id = c.line WHERE abs(c.received_at_ms / 86400000 - l.number) > 1`,
  },
]

/** Reservations whose daemon is gone while another one runs: that one should have settled them at its start (invariant 3). */
const openOfTheDead: Query = {
  kind: 'open_calls',
  verdict: 'fail',
  says: (count) =>
    `${of(count, 'reservation of a daemon that is gone is', 'reservations of daemons that are gone are')} still open.`,
  sql: 'SELECT id FROM calls WHERE settlement IS NULL AND owner <> (SELECT max(id) FROM owners)',
}

/** Rows that contradict each other. `isRunning`: a daemon has the ledger open. */
export function findContradictions(database: Database.Database, isRunning: boolean): readonly Finding[] {
  const values = { broken: JSON.stringify(brokenSets(database)) }
  return [...queries, ...(isRunning ? [openOfTheDead] : [])].flatMap(({ kind, verdict, says, sql }): Finding[] => {
    const count = database.prepare<[object], number>(`SELECT count(*) FROM (${sql})`).pluck().get(values) ?? 0
    if (count === 0) return []
    const examples = database.prepare<[object], string>(`${sql} LIMIT ${mostExamples}`).pluck().all(values)
    return [{ kind, verdict, count, says: says(count), examples }]
  })
}
