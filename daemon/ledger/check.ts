import type Database from 'better-sqlite3'
import type { Ledger, ScopeRef, WindowTotals } from './ledger.ts'
import { idsFromMembers } from './nameBook.ts'
import { noTotals, totalsColumns, totalsFromColumns, type TotalsColumns } from './rows.ts'
import { scopeFromColumns } from './windowBook.ts'

type Difference = ReturnType<Ledger['check']>[number]

/** Sums over the calls of one line and one set of windows. */
type CallSums = readonly [line: number, set: number, ...TotalsColumns]

type WindowRow = readonly [id: number, scope: string, ref: string, window: string, period: string, ...TotalsColumns]

const sumCalls = `SELECT line, scopes, sum(cost_nano), sum(iif(settlement IS NULL, reserved_nano, 0)),
  sum(input + cache_read + cache_write_5m + cache_write_1h + output), sum(iif(settlement IS NULL, reserved_tokens, 0))
  FROM calls GROUP BY line, scopes`

const sumLines = `SELECT 'user', tenant || '/' || user, 'day', day, id, spent_nano, input + cache_read + cache_write + output FROM lines`

/**
 * Invariant 4: computes every window, and every line that the status adds up, from the calls, and returns those that
 * differ (A09). A line that differs is returned as the day of its user. Reads the whole ledger: about a second per million
 * calls, so it is for a self-check now and then and not for every status.
 */
export function checkLedger(database: Database.Database): Difference[] {
  // One transaction, so that another process's commit cannot fall between the statements.
  return database.transaction(() => {
    const sums = database.prepare<[], CallSums>(sumCalls).raw().all()
    return [...checkWindows(database, sums), ...checkLines(database, sums)]
  })()
}

function checkWindows(database: Database.Database, sums: readonly CallSums[]): Difference[] {
  const members = new Map(
    database.prepare<[], readonly [number, string]>('SELECT id, members FROM scope_sets').raw().all(),
  )
  const computed = new Map<number, WindowTotals>()
  for (const [, set, ...columns] of sums) {
    const totals = totalsFromColumns(columns)
    for (const id of idsFromMembers(members.get(set) ?? '')) {
      computed.set(id, added(computed.get(id) ?? noTotals, totals))
    }
  }
  const differences: Difference[] = []
  const windows = database
    .prepare<[], WindowRow>(`SELECT id, scope, ref, window, period, ${totalsColumns} FROM windows`)
    .raw()
    .all()
  for (const [id, scope, ref, window, period, ...columns] of windows) {
    const stored = totalsFromColumns(columns)
    const calls = computed.get(id) ?? noTotals
    if (!same(stored, calls)) {
      differences.push({ scope: scopeFromColumns([scope, ref, window, period]), window: stored, calls })
    }
  }
  return differences
}

function checkLines(database: Database.Database, sums: readonly CallSums[]): Difference[] {
  const computed = new Map<number, WindowTotals>()
  for (const [line, , ...columns] of sums) {
    computed.set(line, added(computed.get(line) ?? noTotals, totalsFromColumns(columns)))
  }
  const differences: Difference[] = []
  type LineRow = readonly [ScopeRef['scope'], string, ScopeRef['window'], string, number, unknown, unknown]
  for (const [scope, ref, window, period, id, nano, tokens] of database.prepare<[], LineRow>(sumLines).raw().all()) {
    const calls = { ...(computed.get(id) ?? noTotals), reservedNanoEur: 0, reservedTokens: 0 }
    const stored = totalsFromColumns([nano, 0, tokens, 0])
    if (!same(stored, calls)) differences.push({ scope: { scope, ref, window, period }, window: stored, calls })
  }
  return differences
}

function added(left: WindowTotals, right: WindowTotals): WindowTotals {
  return {
    spentNanoEur: left.spentNanoEur + right.spentNanoEur,
    reservedNanoEur: left.reservedNanoEur + right.reservedNanoEur,
    spentTokens: left.spentTokens + right.spentTokens,
    reservedTokens: left.reservedTokens + right.reservedTokens,
  }
}

function same(left: WindowTotals, right: WindowTotals): boolean {
  return (
    left.spentNanoEur === right.spentNanoEur &&
    left.reservedNanoEur === right.reservedNanoEur &&
    left.spentTokens === right.spentTokens &&
    left.reservedTokens === right.reservedTokens
  )
}
