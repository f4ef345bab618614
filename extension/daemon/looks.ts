/** Pause before the second look, in milliseconds; each one after is twice as long. */
const firstPauseMs = 5000
/** Looks that come by themselves: the last one is 85 minutes after the first. */
const mostLooks = 10

/**
 * When a window looks again for a daemon that it neither follows nor starts. Another window or a terminal may bring one at any
 * time, but nobody has to: the pauses grow and end. After that, and before, it looks when somebody is there.
 */
export class Looks {
  readonly #sleep: (ms: number) => Promise<void>
  #count = 0
  #now: () => void = () => undefined

  constructor(sleep: (ms: number) => Promise<void>) {
    this.#sleep = sleep
  }

  /** Begins with the short pauses again. */
  begin(): void {
    this.#count = 0
  }

  /** Looks at once where somebody waits for the next look. */
  now(): void {
    this.#now()
  }

  /** Resolves when it is time to look. */
  async next(): Promise<void> {
    const asked = new Promise<void>((resolve) => {
      this.#now = resolve
    })
    const pauseMs = firstPauseMs * 2 ** this.#count
    this.#count += 1
    await (this.#count > mostLooks ? asked : Promise.race([this.#sleep(pauseMs), asked]))
  }
}
