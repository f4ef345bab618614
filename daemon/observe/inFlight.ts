import type { InFlightStatus } from '../../shared/status.ts'
import type { Refusal } from '../call.ts'
import type { KillTarget } from '../guards/killSwitch.ts'

/** A call that has begun and not ended. */
export interface RunningCall extends KillTarget {
  readonly id: string
  /** What its concurrency is counted by: the key for metered calls, apart from the free ones. */
  readonly slot: string
  /** Empty for a free call, which the status does not show. */
  readonly model: string
  readonly startedAtMs: number
  /** Output tokens delivered so far, as far as known. */
  readonly outputTokens: () => number
  /** Ends the call with a refusal: the provider's connection is closed, the client is told, the call is settled. */
  readonly cancel: (refusal: Refusal) => void
}

/** All calls in flight of this daemon. */
export class InFlight {
  readonly #calls = new Map<string, RunningCall>()
  readonly #perSlot = new Map<string, number>()
  #total = 0
  #open = 0

  /** Counts a request from its arrival to its end, also while it is no call yet; the returned function ends it, once. */
  enter(): () => void {
    this.#open += 1
    let inside = true
    return () => {
      if (inside) this.#open -= 1
      inside = false
    }
  }

  /** Requests that have come in and not ended: calls in flight, and those that still arrive or whose answer is not taken yet. */
  get open(): number {
    return this.#open
  }

  add(call: RunningCall): void {
    this.#total += 1
    this.#calls.set(call.id, call)
    this.#perSlot.set(call.slot, this.inSlot(call.slot) + 1)
  }

  remove(id: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    const left = this.inSlot(call.slot) - 1
    if (left > 0) this.#perSlot.set(call.slot, left)
    else this.#perSlot.delete(call.slot)
  }

  get size(): number {
    return this.#calls.size
  }

  /** Calls since the daemon started. */
  get total(): number {
    return this.#total
  }

  inSlot(slot: string): number {
    return this.#perSlot.get(slot) ?? 0
  }

  /** Cancels every call that `covers` names and returns how many. */
  cancel(covers: (call: RunningCall) => boolean, refusal: Refusal): number {
    const chosen = [...this.#calls.values()].filter(covers)
    for (const call of chosen) call.cancel(refusal)
    return chosen.length
  }

  status(nowMs: number): InFlightStatus[] {
    const metered = [...this.#calls.values()].filter((call) => call.model !== '')
    return metered.map((call) => ({
      call: call.id,
      task: call.task,
      model: call.model,
      elapsedMs: Math.round(nowMs - call.startedAtMs),
      outputTokens: call.outputTokens(),
    }))
  }
}
