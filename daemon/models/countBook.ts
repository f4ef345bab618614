import { createHash } from 'node:crypto'
import { BoundedMap } from '../transcript/boundedMap.ts'

/** What came of asking a counter. */
export type Counted =
  | { readonly kind: 'count'; readonly tokens: number }
  /** This request has no count; another may have one. */
  | { readonly kind: 'none' }
  /** The counter itself is out of order, missing, or has had enough for now. */
  | { readonly kind: 'failed' }

/** One thing to count. */
export interface CountAsk {
  /** Digest of everything that the count depends on; see `CountBook.digest`. */
  readonly digest: string
  /** Upstream and endpoint. */
  readonly counter: string
  /** False where the same question may have another answer in a minute: a conversation that the provider keeps. */
  readonly keep: boolean
}

/** How long a count is used again, in milliseconds. */
export const countHoldsMs = 600_000
/** How long a counter that failed is not asked again; so is a request without a count (H02). */
export const counterRestsMs = 10_000
const mostCounts = 500
const mostCounters = 100
/** Questions under way together: what comes beyond is estimated. */
const mostAtOnce = 64

interface Known {
  readonly tokens: number | null
  readonly untilMs: number
}

/**
 * What counters have said. Agents ask for the same thing dozens of times in a second (H02), so that equal questions share
 * one request, answers are kept for a while, and a counter that fails is left alone. Digests only, in memory only.
 */
export class CountBook {
  readonly #salt: string
  readonly #nowMs: () => number
  readonly #known = new BoundedMap<Known>(mostCounts)
  readonly #resting = new BoundedMap<number>(mostCounters)
  readonly #asking = new Map<string, Promise<number | null>>()

  /** `salt` keeps the digests from being compared with anything outside of this process. */
  constructor(salt: string, nowMs: () => number) {
    this.#salt = salt
    this.#nowMs = nowMs
  }

  /** Digest of a body and whatever else a count depends on. */
  digest(body: Uint8Array, ...others: readonly string[]): string {
    const hash = createHash('sha256').update(JSON.stringify([this.#salt, ...others]))
    return hash.update(body).digest('base64url')
  }

  /** The count, asked for with `put` only where it is not known; null where there is none. `put` must not reject. */
  async count({ digest, counter, keep }: CountAsk, put: () => Promise<Counted>): Promise<number | null> {
    const known = this.#known.get(digest)
    if (known !== undefined && this.#nowMs() < known.untilMs) return known.tokens
    const asking = this.#asking.get(digest)
    if (asking !== undefined) return asking
    if (this.#nowMs() < (this.#resting.get(counter) ?? 0) || this.#asking.size >= mostAtOnce) return null
    const asked = put().then((counted) => this.#remember(digest, counter, keep, counted))
    this.#asking.set(digest, asked)
    return asked.finally(() => this.#asking.delete(digest))
  }

  #remember(digest: string, counter: string, keep: boolean, counted: Counted): number | null {
    const nowMs = this.#nowMs()
    switch (counted.kind) {
      case 'count':
        if (keep) this.#known.set(digest, { tokens: counted.tokens, untilMs: nowMs + countHoldsMs })
        return counted.tokens
      case 'none':
        this.#known.set(digest, { tokens: null, untilMs: nowMs + counterRestsMs })
        return null
      case 'failed':
        this.#resting.set(counter, nowMs + counterRestsMs)
        return null
    }
  }
}
