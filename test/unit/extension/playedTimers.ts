import type { Timers } from '../../../extension/ui/coalesce.ts'

/** Timers that a test moves. */
export class PlayedTimers implements Timers {
  atMs = 1000
  #waiting: { readonly atMs: number; readonly run: () => void }[] = []

  nowMs = (): number => this.atMs

  after = (ms: number, run: () => void): (() => void) => {
    const entry = { atMs: this.atMs + ms, run }
    this.#waiting.push(entry)
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== entry)
    }
  }

  pass(ms: number): void {
    const untilMs = this.atMs + ms
    for (;;) {
      const next = this.#waiting.filter(({ atMs }) => atMs <= untilMs).sort((left, right) => left.atMs - right.atMs)[0]
      if (next === undefined) break
      this.#waiting = this.#waiting.filter((one) => one !== next)
      this.atMs = Math.max(this.atMs, next.atMs)
      next.run()
    }
    this.atMs = untilMs
  }
}
