import type { Status } from '../../shared/status.ts'
import { capsAfter, noCaps } from './exhaustedCaps.ts'
import type { ExhaustedCap } from './gateView.ts'
import { readEvents } from './spendEvents.ts'

/** Events that `capsAfter` follows. */
const capEvents = ['refused', 'call_started', 'caps_changed', 'granted'] as const

/** Newest events that are looked at: a call that went out later says enough about older refusals. */
const mostEvents = 200

/** Whether an event may change which caps have refused a call. */
export function isCapEvent(name: string): boolean {
  return capEvents.some((one) => one === name)
}

/** Address of the events since a daemon started, in milliseconds since the epoch. Of the time before it has forgotten which calls went out. */
export function pastCapEvents(startedAtMs: number): string {
  return `/api/events?event=${capEvents.join(',')}&since=${startedAtMs}&limit=${mostEvents}`
}

/** The caps that refused a call before a window was there, as the windows that were there show them. */
export function recalledCaps(answer: unknown, status: Status): readonly ExhaustedCap[] {
  return readEvents(answer).reduce((caps, event) => capsAfter(caps, event, status), noCaps)
}
