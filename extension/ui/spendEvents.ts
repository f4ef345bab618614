import { eventNames } from '../../shared/protocol.ts'
import type { EventName } from '../../shared/protocol.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'

/** Events that the Spend view tells of as warnings. */
export const warningEvents = [
  'truncated',
  'empty_answer',
  'output_limit',
  'over_window',
  'degraded',
  'anomaly',
  'residual_drift',
  'price_drift',
  'config_rejected',
  'orphaned',
] as const satisfies readonly EventName[]

/** Whether the Spend view keeps an event: refusals and warnings. */
export function isKept(event: DaemonEvent): boolean {
  return event.event === 'refused' || warningEvents.some((name) => name === event.event)
}

/** Most events that are kept of one kind. A client that asks in a loop must not push the other kinds out. */
export const mostOfKind = 500

/** Kept events, those of one kind together: a code of refusal, or a warning. Each list has the oldest first. */
export type KeptEvents = ReadonlyMap<string, readonly DaemonEvent[]>

/** Nothing was refused and nothing warned of. */
export const noEvents: KeptEvents = new Map()

/** Adds events that may be there already, in whatever order they come; the oldest of a kind go first. */
export function withEvents(kept: KeptEvents, events: readonly DaemonEvent[]): KeptEvents {
  const added = new Map<string, DaemonEvent[]>()
  for (const event of events) {
    if (!isKept(event)) continue
    const kind = kindOf(event)
    added.set(kind, [...(added.get(kind) ?? []), event])
  }
  if (added.size === 0) return kept
  const merged = new Map(kept)
  for (const [kind, list] of added) {
    const known = new Set((merged.get(kind) ?? []).map(identityOf))
    const fresh = list.filter((event) => {
      const identity = identityOf(event)
      if (known.has(identity)) return false
      known.add(identity)
      return true
    })
    const all = [...(merged.get(kind) ?? []), ...fresh].sort((left, right) => order(left.time, right.time))
    merged.set(kind, all.slice(-mostOfKind))
  }
  return merged
}

/** Only the events of one calendar day of a zone; the same object where all are of it. */
export function ofDay(kept: KeptEvents, day: string, timezone: string): KeptEvents {
  const of = new Map<string, readonly DaemonEvent[]>()
  let isSame = true
  for (const [kind, events] of kept) {
    const first = firstWhere(events, (event) => dayOf(event.time, timezone) >= day)
    const today = events.slice(
      first,
      firstWhere(events, (event) => dayOf(event.time, timezone) > day),
    )
    if (today.length < events.length) isSame = false
    if (today.length > 0) of.set(kind, today)
  }
  return isSame ? kept : of
}

/** How many calls were refused. */
export interface RefusedCount {
  readonly count: number
  /** There may have been more: not all of them are kept. */
  readonly isFloor: boolean
}

/**
 * Refused calls after a moment, in milliseconds since the epoch. `exactSinceMs` is when the running gate started: of what was
 * refused before, the ledger keeps one a minute and reason.
 */
export function refusedSince(kept: KeptEvents, sinceMs: number, exactSinceMs: number): RefusedCount {
  let count = 0
  let isFloor = false
  for (const list of kept.values()) {
    if (list[0]?.event !== 'refused') continue
    const later = list.slice(firstWhere(list, ({ time }) => Date.parse(time) > sinceMs))
    count += later.length
    isFloor ||= isCutShort(later, exactSinceMs)
  }
  return { count, isFloor }
}

/**
 * What the view's badge tells of: calls that were refused today, by the calendar of the gate's zone, and after the last look. The
 * view that opens with a click on it has those of today and no others.
 */
export function refusedUnseen(
  kept: KeptEvents,
  lookedAtMs: number,
  nowMs: number,
  timezone: string,
  exactSinceMs: number,
): RefusedCount {
  const today = dayOf(new Date(nowMs).toISOString(), timezone)
  return refusedSince(ofDay(kept, today, timezone), lookedAtMs, exactSinceMs)
}

/** Whether there may have been more events of a kind than a list of it holds. */
export function isCutShort(list: readonly DaemonEvent[], exactSinceMs: number): boolean {
  const first = list[0]
  return list.length >= mostOfKind || (first !== undefined && Date.parse(first.time) < exactSinceMs)
}

/** Index of the first event for which something holds that holds for all later ones as well; their number where there is none. */
function firstWhere(events: readonly DaemonEvent[], holds: (event: DaemonEvent) => boolean): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const event = events[middle]
    if (event !== undefined && holds(event)) high = middle
    else low = middle + 1
  }
  return low
}

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** Calendar date of a moment in a zone, `2026-11-30`; empty where the moment is none. A zone unknown here counts as UTC. */
export function dayOf(iso: string, timezone: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  let format = dayFormats.get(timezone)
  if (format === undefined) {
    format = dayFormat(timezone)
    dayFormats.set(timezone, format)
  }
  return format.format(date)
}

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  // Swedish dates are written as ISO dates are.
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  try {
    return new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone })
  } catch {
    return new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone: 'UTC' })
  }
}

/** Events of an answer to `GET /api/events` that this version knows; nothing for any other answer. */
export function readEvents(answer: unknown): readonly DaemonEvent[] {
  const { events } = (answer ?? {}) as { events?: unknown }
  if (!Array.isArray(events)) return []
  return events.filter((row: unknown): row is DaemonEvent => {
    if (typeof row !== 'object' || row === null) return false
    const { event, time } = row as { event?: unknown; time?: unknown }
    return typeof time === 'string' && eventNames.some((name) => name === event)
  })
}

function kindOf(event: DaemonEvent): string {
  return event.event === 'refused' ? `refused ${textField(event, 'code') ?? ''}` : event.event
}

/** The list and the connection give the same event the same moment and call. Of those without a call one per moment counts. */
function identityOf(event: DaemonEvent): string {
  const call = textField(event, 'call') ?? ''
  return [event.time, call, textField(event, 'model') ?? '', numberField(event, 'pid') ?? ''].join(' ')
}

function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
