import type { Log } from '../log.ts'
import type { Successor } from './connection.ts'
import { ensureDaemon, maxReplacements } from './ensure.ts'
import type { Ensured, EnsurePorts, Mine, Replacement } from './ensure.ts'
import { compareVersions } from './versionOrder.ts'

/** What replacing a daemon needs from outside. */
export interface ReplacementPorts extends EnsurePorts {
  readonly log: Log
  /** Clears away what a daemon leaves that is about to end and was replaced. */
  tidyAfter(pid: number): Promise<void>
}

/** Time in which the replacements of a window are counted, in milliseconds: see `maxReplacements`. */
const countedMs = 60_000

/** Finds or starts the daemon of a data directory, and lets this window's own take the place of an older one in a quiet moment. */
export class Replacements {
  readonly #ports: ReplacementPorts
  readonly #mine: Mine
  /** When a daemon was replaced, or was to be and ours did not start. */
  #timesMs: number[] = []
  #hasFailed = false

  constructor(ports: ReplacementPorts, mine: Mine) {
    this.#ports = ports
    this.#mine = mine
  }

  /** What this window brings instead of a daemon of that version; null where that one is not older. */
  successorOf(version: string): Successor | null {
    if (compareVersions(version, this.#mine.version) >= 0) return null
    return { version: this.#mine.version, state: this.#hasFailed ? 'failed' : 'waiting' }
  }

  /** Forgets that ours could not start: somebody wants it to be tried again. */
  forgetFailure(): void {
    this.#hasFailed = false
  }

  /** Whether ours could not start in place of an older one. It is not tried again before somebody wants it. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** `isQuiet`: no call has run for a while, so that a daemon that can be talked to may be replaced. */
  async ensure(isQuiet: boolean): Promise<Ensured> {
    const nowMs = this.#ports.nowMs()
    this.#timesMs = this.#timesMs.filter((atMs) => nowMs - atMs < countedMs)
    const replacements = this.#hasFailed ? maxReplacements : this.#timesMs.length
    const ensured = await ensureDaemon(this.#ports, this.#mine, replacements, isQuiet)
    if (ensured.kind === 'ready' || ensured.kind === 'unfollowed') this.#note(ensured.replacement)
    return ensured
  }

  #note(replacement: Replacement): void {
    switch (replacement.kind) {
      case 'none':
        return
      case 'busy':
        return this.#ports.log.info('The older gate has calls in flight, so it is replaced later.')
      case 'failed':
        this.#hasFailed = true
        this.#ports.log.error(`The gate ${this.#mine.version} could not take over: ${replacement.detail}`)
        break
      case 'done':
        this.#tidyAfter(replacement.predecessorPid)
    }
    this.#timesMs.push(this.#ports.nowMs())
  }

  /** What stays is cleared away after the next replacement. */
  #tidyAfter(pid: number): void {
    this.#ports.tidyAfter(pid).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      this.#ports.log.warn(`What the older gate left could not be cleared away: ${reason}`)
    })
  }
}
