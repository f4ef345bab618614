/** What a coalescer needs from outside. */
export interface CoalescerPorts {
  nowMs(): number
  /** Calls back after a time; returns what takes that back. */
  later(ms: number, run: () => void): () => void
}

/** Least time between the starts of two runs, in milliseconds. */
export const leastIntervalMs = 1000

/** A run that took long is followed by a pause of this many times as long, so that it never takes more than a twentieth. */
const pauseFactor = 20

/**
 * Runs what is marked, at once at first and then at most once a second: what comes in between is done together. Nothing runs
 * where nothing was marked.
 */
export class Coalescer<Part> {
  readonly #ports: CoalescerPorts
  readonly #run: (parts: ReadonlySet<Part>) => Promise<void>
  readonly #marked = new Set<Part>()
  #isRunning = false
  #notBeforeMs = 0
  #cancel: (() => void) | null = null
  #isDisposed = false

  /** `run` must not reject. */
  constructor(ports: CoalescerPorts, run: (parts: ReadonlySet<Part>) => Promise<void>) {
    this.#ports = ports
    this.#run = run
  }

  /** Marks parts that are out of date. */
  mark(...parts: readonly Part[]): void {
    for (const part of parts) this.#marked.add(part)
    this.#schedule()
  }

  /** The next run waits for nothing: a person asked for it. */
  hurry(...parts: readonly Part[]): void {
    this.#notBeforeMs = 0
    this.#cancel?.()
    this.#cancel = null
    this.mark(...parts)
  }

  /** Forgets what is marked. */
  clear(): void {
    this.#marked.clear()
    this.#cancel?.()
    this.#cancel = null
  }

  dispose(): void {
    this.#isDisposed = true
    this.clear()
  }

  #schedule(): void {
    if (this.#isDisposed || this.#isRunning || this.#cancel !== null || this.#marked.size === 0) return
    const waitMs = this.#notBeforeMs - this.#ports.nowMs()
    if (waitMs <= 0) {
      void this.#start()
      return
    }
    this.#cancel = this.#ports.later(waitMs, () => {
      this.#cancel = null
      void this.#start()
    })
  }

  async #start(): Promise<void> {
    const startedMs = this.#ports.nowMs()
    const parts = new Set(this.#marked)
    this.#marked.clear()
    this.#isRunning = true
    this.#notBeforeMs = startedMs + leastIntervalMs
    try {
      await this.#run(parts)
    } finally {
      this.#isRunning = false
    }
    const endedMs = this.#ports.nowMs()
    if (this.#notBeforeMs !== 0) {
      this.#notBeforeMs = Math.max(startedMs + leastIntervalMs, endedMs + pauseFactor * (endedMs - startedMs))
    }
    this.#schedule()
  }
}
