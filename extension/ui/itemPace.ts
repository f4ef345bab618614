import type { Timers } from './coalesce.ts'

/** Least time between two states of the item, in milliseconds. */
const leastStateIntervalMs = 250

/**
 * Least time between two changes of mere figures, in milliseconds. VS Code closes an open tooltip when the text under the
 * pointer changes and draws it anew when the tooltip changes, which loses a click whose press and release fall on either
 * side; so both change together, and not often. One of the links in there is the kill switch.
 */
const leastFigureIntervalMs = 1000

/** When the status bar item is drawn: at most four times a second, and what was asked for last is always drawn. */
export class ItemPace {
  readonly #draw: () => void
  readonly #timers: Timers
  #drawnAtMs = -Infinity
  #dueAtMs = Infinity
  #takeBack: (() => void) | null = null

  constructor(draw: () => void, timers: Timers) {
    this.#draw = draw
    this.#timers = timers
  }

  /** Has it drawn as soon as may be. A new state waits less than new figures. */
  ask(isNewState: boolean): void {
    const nowMs = this.#timers.nowMs()
    const intervalMs = isNewState ? leastStateIntervalMs : leastFigureIntervalMs
    // A clock that was set back must not delay it longer than the interval.
    const waitMs = Math.max(0, Math.min(intervalMs, this.#drawnAtMs + intervalMs - nowMs))
    if (this.#takeBack !== null && this.#dueAtMs <= nowMs + waitMs) return
    this.cancel()
    this.#dueAtMs = nowMs + waitMs
    this.#takeBack = this.#timers.after(waitMs, () => this.now())
  }

  /** Draws at once, for what nobody can ask for often. */
  now(): void {
    this.cancel()
    this.#drawnAtMs = this.#timers.nowMs()
    this.#draw()
  }

  /** Forgets what was asked for. */
  cancel(): void {
    this.#takeBack?.()
    this.#takeBack = null
    this.#dueAtMs = Infinity
  }
}
