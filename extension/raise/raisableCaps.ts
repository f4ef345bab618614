import type { CapsAnswer, CapStatus, WindowGrant } from '../../shared/caps.ts'
import type { GrantRequest } from '../../shared/protocol.ts'
import { numberField, textField } from '../ui/eventFields.ts'
import type { DaemonEvent } from '../ui/eventFields.ts'
import { isExhausted } from '../ui/notices.ts'
import type { CapReference } from '../ui/offer.ts'

/** One cap in one unit, as it stands: decimal euros, or tokens. */
export interface RaisableCap extends Pick<CapStatus, 'scope' | 'ref' | 'name' | 'window'> {
  readonly unit: 'eur' | 'tokens'
  /** It is a cap of the person or the account whose spend the status shows, so that no paid call passes it. */
  readonly isOwn: boolean
  /** As configured. */
  readonly cap: number
  /** With what is allowed on top. */
  readonly limit: number
  /** Spent, and held for running calls. */
  readonly used: number
  /** It refused a call since it is as it is. */
  readonly hasRefused: boolean
  /** What that call would need on top; 0 where none is known. */
  readonly missing: number
  readonly grants: readonly WindowGrant[]
}

/** Everything that is capped, what refuses calls first, then the fullest. A cap of 0 that refused nothing was set to stay: it is last. */
export function raisableCaps({ caps }: CapsAnswer, refusals: readonly DaemonEvent[]): readonly RaisableCap[] {
  return caps
    .flatMap((cap) => (['eur', 'tokens'] as const).flatMap((unit) => raisable(cap, unit, refusals)))
    .sort((left, right) => rank(right) - rank(left) || shareOf(right) - shareOf(left))
}

/** Used share of a cap, 1 where it is used up; a cap of 0 is. */
export function shareOf({ used, limit }: RaisableCap): number {
  return limit > 0 ? used / limit : 1
}

/** Caps that refuse calls, or whose used share is at least `alertAt`, in their order. */
export function nearCaps(caps: readonly RaisableCap[], alertAt: number): readonly RaisableCap[] {
  return caps.filter((cap) => cap.hasRefused || (cap.limit > 0 && shareOf(cap) >= alertAt))
}

/**
 * Whether it is the cap that a message was about: a `CapReference`, or anything else that a command was called with. A refusal has the
 * name of a user and the account beside it; a cap has both in its `ref`.
 */
export function isMeant(cap: RaisableCap, reference: unknown): boolean {
  if (typeof reference !== 'object' || reference === null) return false
  const { scope, ref, tenant, window, unit } = reference as Partial<Record<keyof CapReference, unknown>>
  const isSame = cap.scope === scope && cap.name === ref && cap.window === window && cap.unit === unit
  return isSame && (scope !== 'user' || typeof tenant !== 'string' || cap.ref === `${tenant}/${cap.name}`)
}

/** Shares of a cap that are offered. */
const shares = [0.25, 0.5, 1] as const

/**
 * Amounts to offer, smallest first: a quarter, a half and all of the cap, as far as they let the call pass that was refused; else
 * what that call needs, and twice that. Nothing for a cap of 0 that refused no known call.
 */
export function amountsFor({ unit, cap, missing }: RaisableCap): readonly number[] {
  const offered = shares.map((share) => rounded(unit, cap * share)).filter((amount) => amount > 0 && amount >= missing)
  const needed = missing > 0 ? [rounded(unit, missing), rounded(unit, missing * 2)] : []
  return [...new Set(offered.length > 0 ? offered : needed)]
}

/** The request that allows more for the rest of the day. */
export function grantFor({ scope, ref, window, unit }: RaisableCap, amount: number): GrantRequest {
  return { scope, ref, window, [unit]: amount, until: 'midnight', by: 'extension' }
}

/** Something that is allowed on top of a cap. */
export interface Allowed {
  readonly cap: RaisableCap
  /** In euros, in tokens, or in both at once. */
  readonly grant: Pick<WindowGrant, 'id' | 'eur' | 'tokens'>
}

/** What is allowed on top of caps. A grant in both units is one, as it is taken back as one. */
export function allowancesOn(caps: readonly RaisableCap[]): readonly Allowed[] {
  const all = caps.flatMap((cap) => cap.grants.map((grant) => ({ cap, grant })))
  return all.filter(({ grant }, index) => all.findIndex((one) => one.grant.id === grant.id) === index)
}

/** A cap that lets fewer calls pass than another one does. */
export interface Holding {
  readonly cap: RaisableCap
  /** Of its own unit, at least 0. */
  readonly left: number
}

/**
 * The cap of the person or the account that still stops calls after another one was raised by `amount`: the one with the least left
 * of the same unit, less than the raised one has, or one of the other unit that is used up. Null where there is none.
 */
export function stillHolding(raised: RaisableCap, amount: number, caps: readonly RaisableCap[]): Holding | null {
  const leftOf = ({ limit, used }: RaisableCap): number => Math.max(0, limit - used)
  const room = Math.max(0, raised.limit + amount - raised.used)
  const holding = caps
    .filter((cap) => cap.isOwn && !isSame(cap, raised) && boundsCallsOf(cap, raised))
    .map((cap) => ({ cap, left: leftOf(cap) }))
    .filter(({ cap, left }) => (cap.unit === raised.unit ? left < room : left === 0))
    .sort((left, right) => left.left - right.left)
  return holding[0] ?? null
}

/** Whether an own cap bounds the calls that another one bounds: those of somebody else have their own day. */
function boundsCallsOf(own: RaisableCap, { isOwn, scope, ref }: RaisableCap): boolean {
  if (isOwn || scope === 'project' || scope === 'model') return true
  return own.scope === 'tenant' && scope === 'user' && ref.startsWith(`${own.ref}/`)
}

/** After a comma at most two digits, so that `1,000` is no thousandth and no thousand. */
const eurForm = /^\d{1,7}(\.\d{1,6}|,\d{1,2})?$/
const tokenForm = /^\d{1,12}$/

/** An amount as a person typed it: above 0, whole for tokens; undefined for anything else. */
export function readAmount(unit: RaisableCap['unit'], typed: string): number | undefined {
  const bare = typed.trim()
  if (!(unit === 'eur' ? eurForm : tokenForm).test(bare)) return undefined
  const amount = Number(bare.replace(',', '.'))
  return amount > 0 && (unit === 'tokens' || amount <= mostEur) ? amount : undefined
}

/** Most euros of one grant. */
const mostEur = 9_000_000

function raisable(cap: CapStatus, unit: RaisableCap['unit'], refusals: readonly DaemonEvent[]): readonly RaisableCap[] {
  const fill = cap[unit]
  if (fill === null) return []
  const limit = fill.cap + fill.granted
  const used = fill.spent + fill.reserved
  const refusal = refusals.findLast((event) => isBy(event, cap, unit, limit))
  const requested = refusal === undefined ? undefined : numberField(refusal, 'requested')
  const { scope, ref, name, window, grants } = cap
  return [
    {
      scope,
      ref,
      name,
      window,
      unit,
      isOwn: cap.isGeneral,
      cap: fill.cap,
      limit,
      used,
      hasRefused: refusal !== undefined,
      missing: requested === undefined ? 0 : Math.max(0, used + requested - limit),
      grants: grants.filter((grant) => grant[unit] > 0),
    },
  ]
}

/** Whether a call was refused by this cap in this window, and the cap is as it was then. */
function isBy(event: DaemonEvent, cap: CapStatus, unit: RaisableCap['unit'], limit: number): boolean {
  const at = numberField(event, 'limit')
  return (
    isExhausted(event) &&
    event['scope'] === cap.scope &&
    event['scopeRef'] === cap.name &&
    event['window'] === cap.window &&
    event['unit'] === unit &&
    at !== undefined &&
    Math.abs(at - limit) < leastDifference &&
    Date.parse(textField(event, 'resetsAt') ?? '') === Date.parse(cap.resetsAt)
  )
}

/** Less than a nano-euro is no difference between two sums. */
const leastDifference = 1e-9

function rank(cap: RaisableCap): number {
  if (cap.hasRefused || (cap.limit > 0 && shareOf(cap) >= 1)) return 2
  return cap.limit > 0 ? 1 : 0
}

/** Up to two digits that count, never down: less than what a call needs would only be asked for again. */
function rounded(unit: RaisableCap['unit'], amount: number): number {
  if (amount <= 0) return 0
  const place = Math.max(Math.floor(Math.log10(amount)) - 1, unit === 'eur' ? -2 : 0)
  const steps = Math.ceil(Number((amount / 10 ** place).toPrecision(12)))
  // Through text, because 0.1 times a whole number has digits that nobody means.
  return Number(`${steps}e${place}`)
}

function isSame(one: RaisableCap, other: RaisableCap): boolean {
  return one.scope === other.scope && one.ref === other.ref && one.window === other.window && one.unit === other.unit
}
