/** How often a daemon that crashes is started again. */
export interface RestartLimits {
  /** Waits before the first, second, … restart, in milliseconds; the last one repeats. */
  readonly backoffMs: readonly number[]
  /** More crashes than this inside the window end the restarts. */
  readonly maxCrashes: number
  readonly windowMs: number
}

/** 0.5 to 8 s, and no more restarts after more than 4 crashes in 3 minutes. */
export const defaultRestartLimits: RestartLimits = {
  backoffMs: [500, 1000, 2000, 4000, 8000],
  maxCrashes: 4,
  windowMs: 180_000,
}

/**
 * What to do at the next crash. Immutable: a crash gives the next policy, so that no caller counts anything. The wait of a
 * series grows until a whole window passed without a crash.
 */
export interface RestartPolicy {
  /** Wait before the restart that this policy stands for, in milliseconds; 0 before the first crash. */
  readonly delayMs: number
  /**
   * The policy after a crash at `nowMs`, or undefined when it crashed too often. `jitter` is a number from 0 to 1 from
   * outside: it stretches the wait by up to a fifth, so that the windows of one user do not start in step.
   */
  crashed(nowMs: number, jitter: number): RestartPolicy | undefined
}

/** The policy of a daemon that has not crashed. */
export function restartPolicy(limits: RestartLimits = defaultRestartLimits): RestartPolicy {
  return policyAfter(limits, [], 0, 0)
}

function policyAfter(
  limits: RestartLimits,
  crashesMs: readonly number[],
  seriesLength: number,
  delayMs: number,
): RestartPolicy {
  return {
    delayMs,
    crashed(nowMs, jitter) {
      const recent = crashesMs.filter((crashMs) => nowMs - crashMs < limits.windowMs)
      const crashes = [...recent, nowMs]
      if (crashes.length > limits.maxCrashes) return undefined
      const position = recent.length === 0 ? 0 : seriesLength
      const baseMs = limits.backoffMs[Math.min(position, limits.backoffMs.length - 1)] ?? 0
      return policyAfter(limits, crashes, position + 1, Math.round(baseMs * (1 + 0.2 * jitter)))
    },
  }
}
