import type { Status } from '../../shared/status.ts'
import { eurCap, tokenCap } from './caps.ts'
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
  if (event.event === 'caps_changed') return noCaps
  if (event.event === 'granted') return without(caps, (cap) => isOf(cap, event))
  if (event.event === 'call_started') return without(caps, (cap) => covers(cap, event, status))
  const cap = isExhausted(event) ? exhaustedCap(event, status) : undefined
  if (cap === undefined || caps.some((known) => isSame(known, cap))) return caps
  return [...caps.filter((known) => nameOf(known) !== nameOf(cap)), cap].slice(-mostCaps)
}

/**
 * The same with the own caps as a status has them: what changed them may have happened while nobody told this window. One that
 * was raised since, or taken away, has not refused as it is now.
 */
export function capsUnder(caps: readonly ExhaustedCap[], status: Status): readonly ExhaustedCap[] {
  const left = caps.flatMap((cap) => {
    const limit = limitNow(cap, status)
    if (limit === undefined || (limit !== null && Math.abs(limit - cap.limit) < leastDifference)) return [cap]
    return limit === null || limit > cap.limit ? [] : [{ ...cap, limit }]
  })
  return left.length === caps.length && left.every((cap, index) => cap === caps[index]) ? caps : left
}

/** Less than a nano-euro is no difference between two sums. */
const leastDifference = 1e-9

/** Null where it is not capped any more, undefined where the status does not tell. */
function limitNow({ isOwn, scope, window, unit }: ExhaustedCap, { today, month }: Status): number | null | undefined {
  if (!isOwn) return undefined
  const limitOf = unit === 'eur' ? eurCap : tokenCap
  if (scope === 'user' && window === 'day') return limitOf(today)
  return scope === 'tenant' && window === 'month' ? limitOf(month) : undefined
}

function without(caps: readonly ExhaustedCap[], isOver: (cap: ExhaustedCap) => boolean): readonly ExhaustedCap[] {
  const left = caps.filter((cap) => !isOver(cap))
  return left.length === caps.length ? caps : left
}

/** Whether a grant is room under the cap. One to a task names no window. */
function isOf({ scope, ref, tenant, window }: ExhaustedCap, event: DaemonEvent): boolean {
  const granted = textField(event, 'window') ?? window
  const isOfAccount = scope !== 'user' || tenant === null || (textField(event, 'tenant') ?? tenant) === tenant
  return event['scope'] === scope && event['ref'] === ref && granted === window && isOfAccount
}

/** Whether a call that goes out is one of those that the cap bounds: one that costs nothing is none of a cap in money. */
function covers(cap: ExhaustedCap, event: DaemonEvent, status: Status): boolean {
  const { unit, scope, ref } = cap
  if (unit === 'eur' && event['heldEur'] === 0) return false
  const task = textField(event, 'task')
  switch (scope) {
    case 'user':
    case 'tenant':
      return isCallerOf(cap, event)
    case 'task':
      return ref === task
    case 'project':
      return status.tasks.some(({ id, project }) => id === task && project === ref)
    default:
      return false
  }
}

/** Whether a call is by the user or the account that is capped. An older gate does not say by whom it is: then the own one is meant. */
function isCallerOf({ isOwn, scope, ref, tenant }: ExhaustedCap, event: DaemonEvent): boolean {
  const [callerTenant, caller] = [textField(event, 'tenant'), textField(event, 'user')]
  if (callerTenant === undefined || caller === undefined) return isOwn
  if (scope === 'tenant') return callerTenant === ref
  return caller === ref && (tenant === null || callerTenant === tenant)
}

function nameOf({ scope, ref, tenant, window, unit }: ExhaustedCap): string {
  return `${scope} ${window} ${unit} ${tenant ?? ''} ${ref}`
}

function isSame(one: ExhaustedCap, other: ExhaustedCap): boolean {
  return nameOf(one) === nameOf(other) && one.limit === other.limit && one.resetsAtMs === other.resetsAtMs
}
