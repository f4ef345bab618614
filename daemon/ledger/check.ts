import type Database from 'better-sqlite3'
import type { Ledger, WindowTotals } from './ledger.ts'
import { idsFromMembers } from './nameBook.ts'
import { noTotals, soundCount, totalsColumns, totalsFromColumns, type TotalsColumns } from './rows.ts'
import { scopeFromColumns } from './windowBook.ts'

type Difference = ReturnType<Ledger['check']>[number]

/** Sums over the calls of one line and one set of windows. */
type CallSums = readonly [line: number, set: number, list: unknown, ...TotalsColumns]

type WindowRow = readonly [id: number, scope: string, ref: string, window: string, period: string, ...TotalsColumns]

type LineRow = readonly [user: string, day: string, id: number, nano: unknown, tokens: unknown, list: unknown]

type FoldedRow = readonly [id: number, nano: unknown, tokens: unknown, list: unknown]

/** Totals of calls, by line and by window number. */
interface Computed {
  readonly lines: Map<number, WindowTotals>
  /** List prices of settled calls, by line. */
  readonly lists: Map<number, number>
  readonly windows: Map<number, WindowTotals>
}

const sumCalls = `SELECT line, scopes, sum(iif(settlement IS NULL, 0, list_nano)), sum(cost_nano), sum(iif(settlement IS NULL, reserved_nano, 0)),
  sum(input + cache_read + cache_write_5m + cache_write_1h + output), sum(iif(settlement IS NULL, reserved_tokens, 0))
  FROM calls WHERE seq > ? AND seq <= ? GROUP BY line, scopes`

const foldedSeq = "SELECT value FROM counters WHERE name = 'folded_seq'"
const foldedWindows = 'SELECT id, folded_nano, folded_tokens FROM windows WHERE folded_nano > 0 OR folded_tokens > 0'
const foldedLines = `SELECT id, folded_nano, folded_tokens, folded_list_nano FROM lines
  WHERE folded_nano > 0 OR folded_tokens > 0 OR folded_list_nano > 0`

const lastSeq = 'SELECT ifnull(max(seq), 0) FROM calls'
const firstOpenSeq = 'SELECT min(seq) FROM calls INDEXED BY calls_open WHERE settlement IS NULL'

/**
 * Invariant 4: computes every window, and every line that the status adds up, from the calls, and finds those that differ
 * (A09). A line that differs is returned as the day of its user.
 *
 * Calls that have ended do not change any more, so the sums over the oldest of them, up to the first open call, are kept:
 * the first check reads the whole ledger (about a second per million calls), later ones what came since. Calls that were
 * removed for their age are in what windows and lines keep of them.
 */
export class LedgerCheck {
  readonly #database: Database.Database
  readonly #past: Computed = { lines: new Map(), lists: new Map(), windows: new Map() }
  #pastSeq = 0

  constructor(database: Database.Database) {
    this.#database = database
  }

  run(): Difference[] {
    // One transaction, so that another process's commit cannot fall between the statements.
    return this.#database.transaction(() => {
      const last = this.#number(lastSeq) ?? 0
      const ended = (this.#number(firstOpenSeq) ?? last + 1) - 1
      const folded = this.#number(foldedSeq) ?? 0
      // What was removed after it was read is counted; what was removed before is not, nor is what lay between.
      if (folded > this.#pastSeq) this.#beginAt(folded)
      this.#add(this.#past, this.#pastSeq, ended)
      this.#pastSeq = Math.max(this.#pastSeq, ended)
      const { lines, lists, windows } = this.#past
      const now: Computed = { lines: new Map(lines), lists: new Map(lists), windows: new Map(windows) }
      this.#add(now, this.#pastSeq, last)
      return [...this.#windows(now), ...this.#lines(now)]
    })()
  }

  #number(sql: string): number | null {
    return this.#database.prepare<[], number | null>(sql).pluck().get() ?? null
  }

  /** Begins anew with the sums of the calls that were removed, which end at `folded`. */
  #beginAt(folded: number): void {
    const { lines, lists, windows } = this.#past
    for (const sums of [lines, lists, windows]) sums.clear()
    for (const [id, nano, tokens] of this.#database.prepare<[], FoldedRow>(foldedWindows).raw().all()) {
      windows.set(id, totalsFromColumns([nano, 0, tokens, 0]))
    }
    for (const [id, nano, tokens, list] of this.#database.prepare<[], FoldedRow>(foldedLines).raw().all()) {
      lines.set(id, totalsFromColumns([nano, 0, tokens, 0]))
      lists.set(id, soundCount(list))
    }
    this.#pastSeq = folded
  }

  #add(computed: Computed, after: number, until: number): void {
    const members = this.#database.prepare<[number], string>('SELECT members FROM scope_sets WHERE id = ?').pluck()
    for (const [line, set, list, ...columns] of this.#database
      .prepare<[number, number], CallSums>(sumCalls)
      .raw()
      .all(after, until)) {
      const totals = totalsFromColumns(columns)
      computed.lines.set(line, added(computed.lines.get(line), totals))
      computed.lists.set(line, (computed.lists.get(line) ?? 0) + soundCount(list))
      for (const id of idsFromMembers(members.get(set) ?? '')) {
        computed.windows.set(id, added(computed.windows.get(id), totals))
      }
    }
  }

  #windows(computed: Computed): Difference[] {
    const differences: Difference[] = []
    for (const [id, scope, ref, window, period, ...columns] of this.#database
      .prepare<[], WindowRow>(`SELECT id, scope, ref, window, period, ${totalsColumns} FROM windows`)
      .raw()
      .all()) {
      const stored = totalsFromColumns(columns)
      const calls = computed.windows.get(id) ?? noTotals
      if (!same(stored, calls)) {
        differences.push({ scope: scopeFromColumns([scope, ref, window, period]), window: stored, calls })
      }
    }
    return differences
  }

  #lines(computed: Computed): Difference[] {
    const differences: Difference[] = []
    for (const [ref, day, id, nano, tokens, list] of this.#database
      .prepare<[], LineRow>(
        "SELECT tenant || '/' || user, day, id, spent_nano, input + cache_read + cache_write + output, list_nano FROM lines",
      )
      .raw()
      .all()) {
      const stored = totalsFromColumns([nano, 0, tokens, 0])
      const calls = { ...(computed.lines.get(id) ?? noTotals), reservedNanoEur: 0, reservedTokens: 0 }
      const scope = { scope: 'user', ref, window: 'day', period: day } as const
      if (!same(stored, calls)) differences.push({ scope, window: stored, calls })
      const listed = { ...noTotals, spentNanoEur: soundCount(list) }
      const listedCalls = { ...noTotals, spentNanoEur: computed.lists.get(id) ?? 0 }
      if (!same(listed, listedCalls)) differences.push({ scope, window: listed, calls: listedCalls })
    }
    return differences
  }
}

function added(left: WindowTotals | undefined, right: WindowTotals): WindowTotals {
  if (left === undefined) return right
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
