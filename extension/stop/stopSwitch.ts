import type { DaemonEvent } from '../ui/eventFields.ts'
import { NoAnswer } from './reach.ts'

/** What the switch acts on. */
export interface StopPorts {
  /**
   * Gives an order about all calls to the daemon; `anew`: to whichever answers by now. Throws a NoAnswer, also where a daemon
   * does not know our token, or a DaemonAnswer where it says no.
   */
  order(path: '/api/kill' | '/api/resume', anew: boolean): Promise<unknown>
  /** Writes a stop of everything down for the next daemon. Throws where the file system refuses, as the next three do. */
  keep(): Promise<void>
  /** Takes that one away. */
  forget(): Promise<void>
  /** Takes every stop away that waits. */
  withdraw(): Promise<void>
  /** Whether one waits. */
  waits(): Promise<boolean>
}

/** What became of a stop. */
export type StopOutcome =
  /** `tookMs` is whole and at least 1. */
  | { readonly kind: 'stopped'; readonly cancelled: number; readonly tookMs: number }
  /** The daemon said no, with its own sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody answered, though a process may be there; the next daemon of the data directory stops everything. */
  | { readonly kind: 'waits'; readonly isThere: boolean }
  /** Nobody answered, and it could not be written down: it holds only as long as this window does. */
  | { readonly kind: 'windowOnly'; readonly reason: string }

/** What became of a resume. `away`: nobody answered, and no stop waits. */
export type ResumeOutcome =
  | { readonly kind: 'resumed' }
  | { readonly kind: 'away'; readonly isThere: boolean }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * The kill switch of this window. A stop that a person was told of holds however windows come and go: where no daemon answers,
 * it waits as a file that the next one takes up before it lets a call pass.
 */
export class StopSwitch {
  readonly #ports: StopPorts
  /** A stop that could not be written down is made good by this window. */
  #isOwed = false

  constructor(ports: StopPorts) {
    this.#ports = ports
  }

  /** Stops everything, or sees to it that it will be stopped. */
  async stop(): Promise<StopOutcome> {
    this.#isOwed = false
    try {
      return await this.#kill(false)
    } catch (error) {
      return error instanceof NoAnswer ? this.#wait() : refused(error)
    }
  }

  /** Lets calls pass again, and takes back a stop that waits. */
  async resume(): Promise<ResumeOutcome> {
    this.#isOwed = false
    try {
      const away = await this.#ports.order('/api/resume', false).then(() => null, asNoAnswer)
      await this.#ports.withdraw()
      return away === null ? { kind: 'resumed' } : { kind: 'away', isThere: away.isThere }
    } catch (error) {
      return refused(error)
    }
  }

  /** Whether a stop waits for the gate, whoever asked for it; true where that cannot be known. */
  async waits(): Promise<boolean> {
    return this.#isOwed || (await this.#ports.waits().catch(() => true))
  }

  /** An event of the gate: true where all calls were resumed elsewhere and this window owed a stop, which it does no more. */
  isLiftedBy(event: DaemonEvent): boolean {
    return event.event === 'resumed' && event['scope'] === 'global' && this.takeOwed()
  }

  /** Takes the stop that this window owes to a gate, as where another one answers: true where there was one. It is owed no more. */
  takeOwed(): boolean {
    const isOwed = this.#isOwed
    this.#isOwed = false
    return isOwed
  }

  async #wait(): Promise<StopOutcome> {
    try {
      await this.#ports.keep()
    } catch (error) {
      this.#isOwed = true
      return { kind: 'windowOnly', reason: reasonOf(error) }
    }
    try {
      // One that has begun meanwhile may have looked before the file was there. It removes the file itself once the ledger has
      // the stop: where the ledger cannot be written, the file is all that keeps it.
      return await this.#kill(true)
    } catch (error) {
      if (error instanceof NoAnswer) return { kind: 'waits', isThere: error.isThere }
      // What stays is one stop too many, which any resume takes away.
      await this.#ports.forget().catch(() => undefined)
      return refused(error)
    }
  }

  async #kill(anew: boolean): Promise<StopOutcome> {
    const { cancelled, tookMs } = ((await this.#ports.order('/api/kill', anew)) ?? {}) as Record<string, unknown>
    return {
      kind: 'stopped',
      cancelled: typeof cancelled === 'number' ? cancelled : 0,
      // What took less did take time.
      tookMs: typeof tookMs === 'number' ? Math.max(1, Math.round(tookMs)) : 1,
    }
  }
}

function asNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error
  throw error
}

function refused(error: unknown): { readonly kind: 'refused'; readonly reason: string } {
  return { kind: 'refused', reason: reasonOf(error) }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
