import type { Status } from '../../shared/status.ts'

/** How long no call may have run before a daemon is ended or replaced, in milliseconds: an agent calls again sooner than that. */
const quietMs = 2000

/** Waits for a time without calls at the daemon that is followed. */
export class Quiet {
  readonly #sleep: (ms: number) => Promise<void>
  /** Identity of the present time without calls. */
  #present: object | undefined
  #isActing = false

  constructor(sleep: (ms: number) => Promise<void>) {
    this.#sleep = sleep
  }

  /** Ends the present time: the daemon is another one now, something else is to be done, or nobody tells of its calls any more. */
  forget(): void {
    this.#present = undefined
  }

  /** Acts once no call has run for a while. Called with each status of the daemon. */
  when({ inFlight }: Pick<Status, 'inFlight'>, act: () => Promise<void>): void {
    if (inFlight.length > 0) {
      this.#present = undefined
      return
    }
    if (this.#present !== undefined || this.#isActing) return
    const present = {}
    this.#present = present
    void this.#sleep(quietMs).then(async () => {
      if (this.#present !== present) return
      this.#isActing = true
      try {
        await act()
      } finally {
        this.#isActing = false
        this.#present = undefined
      }
    })
  }
}
