import { BoundedMap } from '../transcript/boundedMap.ts'

interface Kept<Value> {
  readonly answer: Promise<Value | null>
  untilMs: number
}

/** How long a question that got no answer is not asked again. */
export const failureHoldsMs = 10_000

/**
 * Answers of servers, kept for a while. Whoever asks while a question is on its way waits for the same answer; names come
 * from clients, so at most `most` answers are kept.
 */
export class AskedOnce<Value> {
  readonly #nowMs: () => number
  readonly #holdsMs: (value: Value) => number
  readonly #kept: BoundedMap<Kept<Value>>

  constructor(most: number, nowMs: () => number, holdsMs: (value: Value) => number) {
    this.#nowMs = nowMs
    this.#holdsMs = holdsMs
    this.#kept = new BoundedMap(most)
  }

  /** The kept answer, else that of `ask`; null where there was none. Never rejects. */
  find(name: string, ask: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#kept.get(name)
    if (known !== undefined && this.#nowMs() < known.untilMs) return known.answer
    // A question that fails is one without an answer: it must neither fail the call nor be remembered for ever.
    const kept: Kept<Value> = { answer: ask().catch(() => null), untilMs: Infinity }
    this.#kept.set(name, kept)
    return kept.answer.then((value) => {
      kept.untilMs = this.#nowMs() + (value === null ? failureHoldsMs : this.#holdsMs(value))
      return value
    })
  }
}
