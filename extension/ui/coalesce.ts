/** Timers, as Node has them. */
export interface Timers {
  nowMs(): number
  /** Calls back after a time; the returned function takes that back. */
  after(ms: number, run: () => void): () => void
}

/** The timers of this process. */
export const realTimers: Timers = {
  nowMs: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Work that is asked for often and done seldom. */
export interface Coalesced {
  /** Has it done at once where it rested long enough, else as soon as it has; several asks are one. */
  ask(): void
  /** Forgets what was asked for. */
  cancel(): void
}

/** Does `run` at most once in `leastIntervalMs`, the first time at once, and never leaves out the last ask. */
export function coalesced(run: () => void, leastIntervalMs: number, timers: Timers): Coalesced {
  let ranAtMs = -Infinity
  let takeBack: (() => void) | null = null
  const act = (): void => {
    takeBack = null
    ranAtMs = timers.nowMs()
    run()
  }
  return {
    ask: () => {
      if (takeBack !== null) return
      // A clock that was set back must not delay it longer than the interval.
      const waitMs = Math.min(leastIntervalMs, ranAtMs + leastIntervalMs - timers.nowMs())
      if (waitMs <= 0) act()
      else takeBack = timers.after(waitMs, act)
    },
    cancel: () => {
      takeBack?.()
      takeBack = null
    },
  }
}
