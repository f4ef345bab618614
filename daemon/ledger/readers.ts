import type Database from 'better-sqlite3'
import type { CallRow, EventRow } from '../../shared/status.ts'
import { seqFromMs } from './callBook.ts'
import { mostEvents } from './eventBook.ts'
import type { Ledger, ScopeRef, SpendSummary, TaskSample, WindowTotals } from './ledger.ts'
import {
  callRow,
  eventRow,
  noTotals,
  selectCalls,
  soundCount,
  taskSample,
  totalsColumns,
  totalsFromColumns,
  type StoredCall,
  type StoredEvent,
  type StoredSample,
  type TotalsColumns,
} from './rows.ts'

/** Tasks of one answer of `taskSamples`. */
const mostSamples = 20_000

/** Rows of a list when the caller names no limit. */
const defaultLimit = 100

const msPerHour = 3_600_000

/** Grants of tasks that are read at a start. */
const mostTaskGrants = 1000

const grantNames = 'id, atMs, "by", scope, ref, window, period, nanoEur, tokens, iterations, wallSeconds, untilMs'
const grantColumns =
  'at_ms AS atMs, given_by AS "by", scope, ref, window, period, nano_eur AS nanoEur, tokens, iterations, wall_seconds AS wallSeconds, until_ms AS untilMs'

type Filter<Method extends 'summary' | 'calls' | 'events'> = Parameters<Ledger[Method]>[0]

/**
 * Everything that is only read. Each method is one statement that is read to its end at once: no statement stays open
 * while something else happens, so a reader never meets "database is locked" (M01).
 */
export class LedgerReaders {
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()

  constructor(database: Database.Database) {
    this.#database = database
  }

  totals(scope: ScopeRef): WindowTotals {
    const row = this.#prepare(
      `SELECT ${totalsColumns} FROM windows WHERE period = ? AND scope = ? AND ref = ? AND window = ?`,
    )
      .raw()
      .get(scope.period, scope.scope, scope.ref, scope.window)
    return row === undefined ? noTotals : totalsFromColumns(row as TotalsColumns)
  }

  summary(filter: Filter<'summary'>): SpendSummary {
    const conditions = [`l.${filter.window} = ?`]
    const values: unknown[] = [filter.period]
    if (filter.user !== undefined) {
      conditions.push('l.user = ?')
      values.push(filter.user)
    }
    if (filter.tenant !== undefined) {
      conditions.push('l.tenant = ?')
      values.push(filter.tenant)
    }
    const where = conditions.join(' AND ')
    const sums = this.#prepare(
      `SELECT total(l.spent_nano), total(l.input), total(l.cache_read), total(l.cache_write), total(l.output),
       total(l.calls), total(iif(l.priced, 0, l.calls)), total(l.list_nano) FROM lines l WHERE ${where}`,
    )
      .raw()
      .get(...values) as readonly unknown[]
    const reserved = this.#prepare(
      `SELECT total(c.reserved_nano) FROM calls c INDEXED BY calls_open JOIN lines l ON l.id = c.line
       WHERE c.settlement IS NULL AND ${where}`,
    )
      .raw()
      .get(...values) as readonly unknown[]
    return {
      spentNanoEur: soundCount(sums[0]),
      listNanoEur: soundCount(sums[7]),
      reservedNanoEur: soundCount(reserved[0]),
      tokens: {
        input: soundCount(sums[1]),
        cacheRead: soundCount(sums[2]),
        cacheWrite: soundCount(sums[3]),
        output: soundCount(sums[4]),
      },
      calls: soundCount(sums[5]),
      unpricedCalls: soundCount(sums[6]),
    }
  }

  byModel(day: string): ReturnType<Ledger['byModel']> {
    const rows = this.#prepare(
      `SELECT model, sum(calls) AS calls, sum(iif(priced, 0, calls)) AS unpricedCalls, sum(spent_nano) AS nanoEur, sum(list_nano) AS listNanoEur,
       iif(min(billing) = max(billing), min(billing), 'both') AS billing
       FROM lines WHERE day = ? AND calls > 0 GROUP BY model
       ORDER BY nanoEur DESC, listNanoEur DESC, calls DESC, model`,
    ).all(day)
    return rows as ReturnType<Ledger['byModel']>
  }

  spendByHour(fromMs: number, toMs: number): ReturnType<Ledger['spendByHour']> {
    const rows = this.#prepare(
      `SELECT received_at_ms / ${msPerHour} AS hour, sum(cost_nano + list_nano) AS nanoEur FROM calls NOT INDEXED
       WHERE seq >= ? AND seq < ? AND settlement IS NOT NULL GROUP BY hour ORDER BY hour`,
    ).all(seqFromMs(fromMs), seqFromMs(toMs))
    return rows as ReturnType<Ledger['spendByHour']>
  }

  calls(filter: Filter<'calls'>): CallRow[] {
    const sinceMs = filter.sinceMs ?? 0
    const conditions = ['c.seq >= ?', 'c.received_at_ms >= ?']
    const values: unknown[] = [seqFromMs(sinceMs), sinceMs]
    if (filter.task !== undefined) {
      conditions.push('c.task = ?')
      values.push(filter.task)
    }
    if (filter.call !== undefined) {
      conditions.push('c.id = ?')
      values.push(filter.call)
    }
    const rows = this.#prepare(`${selectCalls} WHERE ${conditions.join(' AND ')} ORDER BY c.seq DESC LIMIT ?`).all(
      ...values,
      filter.limit ?? defaultLimit,
    )
    return (rows as StoredCall[]).map(callRow)
  }

  events(filter: Filter<'events'>): EventRow[] {
    const rows = this.#prepare(
      'SELECT id, at_ms, event, body FROM (SELECT * FROM events ORDER BY id DESC LIMIT ?) WHERE at_ms >= ? ORDER BY id DESC LIMIT ?',
    ).all(mostEvents, filter.sinceMs ?? 0, filter.limit ?? defaultLimit)
    return (rows as StoredEvent[]).map(eventRow)
  }

  taskSamples(sinceMs: number): TaskSample[] {
    const sinceSeq = seqFromMs(sinceMs)
    // NOT INDEXED leaves the primary key, which is the order in time; by the index on tasks every call ever made would be read.
    const rows = this.#prepare(
      `WITH ended AS (
         SELECT c.task AS task, min(c.seq) AS first_seq, max(c.seq) AS last_seq,
           min(c.received_at_ms) AS began_ms, max(c.settled_at_ms) AS ended_ms,
           sum(c.settlement <> 'released') AS iterations, sum(c.cost_nano + c.list_nano) AS cost_nano,
           sum(c.input + c.cache_read + c.cache_write_5m + c.cache_write_1h) AS input,
           max(c.outcome = 'killed') AS was_killed
         FROM calls c NOT INDEXED WHERE c.seq >= ? AND c.task IS NOT NULL
         GROUP BY c.task HAVING count(*) = count(c.settlement) AND sum(c.settlement <> 'released') > 0
         ORDER BY last_seq DESC LIMIT ?
       )
       SELECT e.task, f.session, l.client, l.project, l.key_id, e.iterations, e.input, e.began_ms, e.ended_ms,
         e.cost_nano, e.was_killed
       FROM ended e JOIN calls f ON f.seq = e.first_seq JOIN lines l ON l.id = f.line
       WHERE NOT EXISTS (SELECT 1 FROM calls earlier WHERE earlier.task = e.task AND earlier.seq < ?)
       ORDER BY e.last_seq DESC`,
    ).all(sinceSeq, mostSamples, sinceSeq)
    return (rows as StoredSample[]).map(taskSample)
  }

  kills(): ReturnType<Ledger['kills']> {
    return this.#prepare(
      'SELECT scope, ref, since_ms AS sinceMs FROM kills ORDER BY since_ms, scope, ref',
    ).all() as ReturnType<Ledger['kills']>
  }

  capOverrides(nowMs: number): ReturnType<Ledger['capOverrides']> {
    return this.#prepare(
      'SELECT field, value, until_ms AS untilMs FROM cap_overrides WHERE until_ms IS NULL OR until_ms > ? ORDER BY field',
    ).all(nowMs) as ReturnType<Ledger['capOverrides']>
  }

  grants({ day, month }: Parameters<Ledger['grants']>[0], nowMs: number): ReturnType<Ledger['grants']> {
    const inForce = `SELECT id, ${grantColumns} FROM grants WHERE (until_ms IS NULL OR until_ms > ?)`
    // A task has no end that the ledger knows of, so that the number of its grants is bounded instead.
    const rows = this.#prepare(
      `SELECT ${grantNames} FROM (
         ${inForce} AND period IN (?, ?)
         UNION ALL SELECT * FROM (${inForce} AND period = '-' ORDER BY id DESC LIMIT ${mostTaskGrants})
       ) ORDER BY id`,
    ).all(nowMs, day, month, nowMs)
    return rows as ReturnType<Ledger['grants']>
  }

  residuals(): ReturnType<Ledger['residuals']> {
    return this.#prepare(
      'SELECT upstream, model, ratio, samples FROM residuals ORDER BY upstream, model',
    ).all() as ReturnType<Ledger['residuals']>
  }

  orphanedTotal(): number {
    const row = this.#prepare("SELECT value FROM counters WHERE name = 'orphaned'").raw().get()
    return row === undefined ? 0 : soundCount((row as readonly unknown[])[0])
  }

  newestDay(): string | null {
    const row = this.#prepare('SELECT max(day) FROM lines').raw().get() as readonly unknown[] | undefined
    return typeof row?.[0] === 'string' ? row[0] : null
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
