import type { BatchOutcome, BatchWork, BatchWriter } from './batch.ts'
import { mostEvents, type NewEvent } from './eventBook.ts'
import type { LedgerUnavailable, ReservationAsk, ReservationResult, Settlement, WindowChange } from './ledger.ts'
import type { Residual } from './residualBook.ts'

interface PendingAsk {
  readonly ask: ReservationAsk
  readonly resolve: (result: ReservationResult) => void
  readonly reject: (fault: Error) => void
}

/** What the queue needs from outside. */
export interface WriteQueueOptions {
  readonly writer: BatchWriter
  /** Turns what the database threw into a sentence. */
  readonly unavailable: (fault: unknown) => LedgerUnavailable
  readonly log: (line: string) => void
}

/** Polls for input that a reservation waits for while others are in flight. The second saves a quarter of the commits. */
const awaitedPolls = 2

/**
 * How long a settlement waits for a reservation to share its commit with, in milliseconds: longer than a turn of a busy
 * event loop, or its timer would come before the reservation.
 */
const settleDelayMs = 20

/**
 * Batches with reservations after which residuals are written at the latest. They are averages, of which the last few
 * samples may be lost, and each is a page more in a commit that a call waits for.
 */
const mostWithoutResiduals = 200

/** Pauses between tries while the file cannot be written, in milliseconds. */
const firstRetryMs = 250
const longestRetryMs = 30_000

/**
 * Collects what is to be written, so that it shares commits: each costs a flush of the disk.
 *
 * Reservations are written after two polls for input (`setImmediate`), so that the calls that arrive together commit
 * together; while a commit runs, the next calls gather in their sockets. A call that is alone waits for nothing.
 * Settlements and events ride with the next reservation, or go alone after a few milliseconds. Residuals go with a batch that
 * no call waits for.
 *
 * A batch that fails rejects exactly its reservations. Everything else stays queued and is tried again, by itself and with
 * the next reservation, so that a disk with room again is used at once (A07, A08).
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #settledListeners: ((callId: string, changes: readonly WindowChange[]) => void)[] = []
  readonly #freedListeners: (() => void)[] = []
  readonly #residuals = new Map<string, Residual>()
  #asks: PendingAsk[] = []
  #settlements = new Map<string, Settlement>()
  #events: NewEvent[] = []
  #immediate: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null
  #retryMs = 0
  #withoutResiduals = 0
  #closed = false

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  reserve(ask: ReservationAsk): Promise<ReservationResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.#options.unavailable(new Error('it is closed')))
        return
      }
      this.#asks.push({ ask, resolve, reject })
      if (this.#asks.length === 1 && this.#isAlone) queueMicrotask(() => this.#writeAndLog())
      else if (this.#immediate === null) this.#writeAfter(awaitedPolls)
    })
  }

  settle(settlement: Settlement): void {
    // The first settlement of a call wins (L03).
    if (this.#settlements.has(settlement.callId)) return
    this.#settlements.set(settlement.callId, settlement)
    this.#later()
  }

  record(event: NewEvent): void {
    this.#events.push(event)
    if (this.#events.length > 2 * mostEvents) this.#events = this.#events.slice(-mostEvents)
    this.#later()
  }

  saveResidual(residual: Residual): void {
    this.#residuals.set(`${residual.upstream}\n${residual.model}`, residual)
    this.#later()
  }

  onSettled(listener: (callId: string, changes: readonly WindowChange[]) => void): void {
    this.#settledListeners.push(listener)
  }

  onFreed(listener: () => void): void {
    this.#freedListeners.push(listener)
  }

  /** Writes what is queued. Throws LedgerUnavailable where that fails; nothing but reservations is lost by it. */
  flush(): void {
    if (this.#settlements.size > 0 || this.#events.length > 0 || this.#residuals.size > 0) this.#write(true)
  }

  /** Writes the rest and takes nothing more. */
  close(): void {
    this.#writeAndLog(true)
    this.#closed = true
    this.#clearTimers()
  }

  #writeAfter(polls: number): void {
    this.#clearTimers()
    this.#immediate = setImmediate(() => {
      if (polls > 1) this.#writeAfter(polls - 1)
      else this.#writeAndLog()
    })
  }

  /** No call is in flight, so that nobody is about to ask. */
  get #isAlone(): boolean {
    return this.#immediate === null && this.#options.writer.openCalls <= this.#settlements.size
  }

  #later(): void {
    if (this.#closed || this.#timer !== null || this.#immediate !== null) return
    // A reservation may lie in a socket by now: one poll more, and they share the commit.
    this.#timer = setTimeout(() => this.#writeAfter(1), Math.max(settleDelayMs, this.#retryMs))
    // A process that ends closes the ledger; the retries of a broken disk must not keep it alive.
    if (this.#retryMs > 0) this.#timer.unref()
  }

  #clearTimers(): void {
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#immediate = null
    this.#timer = null
  }

  #writeAndLog(withResiduals = false): void {
    try {
      this.#write(withResiduals)
    } catch {
      // Logged and answered where it happened; what is left in the queue is tried again.
    }
  }

  #write(withResiduals: boolean): void {
    this.#clearTimers()
    const asks = this.#asks
    const takesResiduals = withResiduals || asks.length === 0 || this.#withoutResiduals >= mostWithoutResiduals
    const { work, left } = this.#take(asks, takesResiduals)
    if (asks.length + work.settlements.length + work.events.length + work.residuals.length === 0) return
    this.#asks = []
    let outcome: BatchOutcome
    try {
      outcome = this.#options.writer.write(work)
    } catch (fault) {
      throw this.#failed(fault, asks)
    }
    this.#settlements = left
    this.#events = []
    if (takesResiduals) this.#residuals.clear()
    this.#withoutResiduals = takesResiduals ? 0 : this.#withoutResiduals + 1
    if (this.#retryMs > 0) this.#options.log('the ledger can be written again')
    this.#retryMs = 0
    if (left.size > 0) this.#later()
    this.#announce(outcome, asks)
  }

  /** The work of one batch. A settlement that came before its own reservation was written waits for the next. */
  #take(
    asks: readonly PendingAsk[],
    takesResiduals: boolean,
  ): { readonly work: BatchWork; readonly left: Map<string, Settlement> } {
    const left = new Map<string, Settlement>()
    if (this.#settlements.size > 0) {
      for (const { ask } of asks) {
        const early = this.#settlements.get(ask.callId)
        if (early !== undefined && !this.#options.writer.holds(ask.callId)) left.set(ask.callId, early)
      }
    }
    const work: BatchWork = {
      settlements: [...this.#settlements.values()].filter(({ callId }) => left.size === 0 || !left.has(callId)),
      asks: asks.map(({ ask }) => ask),
      events: this.#events,
      residuals: takesResiduals ? [...this.#residuals.values()] : [],
    }
    return { work, left }
  }

  #failed(fault: unknown, asks: readonly PendingAsk[]): LedgerUnavailable {
    const error = this.#options.unavailable(fault)
    if (this.#retryMs === 0) this.#options.log(error.message)
    this.#retryMs = Math.min(longestRetryMs, Math.max(firstRetryMs, this.#retryMs * 2))
    for (const { reject } of asks) reject(error)
    if (this.#settlements.size > 0 || this.#events.length > 0 || this.#residuals.size > 0) this.#later()
    return error
  }

  #announce(outcome: BatchOutcome, asks: readonly PendingAsk[]): void {
    for (const callId of outcome.unsound) {
      this.#options.log(`call ${callId} ended with figures that cannot be used; its whole reservation is charged`)
    }
    outcome.answers.forEach((answer, at) => {
      if (answer instanceof Error) asks[at]?.reject(answer)
      else asks[at]?.resolve(answer)
    })
    for (const { callId, changes } of outcome.settled) {
      for (const listener of this.#settledListeners) this.#guarded(() => listener(callId, changes))
    }
    if (outcome.freed) for (const listener of this.#freedListeners) this.#guarded(listener)
  }

  /** What an observer throws must not undo what is committed. */
  #guarded(call: () => void): void {
    try {
      call()
    } catch (fault) {
      this.#options.log(`an observer of the ledger failed: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
  }
}
