import type Database from 'better-sqlite3'
import type { Charge, Held } from './closing.ts'
import type { CappedScope, ReservationAsk, Settlement } from './ledger.ts'
import type { NameBook } from './nameBook.ts'
import type { WindowBook } from './windowBook.ts'

/** A reservation that has not ended. */
export interface OpenCall extends Held {
  readonly callId: string
  readonly seq: number
  readonly line: number
  readonly scopes: readonly CappedScope[]
}

/** Sums that a batch adds to a line. */
interface LineSums {
  calls: number
  nanoEur: number
  listNanoEur: number
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
}

type OpenRow = readonly [
  seq: number,
  id: string,
  line: number,
  scopes: number,
  reservedNano: number,
  reservedTokens: number,
  estimatedInput: number,
  receivedAtMs: number,
  listNano: number,
]

const openColumns = 'seq, id, line, scopes, reserved_nano, reserved_tokens, estimated_input, received_at_ms, list_nano'

/** Writes the rows of `calls` and the sums of `lines`. All methods run inside a transaction. */
export class CallBook {
  readonly #names: NameBook
  readonly #windows: WindowBook
  readonly #sums = new Map<number, LineSums>()
  readonly #insert: Database.Statement
  readonly #settle: Database.Statement
  readonly #addSums: Database.Statement<[number, number, number, number, number, number, number, number]>
  readonly #findOpen: Database.Statement<[string], OpenRow>
  readonly #foreign: Database.Statement<[number], OpenRow>

  constructor(database: Database.Database, names: NameBook, windows: WindowBook) {
    this.#names = names
    this.#windows = windows
    // The largest seq is found at the right edge of the tree; a clock that steps back cannot reorder calls.
    this.#insert = database.prepare(
      `INSERT INTO calls (seq, id, owner, line, scopes, received_at_ms, task, session, stream, is_retry,
       estimated_input, reserved_nano, reserved_tokens, list_nano)
       VALUES (max(?, ifnull((SELECT max(seq) FROM calls), 0) + 1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    // The condition makes a settlement idempotent, whoever else has the file open (A07, L03).
    this.#settle = database.prepare(
      `UPDATE calls SET settlement = ?, outcome = ?, status = ?, finish = ?, response_model = ?, cost_nano = ?, list_nano = ?,
       input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?, output = ?, reasoning = ?, audio_input = ?,
       audio_output = ?, web_searches = ?, audio_cache_read = ?, image_input = ?, image_output = ?, file_searches = ?,
       code_containers = ?, settled_at_ms = ?, duration_ms = ?, first_byte_ms = ?, warnings = ?, tier = ?
       WHERE seq = ? AND settlement IS NULL`,
    )
    this.#addSums = database.prepare(
      `UPDATE lines SET calls = calls + ?, spent_nano = spent_nano + ?, list_nano = list_nano + ?, input = input + ?,
       cache_read = cache_read + ?, cache_write = cache_write + ?, output = output + ? WHERE id = ?`,
    )
    this.#findOpen = database
      .prepare<[string], OpenRow>(
        `SELECT ${openColumns} FROM calls INDEXED BY calls_open WHERE id = ? AND settlement IS NULL`,
      )
      .raw()
    this.#foreign = database
      .prepare<[number], OpenRow>(
        `SELECT ${openColumns} FROM calls INDEXED BY calls_open WHERE settlement IS NULL AND owner <> ?`,
      )
      .raw()
  }

  /** Drops sums that were not saved, after a rollback. */
  forget(): void {
    this.#sums.clear()
  }

  /** Writes a reservation that was admitted. */
  reserve(ask: ReservationAsk, windowIds: readonly number[], reserved: Omit<Held, 'estimatedInputTokens'>): OpenCall {
    const { row } = ask
    const receivedAtMs = Math.round(row.receivedAtMs)
    const estimatedInputTokens = Math.ceil(row.estimatedInputTokens)
    const line = this.#names.line(row)
    const { lastInsertRowid } = this.#insert.run(
      seqFromMs(receivedAtMs),
      ask.callId,
      this.#names.owner(),
      line,
      this.#names.scopeSet(windowIds),
      receivedAtMs,
      row.task,
      row.session,
      row.stream ? 1 : 0,
      row.isRetry ? 1 : 0,
      estimatedInputTokens,
      reserved.reservedNanoEur,
      reserved.reservedTokens,
      reserved.listNanoEur,
    )
    const { callId, scopes } = ask
    return { callId, seq: Number(lastInsertRowid), line, scopes, estimatedInputTokens, ...reserved }
  }

  /** Writes the end of a call. False where it had ended already. */
  settle(open: OpenCall, end: Settlement, charge: Charge): boolean {
    const { usage } = charge
    const warnings = charge.sound ? end.warnings : [...end.warnings, 'unusable_usage']
    const { changes } = this.#settle.run(
      charge.sound ? end.settlement : 'estimated',
      end.outcome,
      whole(end.status),
      end.finish,
      end.responseModel,
      charge.costNanoEur,
      charge.listNanoEur,
      usage.input,
      usage.cacheRead,
      usage.cacheWrite5m,
      usage.cacheWrite1h,
      usage.output,
      usage.reasoning,
      usage.audioInput,
      usage.audioOutput,
      usage.webSearches,
      usage.audioCacheRead,
      usage.imageInput,
      usage.imageOutput,
      usage.fileSearches,
      usage.codeContainers,
      whole(end.settledAtMs),
      whole(end.durationMs),
      whole(end.firstByteMs),
      warnings.length === 0 ? null : JSON.stringify(warnings),
      end.tier ?? null,
      open.seq,
    )
    if (changes === 0) return false
    const sums = this.#sumsOf(open.line)
    // A released call reached no upstream: the row stays, the count does not.
    if (end.settlement !== 'released') sums.calls += 1
    sums.nanoEur += charge.costNanoEur
    sums.listNanoEur += charge.listNanoEur
    sums.input += usage.input
    sums.cacheRead += usage.cacheRead
    sums.cacheWrite += usage.cacheWrite5m + usage.cacheWrite1h
    sums.output += usage.output
    return true
  }

  /** Adds up the lines that this transaction's settlements changed, once each. */
  save(): void {
    for (const [line, { calls, nanoEur, listNanoEur, input, cacheRead, cacheWrite, output }] of this.#sums) {
      this.#addSums.run(calls, nanoEur, listNanoEur, input, cacheRead, cacheWrite, output, line)
    }
    this.#sums.clear()
  }

  /** A reservation that this process does not remember; its caps are unknown. */
  findOpen(callId: string): OpenCall | null {
    const row = this.#findOpen.get(callId)
    return row === undefined ? null : this.#fromRow(row)
  }

  /** Reservations of other processes, with the time at which each call was received. */
  foreignOpen(): { readonly open: OpenCall; readonly receivedAtMs: number }[] {
    return this.#foreign.all(this.#names.owner()).map((row) => ({ open: this.#fromRow(row), receivedAtMs: row[7] }))
  }

  #fromRow(row: OpenRow): OpenCall {
    const [seq, callId, line, set, reservedNanoEur, reservedTokens, estimatedInputTokens, , listNanoEur] = row
    const scopes: CappedScope[] = []
    for (const id of this.#names.windowIds(set)) {
      const scope = this.#windows.scopeOf(id)
      if (scope !== null) scopes.push({ ...scope, capNanoEur: null, capTokens: null })
    }
    return { callId, seq, line, scopes, reservedNanoEur, listNanoEur, reservedTokens, estimatedInputTokens }
  }

  #sumsOf(line: number): LineSums {
    let sums = this.#sums.get(line)
    if (sums === undefined) {
      sums = { calls: 0, nanoEur: 0, listNanoEur: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
      this.#sums.set(line, sums)
    }
    return sums
  }
}

/**
 * The smallest `seq` that a call of this time can have. `seq` only grows from call to call, so no call that was received at
 * `ms` or later has a smaller one.
 */
export function seqFromMs(ms: number): number {
  return Math.round(ms) * 1000
}

/** Columns are strict integers: a fraction of a millisecond, or no number at all, must not fail the batch. */
function whole(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Math.round(value)
}
