import type { TaskLimits } from '../../shared/config.ts'
import type { Gate } from '../gate.ts'
import { identify } from '../guards/key.ts'
import { mostEvents } from '../ledger/eventBook.ts'
import { calibrate, daysFrom, haltedIn, leastTasks, mostDays } from '../tasks/calibration.ts'
import type { CalibrationGroup, Ceilings } from '../tasks/calibration.ts'
import { dueBefore } from './housekeeping.ts'

/** Days that are looked at where nobody says. */
const defaultDays = 30

/** Ceilings in force; null is unlimited. */
export type CeilingsInForce = { readonly [Name in keyof Ceilings]: number | null }

/** A plan with what holds and what its history proposes. */
export interface PlanProposal {
  readonly plan: string
  /** Null where the plan has no ceilings at all. */
  readonly inForce: CeilingsInForce | null
  /** Null where no group of the plan has enough tasks. */
  readonly proposal: Ceilings | null
}

/** Answer to `GET /api/calibration`. */
export interface CalibrationReport {
  readonly days: number
  /** Code of the currency that `eur` and `maxEur` are in. */
  readonly currency: string
  /** ISO time; later than `days` ago where the kept events do not reach back so far. */
  readonly since: string
  readonly healthyTasks: number
  readonly haltedTasks: number
  readonly leastTasks: number
  readonly groups: readonly CalibrationGroup[]
  readonly plans: readonly PlanProposal[]
}

/** What of the gate is asked. */
export type CalibrationParts = Pick<Gate, 'nowMs' | 'config' | 'localKey' | 'ledger'>

const dayMs = 86_400_000

/** Reads the `days` of the address; a string is what is wrong with it. */
export function readDays(text: string | null): number | string {
  const days = text === null ? defaultDays : daysFrom(text)
  return days ?? `days must be a whole number from 1 to ${mostDays}.`
}

/** What the last `days` days say about the ceilings of each plan. Throws LedgerUnavailable. */
export function calibrationReport(gate: CalibrationParts, days: number): CalibrationReport {
  const nowMs = gate.nowMs()
  const config = gate.config()
  // Of older tasks the calls, or the events that tell a halted one, may be gone.
  const { callsBeforeMs, eventsBeforeMs } = dueBefore(config, nowMs)
  const askedMs = Math.max(nowMs - days * dayMs, callsBeforeMs ?? -Infinity, eventsBeforeMs ?? -Infinity)
  const events = gate.ledger.events({ sinceMs: askedMs, limit: mostEvents })
  // A full list may have lost its oldest events, and with them the halts of older tasks.
  const oldest = events.length < mostEvents ? undefined : events.at(-1)
  const sinceMs = oldest === undefined ? askedMs : Date.parse(oldest.time)
  const planOf = (keyId: string, client: string): string => {
    const key = /^key-(\d+)$/.exec(keyId)?.[1]
    const entry = key === undefined ? undefined : config.keys[Number(key) - 1]
    const claim = { key: entry?.key ?? gate.localKey, user: null, project: null, userAgent: client }
    const found = identify(claim, config, gate.localKey, Object.is)
    return 'code' in found ? config.plan : found.planName
  }
  const { groups, proposals, healthyTasks, haltedTasks } = calibrate(
    gate.ledger.taskSamples(sinceMs),
    haltedIn(events),
    planOf,
  )
  const plans = Object.entries(config.plans).map(([plan, { task }]): PlanProposal => ({
    plan,
    inForce: task === null ? null : ceilingsOf(task),
    proposal: proposals.get(plan) ?? null,
  }))
  return {
    days,
    currency: config.currency.code,
    since: new Date(sinceMs).toISOString(),
    healthyTasks,
    haltedTasks,
    leastTasks,
    groups,
    plans,
  }
}

/** The four ceilings of a plan's limits. */
export function ceilingsOf({ maxIterations, maxInputTokens, maxWallSeconds, maxEur }: TaskLimits): CeilingsInForce {
  return { maxIterations, maxInputTokens, maxWallSeconds, maxEur }
}
