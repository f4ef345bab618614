import type { InFlightStatus } from '../../shared/status.ts'
import type { Refusal } from '../call.ts'
import type { KillTarget } from '../guards/killSwitch.ts'

/** A call that has begun and not ended. */
export interface RunningCall extends KillTarget {
  readonly id: string
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
  readonly #perKey = new Map<string, number>()

  add(call: RunningCall): void {
    this.#calls.set(call.id, call)
    this.#perKey.set(call.keyId, this.ofKey(call.keyId) + 1)
  }

  remove(id: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    const left = this.ofKey(call.keyId) - 1
    if (left > 0) this.#perKey.set(call.keyId, left)
    else this.#perKey.delete(call.keyId)
  }

  get size(): number {
    return this.#calls.size
  }

  ofKey(keyId: string): number {
    return this.#perKey.get(keyId) ?? 0
  }

  /** Cancels every call that `covers` names and returns how many. */
  cancel(covers: (call: RunningCall) => boolean, refusal: Refusal): number {
    const chosen = [...this.#calls.values()].filter(covers)
    for (const call of chosen) call.cancel(refusal)
    return chosen.length
  }

  status(nowMs: number): InFlightStatus[] {
    return [...this.#calls.values()].map((call) => ({
      call: call.id,
      task: call.task,
      model: call.model,
      elapsedMs: Math.round(nowMs - call.startedAtMs),
      outputTokens: call.outputTokens(),
    }))
  }
}
