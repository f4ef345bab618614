import { version } from '../shared/build.ts'
import type { DiscoveryRecord } from '../shared/protocol.ts'
import type { Connection } from './daemon/connection.ts'
import type { Text } from './text/text.ts'
import { downView } from './ui/awayText.ts'
import type { DaemonEvent } from './ui/eventFields.ts'
import { capsAfter, capsUnder, noCaps } from './ui/exhaustedCaps.ts'
import type { ExhaustedCap, GateView } from './ui/gateView.ts'
import { isCapEvent, pastCapEvents, recalledCaps } from './ui/recalledCaps.ts'

/** What the state of the gate is worked out with, and who is told of it. */
export interface GatePorts {
  readonly text: Text
  readonly isEnabled: () => boolean
  /** Asks the control API of the gate that is followed. */
  readonly ask: (path: string) => Promise<unknown>
  /** Says that something could not be read. */
  readonly warn: (what: string, error: unknown) => void
  /** Called before `changed`, with every status. */
  readonly currencyIs: (code: string) => void
  readonly changed: (gate: GateView, before: GateView) => void
  /** Another gate than before is there, after `changed`. It may be one that this window cannot follow. */
  readonly arrived: (record: DiscoveryRecord) => void
}

/** The gate as the user interface shows it: what the connection tells, and the caps that refused calls since. */
export class GateState {
  readonly #ports: GatePorts
  #view: GateView = { kind: 'starting' }
  #exhausted: readonly ExhaustedCap[] = noCaps
  /** How many events this window has heard that may have changed `#exhausted`. */
  #capEvents = 0
  /** Process of the gate that was there last: another one may take its place without a gap. */
  #pid: number | null = null

  constructor(ports: GatePorts) {
    this.#ports = ports
  }

  get view(): GateView {
    return this.#view
  }

  /** Another ledger counts from now on: what refused calls by the one before is nothing there. */
  forgetCaps(): void {
    this.#exhausted = noCaps
  }

  /** Tollgate is switched off. */
  off(): void {
    this.#show({ kind: 'off' })
  }

  connectionChanged(connection: Connection): void {
    switch (connection.kind) {
      case 'off':
        return this.#show(this.#ports.isEnabled() ? { kind: 'starting' } : { kind: 'off' })
      case 'starting':
        return this.#show({ kind: 'starting' })
      case 'away':
        return this.#show(downView(connection, this.#ports.text))
      case 'unfollowed': {
        const { why, version: running, record } = connection
        const isSame = this.#isSame('unfollowed', record)
        this.#show({ kind: 'unfollowed', why, version: running, ownVersion: version })
        if (!isSame) this.#ports.arrived(record)
        return
      }
      case 'connected': {
        const { record, status, successor } = connection
        const isSame = this.#isSame('up', record)
        this.#ports.currencyIs(status.currency)
        this.#exhausted = capsUnder(this.#exhausted, status)
        this.#show({ kind: 'up', status, exhausted: this.#exhausted, successor })
        if (isSame) return
        this.#ports.arrived(record)
        void this.#recallCaps(record)
      }
    }
  }

  hear(event: DaemonEvent): void {
    if (this.#view.kind !== 'up') return
    if (isCapEvent(event.event)) this.#capEvents += 1
    this.#showCaps(this.#view, capsAfter(this.#exhausted, event, this.#view.status))
  }

  #isSame(kind: GateView['kind'], { pid }: DiscoveryRecord): boolean {
    const isSame = this.#view.kind === kind && this.#pid === pid
    this.#pid = pid
    return isSame
  }

  /** Of what was before this window only the daemon knows. What is heard while it answers is newer. */
  async #recallCaps({ startedAtMs }: DiscoveryRecord): Promise<void> {
    const heard = this.#capEvents
    try {
      const answer = await this.#ports.ask(pastCapEvents(startedAtMs))
      if (this.#view.kind !== 'up' || heard !== this.#capEvents || this.#exhausted.length > 0) return
      this.#showCaps(this.#view, recalledCaps(answer, this.#view.status))
    } catch (error) {
      this.#ports.warn('Past refusals', error)
    }
  }

  #showCaps(gate: Extract<GateView, { kind: 'up' }>, exhausted: readonly ExhaustedCap[]): void {
    if (exhausted === this.#exhausted) return
    this.#exhausted = exhausted
    this.#show({ ...gate, exhausted })
  }

  #show(gate: GateView): void {
    const before = this.#view
    this.#view = gate
    this.#ports.changed(gate, before)
  }
}
