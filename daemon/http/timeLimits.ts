/**
 * The two limits of something that comes in parts: the silence between parts, and the whole. A call sets and renews half a
 * dozen limits and hardly ever reaches one, so there is one timer for both, which is left alone when a limit moves and
 * looks at the clock when it fires.
 */
export class TimeLimits {
  readonly #onTime: (which: 'part' | 'total') => void
  readonly #totalAtMs: number
  #partMs = Infinity
  #partFromMs = 0
  #timer: NodeJS.Timeout | null = null
  #timerAtMs = Infinity

  /** `totalMs` counts from now; null is no limit. `onTime` is called once at most, and never after `end`. */
  constructor(totalMs: number | null, onTime: (which: 'part' | 'total') => void) {
    this.#onTime = onTime
    this.#totalAtMs = totalMs === null ? Infinity : performance.now() + totalMs
  }

  /** Waits for the next part at most this long from now; null is as long as the whole may take. */
  waitFor(partMs: number | null): void {
    this.#partMs = partMs ?? Infinity
    this.#partFromMs = performance.now()
    this.#arm()
  }

  /** A part came: the wait for the next one begins now. */
  renew(): void {
    this.#partFromMs = performance.now()
  }

  /** Nothing is waited for any more. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#timerAtMs = -Infinity
  }

  get #dueAtMs(): number {
    return Math.min(this.#partFromMs + this.#partMs, this.#totalAtMs)
  }

  /** A timer that is set for an earlier time stays: it will look and be set again. */
  #arm(): void {
    const dueAtMs = this.#dueAtMs
    if (dueAtMs >= this.#timerAtMs) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAtMs = dueAtMs
    this.#timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(dueAtMs - performance.now())))
  }

  #look(): void {
    this.#timer = null
    this.#timerAtMs = Infinity
    if (performance.now() < this.#dueAtMs) return this.#arm()
    const which = this.#dueAtMs === this.#totalAtMs ? 'total' : 'part'
    this.end()
    this.#onTime(which)
  }
}
