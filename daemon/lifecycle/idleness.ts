/** Longest and shortest pause between two looks at whether somebody still uses the daemon, in milliseconds. */
const longestPauseMs = 30_000
const shortestPauseMs = 50

/** What tells whether a daemon is used. */
export interface Usage {
  /** Calls in flight and connected windows, at this moment. */
  readonly active: () => number
  /** Calls since the start: a short one between two looks counts as well. */
  readonly calls: () => number
}

/** Calls `stop` once nobody has used the daemon for `limitMs()`; 0 is never. Does not keep the process alive. */
export function stopWhenIdle(usage: Usage, limitMs: () => number, nowMs: () => number, stop: () => void): void {
  let idleSinceMs = nowMs()
  let lastCalls = usage.calls()
  const later = (): void => {
    const limit = limitMs()
    const pauseMs = limit > 0 ? Math.max(shortestPauseMs, limit / 4) : longestPauseMs
    setTimeout(look, Math.min(longestPauseMs, pauseMs)).unref()
  }
  const look = (): void => {
    const calls = usage.calls()
    if (usage.active() > 0 || calls !== lastCalls) idleSinceMs = nowMs()
    lastCalls = calls
    const limit = limitMs()
    if (limit > 0 && nowMs() - idleSinceMs >= limit) stop()
    else later()
  }
  later()
}
