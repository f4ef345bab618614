import type Database from 'better-sqlite3'
import { LedgerCheck } from '../check.ts'
import type { ScopeRef, WindowTotals } from '../ledger.ts'

/** A window that was not the sum of its calls, before and after. */
export interface ChangedWindow {
  readonly scope: ScopeRef
  readonly before: WindowTotals
  readonly after: WindowTotals
}

/** Sums of a line, and how they come from its calls. A released call counts for nothing. */
export const lineColumns = {
  calls: "ifnull(sum(settlement <> 'released'), 0)",
  spent_nano: 'sum(cost_nano)',
  list_nano: 'sum(iif(settlement IS NULL, 0, list_nano))',
  input: 'sum(input)',
  cache_read: 'sum(cache_read)',
  cache_write: 'sum(cache_write_5m + cache_write_1h)',
  output: 'sum(output)',
} as const

/** Sums of a line by the name of their column. */
export type LineSums = Readonly<Record<keyof typeof lineColumns, number>>

/** Sums of calls that retention has removed; their own numbers are kept in the line. */
export interface FoldedSums {
  readonly folded_nano: number
  readonly folded_list_nano: number
  readonly folded_tokens: number
}

/** A row for which single calls do not tell all that its line counts. */
export const lostCallsWarning = 'lost_calls'

/** A line as it is stored and as its calls make it. */
export interface LinePair {
  readonly id: number
  readonly stored: LineSums
  readonly folded: FoldedSums
  readonly calls: LineSums
  /** Whether one of its calls stands for several that are lost. */
  readonly hasLost: boolean
}

const names = Object.keys(lineColumns) as (keyof typeof lineColumns)[]

/** Every line beside the sums of its calls. */
export function linePairs(database: Database.Database): LinePair[] {
  const stored = names.map((name) => `l.${name} AS ${name}`)
  const calls = names.map((name) => `ifnull(c.${name}, 0) AS calls_${name}`)
  const sums = names.map((name) => `${lineColumns[name]} AS ${name}`)
  const rows = database
    .prepare<[string], FoldedSums & LineSums & Readonly<Record<string, number>>>(
      `SELECT l.id AS id, l.folded_nano, l.folded_list_nano, l.folded_tokens, ${[...stored, ...calls].join(', ')},
       ifnull(c.lost, 0) AS lost
       FROM lines l LEFT JOIN
       (SELECT line, ${sums.join(', ')}, max(ifnull(warnings LIKE ?, 0)) AS lost FROM calls GROUP BY line) c
       ON c.line = l.id`,
    )
    .all(`%"${lostCallsWarning}"%`)
  return rows.map((row) => ({
    id: row['id'] ?? 0,
    stored: pick(row, ''),
    folded: row,
    calls: pick(row, 'calls_'),
    hasLost: row['lost'] === 1,
  }))
}

function pick(row: Readonly<Record<string, number>>, prefix: string): LineSums {
  return Object.fromEntries(names.map((name) => [name, row[prefix + name] ?? 0])) as unknown as LineSums
}

/** What a line should hold: the sums of its calls, and of those that retention has removed. */
export function wantedSums({ stored, folded, calls, hasLost }: LinePair): LineSums {
  const isFolded = folded.folded_nano + folded.folded_list_nano + folded.folded_tokens > 0
  // How many they were is known only to the line.
  const count = isFolded || hasLost ? Math.max(stored.calls, calls.calls) : calls.calls
  if (!isFolded) return { ...calls, calls: count }
  const spent = {
    calls: count,
    spent_nano: calls.spent_nano + folded.folded_nano,
    list_nano: calls.list_nano + folded.folded_list_nano,
  }
  const tokens = tokensOf(calls) + folded.folded_tokens
  if (tokensOf(stored) === tokens) return { ...stored, ...spent }
  // The split of the removed calls is lost with the line's own: they count as input, so that the sum is right.
  return { ...calls, ...spent, input: calls.input + folded.folded_tokens }
}

function tokensOf({ input, cache_read, cache_write, output }: LineSums): number {
  return input + cache_read + cache_write + output
}

/** Adds the lines up from their calls. Returns how many held something else. Inside a transaction. */
export function mendLineSums(database: Database.Database): number {
  const update = database.prepare(
    `UPDATE lines SET ${names.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
  )
  let changed = 0
  for (const pair of linePairs(database)) {
    const wanted = wantedSums(pair)
    if (names.every((name) => wanted[name] === pair.stored[name])) continue
    update.run({ ...wanted, id: pair.id })
    changed += 1
  }
  mendTaskLines(database)
  return changed
}

/**
 * The sums of tasks, of those lines whose calls are all there. They hold the calls up to `summed_seq`; the daemon adds those
 * that came later when it has time.
 */
function mendTaskLines(database: Database.Database): void {
  const firstOpen = database
    .prepare<[], number | null>('SELECT min(seq) FROM calls WHERE settlement IS NULL')
    .pluck()
    .get()
  const last = database.prepare<[], number | null>('SELECT max(seq) FROM calls').pluck().get() ?? 0
  // Where the counter itself is lost, what is kept of other lines is taken for complete.
  const summed = readCounter(database, 'summed_seq') ?? (firstOpen ?? last + 1) - 1
  writeCounter(database, 'summed_seq', summed)
  const whole = `SELECT id FROM lines WHERE folded_nano + folded_list_nano + folded_tokens = 0
    AND id NOT IN (SELECT line FROM calls WHERE warnings LIKE '%"${lostCallsWarning}"%')`
  database.exec(`DELETE FROM task_lines WHERE line IN (${whole})`)
  database
    .prepare<[number]>(
      `INSERT INTO task_lines (line, task, ${names.join(', ')})
       SELECT line, task, ${names.map((name) => lineColumns[name]).join(', ')} FROM calls
       WHERE seq <= ? AND task IS NOT NULL AND settlement <> 'released' AND line IN (${whole}) GROUP BY line, task`,
    )
    .run(summed)
}

/** A number that the daemon keeps by name; null where there is none. */
export function readCounter(database: Database.Database, name: 'folded_seq' | 'summed_seq'): number | null {
  return database.prepare<[string], number>('SELECT value FROM counters WHERE name = ?').pluck().get(name) ?? null
}

function writeCounter(database: Database.Database, name: 'folded_seq' | 'summed_seq', value: number): void {
  database.prepare<[string, number]>('INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)').run(name, value)
}

/**
 * Calls up to `folded_seq` were removed for their age, and windows and lines keep what they came to. Such a call that was
 * found again on a stray page would count twice, and where the counter is lost, nothing would tell that the kept sums
 * count. Inside a transaction, before anything is added up.
 */
export function mendFolding(database: Database.Database): void {
  const folded = readCounter(database, 'folded_seq')
  if (folded !== null) {
    database.prepare<[number]>('DELETE FROM calls WHERE seq <= ? AND settlement IS NOT NULL').run(folded)
    return
  }
  const isFolded = database
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM lines WHERE folded_nano + folded_list_nano + folded_tokens > 0)
       OR EXISTS (SELECT 1 FROM windows WHERE folded_nano + folded_tokens > 0)`,
    )
    .pluck()
    .get()
  if (isFolded !== 1) return
  const first = database.prepare<[], number | null>('SELECT min(seq) FROM calls').pluck().get() ?? 2
  writeCounter(database, 'folded_seq', Math.max(1, first - 1))
}

/**
 * Sets the windows that differ from the sum of their calls to that sum. Has to come after the lines: the check names both
 * by the scope that they belong to. Throws an Error where the check still finds a difference. Inside a transaction.
 */
export function mendWindowSums(database: Database.Database): readonly ChangedWindow[] {
  const update = database.prepare(
    `UPDATE windows SET spent_nano = ?, reserved_nano = ?, spent_tokens = ?, reserved_tokens = ?
     WHERE period = ? AND scope = ? AND ref = ? AND window = ?`,
  )
  const changed = new LedgerCheck(database).run().map(({ scope, window, calls }) => {
    const { spentNanoEur, reservedNanoEur, spentTokens, reservedTokens } = calls
    const key = [scope.period, scope.scope, scope.ref, scope.window]
    update.run(spentNanoEur, reservedNanoEur, spentTokens, reservedTokens, ...key)
    return { scope, before: window, after: calls }
  })
  const left = new LedgerCheck(database).run().length
  if (left > 0) throw new Error(`${left} sums still differ from their calls`)
  return changed
}
