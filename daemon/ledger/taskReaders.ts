import type Database from 'better-sqlite3'
import type { TaskSoFar } from './ledger.ts'
import { soundCount } from './rows.ts'

/** A reached upstream, or may have: the row of a released call stays, and counts for nothing. */
const reached = "(settlement IS NULL OR settlement <> 'released')"

const sums = `count(*),
  total(iif(settlement IS NULL, estimated_input, input + cache_read + cache_write_5m + cache_write_1h)),
  total(iif(settlement IS NULL, reserved_nano, cost_nano) + list_nano),
  min(received_at_ms), max(received_at_ms)`

/** Digits of the largest turn: what has more is no number of ours. */
const mostDigits = 9

type SumColumns = readonly [unknown, unknown, unknown, unknown, unknown]

/** What the rows of one task or session say. All of it is read by the index on the task. */
export class TaskReaders {
  readonly #task: Database.Statement<[string, number], SumColumns>
  readonly #session: Database.Statement<[string, string, number], SumColumns>
  readonly #arrivals: Database.Statement<[string], readonly [unknown]>
  readonly #turns: Database.Statement<{ from: string; to: string; skip: number }, readonly [unknown]>

  constructor(database: Database.Database) {
    this.#task = database
      .prepare<[string, number], SumColumns>(
        `SELECT ${sums} FROM calls INDEXED BY calls_by_task WHERE task = ? AND received_at_ms >= ? AND ${reached}`,
      )
      .raw()
    this.#session = database
      .prepare<[string, string, number], SumColumns>(
        `SELECT ${sums} FROM calls INDEXED BY calls_by_task WHERE task > ? AND task < ? AND received_at_ms >= ? AND ${reached}`,
      )
      .raw()
    this.#arrivals = database
      .prepare<[string], readonly [unknown]>(
        `SELECT received_at_ms FROM calls INDEXED BY calls_by_task WHERE task = ? AND ${reached} ORDER BY seq DESC`,
      )
      .raw()
    // One look-up per task instead of one per call: a session that a whole application shares has very many calls.
    this.#turns = database
      .prepare<{ from: string; to: string; skip: number }, readonly [unknown]>(
        `WITH RECURSIVE turn (task) AS (
           SELECT min(task) FROM calls WHERE task > :from AND task < :to
           UNION ALL
           SELECT (SELECT min(task) FROM calls WHERE task > turn.task AND task < :to) FROM turn WHERE turn.task IS NOT NULL
         )
         SELECT max(CAST(substr(task, :skip) AS INTEGER)) FROM turn
         WHERE substr(task, :skip) NOT GLOB '*[^0-9]*' AND length(task) BETWEEN :skip AND :skip + ${mostDigits - 1}`,
      )
      .raw()
  }

  taskSoFar(task: string, sinceMs = 0): TaskSoFar | null {
    return soFar(this.#task.get(task, Math.round(sinceMs)))
  }

  sessionSoFar(session: string, sinceMs = 0): TaskSoFar | null {
    const { from, to } = turnsOf(session)
    return soFar(this.#session.get(from, to, Math.round(sinceMs)))
  }

  busySinceMs(task: string, quietMs: number): number | null {
    let laterMs: number | null = null
    for (const [column] of this.#arrivals.iterate(task)) {
      const arrivedMs = soundCount(column)
      if (laterMs !== null && laterMs - arrivedMs >= quietMs) return laterMs
      laterMs = arrivedMs
    }
    return null
  }

  latestTurn(session: string): number | null {
    const range = turnsOf(session)
    const highest = this.#turns.get({ ...range, skip: range.from.length + 1 })?.[0] ?? null
    return highest === null ? null : soundCount(highest)
  }
}

/** The ids `<session>-<n>` lie between these two: a digit comes after `-` and `.` is the character behind it. */
function turnsOf(session: string): { readonly from: string; readonly to: string } {
  return { from: `${session}-`, to: `${session}.` }
}

function soFar(columns: SumColumns | undefined): TaskSoFar | null {
  const calls = soundCount(columns?.[0] ?? 0)
  if (columns === undefined || calls === 0) return null
  return {
    calls,
    inputTokens: soundCount(columns[1]),
    spentNanoEur: soundCount(columns[2]),
    firstMs: soundCount(columns[3]),
    lastMs: soundCount(columns[4]),
  }
}
