import type { AnomalyKind } from '../../shared/codes.ts'
import type { EventName } from '../../shared/protocol.ts'
import type { EventRow } from '../../shared/status.ts'
import { CacheUse } from './cacheUnread.ts'
import type { Metrics } from './metrics.ts'
import { RefusalRate } from './refusalJump.ts'
import { ResidualDrifts } from './residualDrift.ts'

/** How long nothing is said again of one kind. */
const pauseMs = 3_600_000

/** Kinds whose own detectors know how often to speak. */
const unhurried: ReadonlySet<AnomalyKind> = new Set(['velocity', 'cost_growth', 'ledger_drift'])

/** Fields of the event besides its kind; `reason` is a sentence for a person. */
export type AnomalyFields = Readonly<Record<string, string | number | null>>

/** Where anomalies are said. */
export interface AnomalyOutlets {
  readonly events: { emit(event: EventName, fields: Readonly<Record<string, unknown>>): void }
  readonly metrics: Pick<Metrics, 'anomaly'>
  readonly startedAtMs: number
}

/** The detectors of what is unusual, and the one place where it is said: as an event and a count, once per kind and hour. */
export class Anomalies {
  readonly refusals: RefusalRate
  readonly cacheUse = new CacheUse()
  readonly residuals = new ResidualDrifts()
  readonly #outlets: AnomalyOutlets
  readonly #saidMs = new Map<string, number>()

  constructor(outlets: AnomalyOutlets) {
    this.#outlets = outlets
    this.refusals = new RefusalRate(outlets.startedAtMs)
  }

  /** Takes what an earlier daemon said, so that a restart says nothing twice. */
  restore(rows: readonly EventRow[]): void {
    for (const { event, time, kind } of rows) {
      const name = event === 'anomaly' ? kind : event
      if (typeof name === 'string') this.#saidMs.set(name, Date.parse(time))
    }
  }

  /** Says it, unless its kind was said within the hour. */
  say(kind: AnomalyKind, fields: AnomalyFields, nowMs: number): void {
    if (!unhurried.has(kind)) {
      const sinceMs = nowMs - (this.#saidMs.get(kind) ?? -Infinity)
      if (sinceMs >= 0 && sinceMs < pauseMs) return
      this.#saidMs.set(kind, nowMs)
    }
    this.#outlets.metrics.anomaly(kind)
    // The one kind that has had an event of its own from the start.
    if (kind === 'residual_drift') this.#outlets.events.emit(kind, fields)
    else this.#outlets.events.emit('anomaly', { kind, ...fields })
  }
}
