import type Database from 'better-sqlite3'
import { seqFromMs } from './callBook.ts'
import type { UpkeepAsk } from './ledger.ts'
import { idsFromMembers } from './nameBook.ts'

interface Step {
  readonly rows: number
  readonly until: number | null
}

/** What the calls of one line and one set of windows came to. */
type FoldedRow = readonly [line: number, set: number, nano: number, list: number, tokens: number]

/** Calls after `:after`, up to `:until`, at most `:most`: how many, and where they end. */
const stretch = `SELECT count(*) AS rows, max(seq) AS until FROM
  (SELECT seq FROM calls WHERE seq > :after AND seq <= :until ORDER BY seq LIMIT :most)`

const firstOpenSeq = 'SELECT min(seq) FROM calls INDEXED BY calls_open WHERE settlement IS NULL'

/**
 * What is done to the ledger when it has time: the sums of tasks follow the calls, and what is too old goes. Each step is one
 * small transaction, so that a process that dies in between leaves sums that are right, and no call waits for long.
 *
 * Calls are folded in the order of their reservation, and only when their task's sums have them. Before the first open call
 * everything has ended and does not change any more, so that an open reservation is never removed nor counted twice.
 */
export class LedgerUpkeep {
  readonly #database: Database.Database
  readonly #number: (sql: string) => number | null
  readonly #setCounter: Database.Statement<[string, number]>
  readonly #stretch: Database.Statement<[{ after: number; until: number; most: number }], Step>
  readonly #sumTasks: Database.Statement<[number, number]>
  readonly #sumFolded: Database.Statement<[number], FoldedRow>
  readonly #members: Database.Statement<[number], string>
  readonly #foldLine: Database.Statement<[number, number, number, number]>
  readonly #foldWindow: Database.Statement<[number, number, number]>
  readonly #removeCalls: Database.Statement<[number]>
  readonly #removeEvents: Database.Statement<[number, number]>

  constructor(database: Database.Database) {
    this.#database = database
    this.#number = (sql) => database.prepare<[], number | null>(sql).pluck().get() ?? null
    this.#setCounter = database.prepare(
      'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    )
    this.#stretch = database.prepare(stretch)
    this.#sumTasks = database.prepare(
      `INSERT INTO task_lines (line, task, calls, spent_nano, list_nano, input, cache_read, cache_write, output)
       SELECT line, task, count(*), sum(cost_nano), sum(list_nano), sum(input), sum(cache_read),
         sum(cache_write_5m + cache_write_1h), sum(output)
       FROM calls NOT INDEXED WHERE seq > ? AND seq <= ? AND task IS NOT NULL AND settlement <> 'released'
       GROUP BY line, task
       ON CONFLICT (line, task) DO UPDATE SET calls = calls + excluded.calls,
         spent_nano = spent_nano + excluded.spent_nano, list_nano = list_nano + excluded.list_nano,
         input = input + excluded.input, cache_read = cache_read + excluded.cache_read,
         cache_write = cache_write + excluded.cache_write, output = output + excluded.output`,
    )
    this.#sumFolded = database
      .prepare<[number], FoldedRow>(
        `SELECT line, scopes, sum(cost_nano), sum(list_nano),
         sum(input + cache_read + cache_write_5m + cache_write_1h + output)
         FROM calls NOT INDEXED WHERE seq <= ? AND settlement IS NOT NULL GROUP BY line, scopes`,
      )
      .raw()
    this.#members = database.prepare<[number], string>('SELECT members FROM scope_sets WHERE id = ?').pluck()
    this.#foldLine = database.prepare(
      `UPDATE lines SET folded_nano = folded_nano + ?, folded_list_nano = folded_list_nano + ?,
       folded_tokens = folded_tokens + ? WHERE id = ?`,
    )
    this.#foldWindow = database.prepare(
      'UPDATE windows SET folded_nano = folded_nano + ?, folded_tokens = folded_tokens + ? WHERE id = ?',
    )
    this.#removeCalls = database.prepare('DELETE FROM calls WHERE seq <= ? AND settlement IS NOT NULL')
    // Events are numbered in the order of their time: the old ones are the first.
    this.#removeEvents = database.prepare(
      'DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT ?) AND at_ms < ?',
    )
  }

  /** One step of whatever is due first. Returns how many rows it took; 0 where nothing is due. */
  step({ callsBeforeMs, eventsBeforeMs, mostRows }: UpkeepAsk): number {
    const summed = this.#sum(mostRows)
    if (summed > 0) return summed
    const folded = callsBeforeMs === null ? 0 : this.#fold(callsBeforeMs, mostRows)
    if (folded > 0 || eventsBeforeMs === null) return folded
    return this.#removeEvents.run(mostRows, Math.round(eventsBeforeMs)).changes
  }

  #sum(most: number): number {
    return this.#take(
      () => {
        const last = this.#number('SELECT max(seq) FROM calls') ?? 0
        return { after: this.#counter('summed_seq'), until: (this.#number(firstOpenSeq) ?? last + 1) - 1, most }
      },
      ({ after }, until) => {
        this.#sumTasks.run(after, until)
        this.#setCounter.run('summed_seq', until)
      },
    )
  }

  #fold(beforeMs: number, most: number): number {
    return this.#take(
      () => {
        // The newest call stays: the next one is numbered after it, also when the clock was set back.
        const newest = this.#number('SELECT max(seq) FROM calls') ?? 0
        const until = Math.min(seqFromMs(beforeMs), newest, this.#counter('summed_seq') + 1) - 1
        return { after: 0, until, most }
      },
      (_, until) => {
        this.#keepSums(until)
        this.#removeCalls.run(until)
        this.#setCounter.run('folded_seq', until)
      },
    )
  }

  #keepSums(until: number): void {
    const windows = new Map<number, { nano: number; tokens: number }>()
    for (const [line, set, nano, list, tokens] of this.#sumFolded.all(until)) {
      this.#foldLine.run(nano, list, tokens, line)
      for (const id of idsFromMembers(this.#members.get(set) ?? '')) {
        const window = windows.get(id) ?? { nano: 0, tokens: 0 }
        windows.set(id, { nano: window.nano + nano, tokens: window.tokens + tokens })
      }
    }
    for (const [id, { nano, tokens }] of windows) this.#foldWindow.run(nano, tokens, id)
  }

  /** Looks for due calls, and looks again under the write lock before it works on them. */
  #take(
    find: () => { readonly after: number; readonly until: number; readonly most: number },
    work: (found: { readonly after: number }, until: number) => void,
  ): number {
    if ((this.#stretch.get(find())?.rows ?? 0) === 0) return 0
    return this.#database
      .transaction(() => {
        const found = find()
        const { rows, until } = this.#stretch.get(found) ?? { rows: 0, until: null }
        if (until !== null) work(found, until)
        return rows
      })
      .immediate()
  }

  #counter(name: string): number {
    return this.#number(`SELECT value FROM counters WHERE name = '${name}'`) ?? 0
  }
}
