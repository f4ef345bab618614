import type { KillRequest, KillResult } from '../../shared/protocol.ts'
import { coversCall, killedRefusal } from '../guards/killSwitch.ts'
import type { KillSwitch, Ledger } from '../ledger/ledger.ts'
import type { InFlight } from '../observe/inFlight.ts'
import type { EventBus } from '../observe/eventBus.ts'
import type { Log } from '../observe/log.ts'
import type { PendingStops } from './pendingStops.ts'

/** What a kill switch acts on. */
export interface KillBoardParts {
  readonly ledger: Ledger
  readonly inFlight: InFlight
  readonly events: EventBus
  /** Stops that were asked for while no daemon answered; also where the ledger cannot be written. */
  readonly pending: PendingStops
  readonly log: Log
  readonly nowMs: () => number
}

/**
 * The kill switches. A switch first blocks, then cancels what runs, then is written down: a ledger that cannot be written
 * must not keep calls alive. It holds until it is resumed, over restarts of the daemon.
 */
export class KillBoard {
  readonly #parts: KillBoardParts
  readonly #kills: KillSwitch[]

  constructor(parts: KillBoardParts) {
    this.#parts = parts
    this.#kills = [...parts.ledger.kills()]
  }

  current(): readonly KillSwitch[] {
    return this.#kills
  }

  /** Stops everything that the request names, and says how much and how fast. */
  kill(request: KillRequest): KillResult {
    const { inFlight, events, nowMs } = this.#parts
    const startedMs = performance.now()
    const kill: KillSwitch = { scope: request.scope, ref: request.ref ?? '', sinceMs: nowMs() }
    if (!this.#kills.some((one) => same(one, kill))) this.#kills.push(kill)
    const cancelled = inFlight.cancel((call) => coversCall(kill, call), killedRefusal(kill))
    const tookMs = Math.round((performance.now() - startedMs) * 10) / 10
    const isKept = this.#keep(kill)
    events.emit('killed', {
      scope: kill.scope,
      ref: kill.ref,
      cancelled,
      tookMs,
      ...(isKept ? {} : { untilRestart: true }),
    })
    return { cancelled, tookMs }
  }

  /**
   * Sets the switches that were asked for while no daemon answered, once each. Where it cannot be known at the start which there are,
   * it is everything; later the next look will tell. Does not throw: what begins or goes on after it has to.
   */
  takeUpPending(isStart = false): void {
    for (const stop of this.#waiting(isStart)) {
      const isOn = this.#kills.find((one) => same(one, { scope: stop.scope, ref: stop.ref ?? '' }))
      if (isOn === undefined) this.kill(stop)
      else this.#keep(isOn)
    }
  }

  #waiting(isStart: boolean): readonly KillRequest[] {
    const { pending, log } = this.#parts
    try {
      return pending.list()
    } catch (fault) {
      const problem = fault instanceof Error ? fault.message : String(fault)
      if (!isStart || this.#kills.some(({ scope }) => scope === 'global')) {
        log.warn('the stops that wait cannot be read now', { problem })
        return []
      }
      log.error('the stops that wait cannot be read, so all calls are stopped until a resume', { problem })
      return [{ scope: 'global' }]
    }
  }

  /**
   * Lets calls through again. `global` lifts every switch, as the button that says "resume" is expected to. Throws a
   * LedgerUnavailable or a StopStays where a switch would be on again after a restart; it stays on then.
   */
  resume(request: KillRequest): void {
    const { ledger, events, pending } = this.#parts
    const lifted = this.#kills.filter(
      (kill) => request.scope === 'global' || same(kill, { scope: request.scope, ref: request.ref ?? '' }),
    )
    for (const kill of lifted) ledger.clearKill(kill.scope, kill.ref)
    pending.withdraw(request)
    for (const kill of lifted) this.#kills.splice(this.#kills.indexOf(kill), 1)
    events.emit('resumed', { scope: request.scope, ref: request.ref ?? '', lifted: lifted.length })
  }

  /** Writes a switch down: in the ledger, else as a stop that waits for the next start. False where neither can be written. */
  #keep(kill: KillSwitch): boolean {
    const { ledger, pending } = this.#parts
    if (quietly(() => ledger.setKill(kill))) {
      quietly(() => pending.settle(requestOf(kill)))
      return true
    }
    return quietly(() => pending.keep(requestOf(kill)))
  }
}

function requestOf({ scope, ref }: KillSwitch): KillRequest {
  return scope === 'global' ? { scope } : { scope, ref }
}

/** The stop works already; a disk that cannot write or remove what is kept of it must not turn it into a fault. */
function quietly(step: () => void): boolean {
  try {
    step()
    return true
  } catch {
    return false
  }
}

function same(left: Pick<KillSwitch, 'scope' | 'ref'>, right: Pick<KillSwitch, 'scope' | 'ref'>): boolean {
  return left.scope === right.scope && left.ref === right.ref
}
