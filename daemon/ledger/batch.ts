import type Database from 'better-sqlite3'
import { decideReservation } from '../budget/reservation.ts'
import { CallBook, type OpenCall } from './callBook.ts'
import { chargeOf, worstCase, type Charge } from './closing.ts'
import { EventBook, type NewEvent } from './eventBook.ts'
import type { OrphanSums, ReservationAsk, ReservationResult, Settlement, WindowChange } from './ledger.ts'
import { NameBook } from './nameBook.ts'
import { ResidualBook, type Residual } from './residualBook.ts'
import { WindowBook, type OpenWindow } from './windowBook.ts'

/** What is written in one transaction. */
export interface BatchWork {
  readonly settlements: readonly Settlement[]
  readonly asks: readonly ReservationAsk[]
  readonly events: readonly NewEvent[]
  readonly residuals: readonly Residual[]
}

/** What became of a batch that was committed. */
export interface BatchOutcome {
  /** One per ask, in order; an Error for an ask whose own figures cannot be used. */
  readonly answers: readonly (ReservationResult | Error)[]
  /** Settlements that took effect, with the windows as they are after the commit. */
  readonly settled: readonly { readonly callId: string; readonly changes: readonly WindowChange[] }[]
  /** Whether money was given back. */
  readonly freed: boolean
  /** Calls whose settlement held no usable figures. */
  readonly unsound: readonly string[]
}

interface Ended {
  readonly open: OpenCall
  readonly windows: readonly OpenWindow[]
}

/**
 * Writes batches. Settlements come first, so that a reservation of the same batch finds the room that they give back; then
 * each ask is decided in memory against totals that include the asks before it. All of it is one `BEGIN IMMEDIATE`
 * transaction: no other process can pass the same remainder (A01, A04), and a window is made in the transaction that first
 * charges it (A05). A transaction that fails leaves no trace in the file nor in memory, so it can simply be tried again.
 */
export class BatchWriter {
  readonly #database: Database.Database
  readonly #windows: WindowBook
  readonly #names: NameBook
  readonly #calls: CallBook
  readonly #events: EventBook
  readonly #residuals: ResidualBook
  readonly #open = new Map<string, OpenCall>()
  readonly #begin: Database.Statement<[]>
  readonly #commit: Database.Statement<[]>
  readonly #rollback: Database.Statement<[]>
  readonly #countOrphans: Database.Statement<[number]>

  constructor(database: Database.Database, epoch: string) {
    this.#database = database
    this.#windows = new WindowBook(database)
    this.#names = new NameBook(database, epoch)
    this.#calls = new CallBook(database, this.#names, this.#windows)
    this.#events = new EventBook(database)
    this.#residuals = new ResidualBook(database)
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
    this.#countOrphans = database.prepare(
      `INSERT INTO counters (name, value) VALUES ('orphaned', ?)
       ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
    )
  }

  /** Commits the work and returns when it is durable. Throws what the database threw, and then nothing was written. */
  write(work: BatchWork): BatchOutcome {
    const ended: Ended[] = []
    const begun: OpenCall[] = []
    const unsound: string[] = []
    let freed = false
    const answers = this.#transaction(() => {
      for (const settlement of work.settlements) {
        const open = this.#open.get(settlement.callId) ?? this.#calls.findOpen(settlement.callId)
        if (open === null) continue
        const charge = chargeOf(settlement, open)
        const windows = this.#end(open, settlement, charge)
        if (windows === null) continue
        ended.push({ open, windows })
        if (!charge.sound) unsound.push(open.callId)
        if (charge.costNanoEur < open.reservedNanoEur || charge.tokens < open.reservedTokens) freed = true
      }
      const decided = work.asks.map((ask) => this.#decide(ask, begun))
      this.#events.save(work.events)
      this.#residuals.save(work.residuals)
      return decided
    })
    for (const { callId } of work.settlements) this.#open.delete(callId)
    for (const open of begun) this.#open.set(open.callId, open)
    const settled = ended.map(({ open, windows }) => ({
      callId: open.callId,
      changes: windows.map((window, at) => ({ scope: open.scopes[at] ?? never(), totals: window.totals })),
    }))
    return { answers, settled, freed, unsound }
  }

  /** Settles the reservations of other owners at their worst case, in one transaction (A06). */
  settleOrphans(nowMs: number): OrphanSums {
    return this.#transaction(() => {
      let calls = 0
      let costNanoEur = 0
      for (const { open, receivedAtMs } of this.#calls.foreignOpen()) {
        const charge = worstCase(open)
        const settlement: Settlement = {
          callId: open.callId,
          settlement: 'orphaned',
          outcome: 'orphaned',
          usage: charge.usage,
          costNanoEur: charge.costNanoEur,
          listNanoEur: charge.listNanoEur,
          status: null,
          finish: null,
          responseModel: null,
          settledAtMs: nowMs,
          durationMs: Math.max(0, nowMs - receivedAtMs),
          firstByteMs: null,
          warnings: [],
        }
        if (this.#end(open, settlement, charge) === null) continue
        calls += 1
        costNanoEur += charge.costNanoEur
      }
      if (calls > 0) this.#countOrphans.run(calls)
      return { calls, costNanoEur }
    })
  }

  /** Reservations of this process that have not ended. */
  get openCalls(): number {
    return this.#open.size
  }

  /** Whether a reservation of this process has not ended. */
  holds(callId: string): boolean {
    return this.#open.has(callId)
  }

  /** Told that a window was changed past the book. */
  forgetWindows(): void {
    this.#windows.forget()
  }

  #transaction<Result>(body: () => Result): Result {
    this.#begin.run()
    try {
      this.#windows.begin()
      const result = body()
      this.#windows.save()
      this.#calls.save()
      this.#commit.run()
      return result
    } catch (fault) {
      this.#windows.forget()
      this.#names.forget()
      this.#calls.forget()
      // A full disk makes SQLite roll back by itself.
      if (this.#database.inTransaction) this.#rollback.run()
      throw fault
    }
  }

  #end(open: OpenCall, settlement: Settlement, charge: Charge): readonly OpenWindow[] | null {
    if (!this.#calls.settle(open, settlement, charge)) return null
    return open.scopes.map((scope) => {
      const window = this.#windows.load(scope)
      const { spentNanoEur, reservedNanoEur, spentTokens, reservedTokens } = window.totals
      this.#windows.change(window, {
        spentNanoEur: spentNanoEur + charge.costNanoEur,
        reservedNanoEur: reservedNanoEur - open.reservedNanoEur,
        spentTokens: spentTokens + charge.tokens,
        reservedTokens: reservedTokens - open.reservedTokens,
      })
      return window
    })
  }

  #decide(ask: ReservationAsk, begun: OpenCall[]): ReservationResult | Error {
    const windows = ask.scopes.map((scope) => this.#windows.load(scope))
    let result: ReservationResult
    let listNanoEur: number
    try {
      if (this.#open.has(ask.callId) || begun.some((open) => open.callId === ask.callId)) {
        throw new RangeError(`call ${ask.callId} is reserved already`)
      }
      if (new Set(windows).size !== windows.length) throw new RangeError(`call ${ask.callId} names a scope twice`)
      const standings = ask.scopes.map((scope, at) => ({ scope, totals: windows[at]?.totals ?? never() }))
      result = decideReservation(ask, standings)
      listNanoEur = result.kind === 'admitted' ? listPriceAt(ask, result.outputTokens) : 0
    } catch (fault) {
      return fault instanceof Error ? fault : new Error(String(fault))
    }
    if (result.kind === 'refused') return result
    const { reservedNanoEur, reservedTokens } = result
    for (const window of windows) {
      const { totals } = window
      this.#windows.change(window, {
        ...totals,
        reservedNanoEur: totals.reservedNanoEur + reservedNanoEur,
        reservedTokens: totals.reservedTokens + reservedTokens,
      })
    }
    const ids = windows.map((window) => this.#windows.idOf(window))
    begun.push(this.#calls.reserve(ask, ids, { reservedNanoEur, listNanoEur, reservedTokens }))
    return result
  }
}

/** The list price that is kept with a reservation. Throws a RangeError for what a sum cannot hold. */
function listPriceAt({ listPrice }: ReservationAsk, outputTokens: number): number {
  const nanoEur = listPrice?.(outputTokens) ?? 0
  if (Number.isSafeInteger(nanoEur) && nanoEur >= 0) return nanoEur
  throw new RangeError(`cannot keep a list price of ${nanoEur} nano-euro`)
}

function never(): never {
  throw new Error('a scope without its window')
}
