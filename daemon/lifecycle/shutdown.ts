/** What has to happen when the daemon ends, in this order. */
export interface ShutdownSteps {
  /** No new calls: they are refused with `shutting_down`, and listening sockets close. */
  readonly stopAccepting: () => void
  /** Calls still running. */
  readonly running: () => number
  /** Ends what still runs; their settlements follow at once. */
  readonly abortRest: () => void
  /** Settlements, discovery record, lock. */
  readonly finish: () => Promise<void>
}

/** Poll interval while calls drain, in milliseconds. */
const pollMs = 25

/** Time for settlements and terminal errors after the rest was aborted, in milliseconds. */
const abortGraceMs = 500

/**
 * One orderly end: drain, abort the rest, settle, leave. A second request joins the first. `wait` is the clock.
 */
export function createShutdown(
  steps: ShutdownSteps,
  drainMs: () => number,
  wait: (ms: number) => Promise<void>,
): { readonly begin: () => Promise<void>; readonly begun: () => boolean } {
  let ending: Promise<void> | null = null
  const until = async (limitMs: number): Promise<void> => {
    for (let waitedMs = 0; steps.running() > 0 && waitedMs < limitMs; waitedMs += pollMs) await wait(pollMs)
  }
  const end = async (): Promise<void> => {
    steps.stopAccepting()
    await until(drainMs())
    if (steps.running() > 0) {
      steps.abortRest()
      await until(abortGraceMs)
    }
    await steps.finish()
  }
  return { begin: () => (ending ??= end()), begun: () => ending !== null }
}
