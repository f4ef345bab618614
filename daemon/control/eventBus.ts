import type { EventName } from '../../shared/protocol.ts'
import type { EventRow } from '../../shared/status.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** An event on its way to the windows. */
export type Emitted = { readonly event: EventName; readonly time: string; readonly [key: string]: unknown }

/** Events that are only worth something while they happen; everything else is kept in the ledger as well. */
const passing: ReadonlySet<EventName> = new Set(['call_started', 'call_settled'])

const mostRemembered = 5000

/** A client that keeps asking would otherwise turn every refusal into a row. */
const repeatWindowMs = 60_000
const mostRepeats = 1000

/** Carries events from where they happen to the control clients, the event list and the ledger. */
export class EventBus {
  readonly #nowMs: () => number
  readonly #ledger: Ledger
  readonly #listeners = new Set<(event: Emitted) => void>()
  readonly #remembered: EventRow[] = []
  readonly #lastKept = new Map<string, number>()
  #lastId = 0

  constructor(ledger: Ledger, nowMs: () => number) {
    this.#ledger = ledger
    this.#nowMs = nowMs
  }

  /** Loads what an earlier daemon kept, oldest first. */
  restore(rows: readonly EventRow[]): void {
    for (const row of rows) {
      this.#lastId = Math.max(this.#lastId, row.id)
      this.#remembered.push(row)
    }
  }

  emit(event: EventName, fields: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#nowMs()
    const emitted: Emitted = { event, time: new Date(nowMs).toISOString(), ...fields }
    this.#lastId += 1
    this.#remembered.push({ id: this.#lastId, ...emitted })
    if (this.#remembered.length > mostRemembered * 1.2)
      this.#remembered.splice(0, this.#remembered.length - mostRemembered)
    if (!passing.has(event) && this.#worthKeeping(emitted, nowMs)) {
      try {
        this.#ledger.recordEvent({ ...fields, event }, nowMs)
      } catch {
        // The event still reaches the windows; the ledger's own state is shown in the status.
      }
    }
    for (const listener of this.#listeners) listener(emitted)
  }

  onEvent(listener: (event: Emitted) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Newest last. */
  list(sinceMs: number, limit: number): readonly EventRow[] {
    return this.#remembered.filter((row) => Date.parse(row.time) >= sinceMs).slice(-limit)
  }

  #worthKeeping(emitted: Emitted, nowMs: number): boolean {
    if (emitted.event !== 'refused') return true
    const kind = `${String(emitted['code'])}\n${String(emitted['scope'])}\n${String(emitted['scopeRef'])}`
    const last = this.#lastKept.get(kind)
    if (last !== undefined && nowMs - last < repeatWindowMs) return false
    if (this.#lastKept.size > mostRepeats) this.#lastKept.clear()
    this.#lastKept.set(kind, nowMs)
    return true
  }
}
