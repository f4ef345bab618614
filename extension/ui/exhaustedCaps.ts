import type { Status } from '../../shared/status.ts'
import { textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { ExhaustedCap } from './gateView.ts'
import { exhaustedCap, isExhausted } from './notices.ts'

/** Caps that are kept; more at once than anybody reads. */
const mostCaps = 20

/** No cap has refused a call. */
export const noCaps: readonly ExhaustedCap[] = []

/**
 * The caps that refused a call and have let none pass since, after an event; the same list where it changes nothing. A cap of
 * models is a pattern that only the daemon can match, so it stays until its window ends or a cap is changed.
 */
export function capsAfter(caps: readonly ExhaustedCap[], event: DaemonEvent, status: Status): readonly ExhaustedCap[] {
  if (event.event === 'caps_changed' || event.event === 'granted') return noCaps
  if (event.event === 'call_started') {
    const left = caps.filter((cap) => !covers(cap, event, status))
    return left.length === caps.length ? caps : left
  }
  const cap = isExhausted(event) ? exhaustedCap(event, status) : undefined
  if (cap === undefined || caps.some((known) => isSame(known, cap))) return caps
  return [...caps.filter((known) => nameOf(known) !== nameOf(cap)), cap].slice(-mostCaps)
}

/** Whether a call that goes out is one of those that the cap bounds. */
function covers({ isOwn, scope, ref }: ExhaustedCap, event: DaemonEvent, status: Status): boolean {
  if (isOwn) return true
  const task = textField(event, 'task')
  if (task === undefined) return false
  if (scope === 'task') return ref === task
  return scope === 'project' && status.tasks.find(({ id }) => id === task)?.project === ref
}

function nameOf({ scope, ref, window, unit }: ExhaustedCap): string {
  return `${scope} ${window} ${unit} ${ref}`
}

function isSame(one: ExhaustedCap, other: ExhaustedCap): boolean {
  return nameOf(one) === nameOf(other) && one.limit === other.limit && one.resetsAtMs === other.resetsAtMs
}
