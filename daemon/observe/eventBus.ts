import type { EventName } from '../../shared/protocol.ts'
import type { EventRow } from '../../shared/status.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { EventMemory } from './eventMemory.ts'
import type { EventFilter } from './eventMemory.ts'

/** An event on its way to the windows. */
export type Emitted = { readonly event: EventName; readonly time: string; readonly [key: string]: unknown }

/** Events that are only worth something while they happen; everything else is kept in the ledger as well. */
const passing: ReadonlySet<EventName> = new Set(['call_started', 'call_settled'])

/** A client that keeps asking would otherwise turn every refusal into a row: one row of a kind in this time. */
const repeatWindowMs = 60_000
/** Kinds in that time: a client that names another task each time would push everything else out of the ledger's events. */
const mostKinds = 200

/** Refusals that differ in these are different things to a person, so that each of them is kept. */
const kindFields = ['code', 'scope', 'scopeRef', 'window', 'unit', 'project', 'task', 'upstream'] as const

/** Carries events from where they happen to the control clients, the event list and the ledger. */
export class EventBus {
  readonly #nowMs: () => number
  readonly #ledger: Ledger
  readonly #listeners = new Set<(event: Emitted) => void>()
  readonly #memory = new EventMemory()
  readonly #lastKept = new Map<string, number>()
  #lastId = 0

  constructor(ledger: Ledger, nowMs: () => number) {
    this.#ledger = ledger
    this.#nowMs = nowMs
  }

  /** Loads what an earlier daemon kept, oldest first. */
  restore(rows: readonly EventRow[]): void {
    for (const { id, time, event, ...fields } of rows) {
      this.#lastId = Math.max(this.#lastId, id)
      this.#memory.add({ id, atMs: Date.parse(time), event, fields })
    }
  }

  emit(event: EventName, fields: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#nowMs()
    this.#lastId += 1
    this.#memory.add({ id: this.#lastId, atMs: nowMs, event, fields })
    if (!passing.has(event) && this.#worthKeeping(event, fields, nowMs)) {
      try {
        this.#ledger.recordEvent({ ...fields, event }, nowMs)
      } catch {
        // The event still reaches the windows; the ledger's own state is shown in the status.
      }
    }
    if (this.#listeners.size === 0) return
    const emitted: Emitted = { event, time: new Date(nowMs).toISOString(), ...fields }
    for (const listener of this.#listeners) listener(emitted)
  }

  onEvent(listener: (event: Emitted) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The newest events that a filter lets through, the newest last. */
  list(filter: EventFilter): readonly EventRow[] {
    return this.#memory
      .list(filter)
      .map(({ id, atMs, event, fields }) => ({ id, event, time: new Date(atMs).toISOString(), ...fields }))
  }

  #worthKeeping(event: EventName, fields: Readonly<Record<string, unknown>>, nowMs: number): boolean {
    if (event !== 'refused') return true
    const kind = kindFields.map((name) => String(fields[name])).join('\n')
    const last = this.#lastKept.get(kind)
    if (last !== undefined && isRecent(last, nowMs)) return false
    if (this.#lastKept.size >= mostKinds) this.#forgetOld(nowMs)
    if (this.#lastKept.size >= mostKinds) return false
    this.#lastKept.set(kind, nowMs)
    return true
  }

  #forgetOld(nowMs: number): void {
    for (const [kind, keptAtMs] of this.#lastKept) if (!isRecent(keptAtMs, nowMs)) this.#lastKept.delete(kind)
  }
}

/** Within the window; a clock that was set back must not make it longer. */
function isRecent(atMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < repeatWindowMs
}
