import { grantScopes } from '../../shared/protocol.ts'
import type { GrantAnswer } from '../../shared/protocol.ts'
import type { Cap, Config } from '../../shared/config.ts'
import { eurFromNano, nanoFromEur } from '../../shared/money.ts'
import type { Calendar } from '../budget/calendar.ts'
import { shownRef } from '../budget/refusal.ts'
import { tenantMonth, userDay } from '../budget/scopes.ts'
import { maximumEur } from '../config/fields.ts'
import type { Gate } from '../gate.ts'
import type { Grant, KeptGrant, ScopeRef } from '../ledger/ledger.ts'
import { sayChanges } from '../stages/place.ts'
import type { StateChange } from '../tasks/task.ts'
import { recap } from './caps.ts'
import { isRecord } from './requests.ts'

const fields = ['scope', 'ref', 'window', 'eur', 'tokens', 'iterations', 'minutes', 'until', 'by'] as const
const longestRef = 256
/** Most of tokens, calls and minutes in one grant: sums of many stay exact. */
const mostTokens = 1e12
const mostOthers = 1e6

type Amounts = Pick<Grant, 'nanoEur' | 'tokens' | 'iterations' | 'wallSeconds'>
type GrantScope = (typeof grantScopes)[number]

/** Reads `POST /api/grants` into the ledger's entry; a string is what is wrong with it. */
export function readGrant(
  value: unknown,
  nowMs: number,
  config: Pick<Config, 'tenant' | 'budgets'>,
  calendar: Pick<Calendar, 'periods' | 'nextDayStartMs'>,
): Grant | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"scope":"task","ref":"t1","eur":2}.'
  const unknown = Object.keys(value).find((name) => !fields.some((field) => field === name))
  if (unknown !== undefined)
    return `A grant has no ${JSON.stringify(unknown.slice(0, 40))}. Known: ${fields.join(', ')}.`
  const { ref, by = 'api', until = null } = value
  const scope = grantScopes.find((one) => one === value['scope'])
  if (scope === undefined) return `scope must be one of ${grantScopes.join(', ')}.`
  if (typeof ref !== 'string' || ref === '' || ref.length > longestRef) return `ref must name the ${scope}.`
  if (typeof by !== 'string' || !/^[\w .@-]{1,40}$/.test(by))
    return 'by must be 1 to 40 letters, digits, spaces, "-", "_", "." or "@".'
  const amounts = readAmounts(scope, value)
  if (typeof amounts === 'string') return amounts
  const untilMs = readUntil(until, nowMs, calendar)
  if (typeof untilMs === 'string') return untilMs
  const window = readWindow(scope, ref, value['window'], amounts, config, calendar.periods(nowMs))
  if (typeof window === 'string') return window
  return { ...window, ...amounts, atMs: nowMs, by, untilMs }
}

/** Writes a grant down and lets it count; calls that wait for room are tried again. Throws LedgerUnavailable. */
export function giveGrant(gate: Gate, grant: Grant): GrantAnswer {
  const { scope, window, untilMs } = grant
  const ref = shownRef(grant)
  const until = untilMs === null ? null : new Date(untilMs).toISOString()
  const id = gate.ledger.addGrant(grant)
  const changes = letCount(gate, { ...grant, id })
  gate.events.emit('granted', {
    scope,
    ref,
    // The name of a user is one of an account.
    ...(scope === 'user' ? { tenant: grant.ref.slice(0, grant.ref.indexOf('/')) } : {}),
    ...(scope === 'task' ? { task: ref } : { window }),
    eur: eurFromNano(grant.nanoEur),
    tokens: grant.tokens,
    iterations: grant.iterations,
    minutes: grant.wallSeconds / 60,
    until,
    by: grant.by,
  })
  sayChanges(gate, changes)
  return { id, scope, ref, window, until, ...limitsNow(gate, grant) }
}

/**
 * Takes a grant to a window back: from now on the window has its cap without it. What was admitted under it stays counted, so
 * that the window may be above its cap then; new calls are refused. Null for an id of which no grant is in force, and for a
 * grant to a task. Throws LedgerUnavailable, and then nothing is taken back.
 */
export function withdrawGrant(gate: Gate, id: number): GrantAnswer | null {
  const nowMs = gate.nowMs()
  const grant = gate.grants.find(id, nowMs)
  if (grant === undefined || grant.window === 'life') return null
  if (grant.period !== gate.calendar.periods(nowMs)[grant.window]) return null
  gate.ledger.withdrawGrant(id)
  gate.grants.withdraw(id, nowMs)
  const { scope, window, untilMs } = grant
  const ref = shownRef(grant)
  const until = untilMs === null ? null : new Date(untilMs).toISOString()
  const answer = { id, scope, ref, window, until, ...limitsNow(gate, grant) }
  gate.events.emit('grant_withdrawn', {
    scope,
    ref,
    window,
    eur: eurFromNano(grant.nanoEur),
    tokens: grant.tokens,
    until,
    by: grant.by,
  })
  return answer
}

function limitsNow(gate: Gate, window: ScopeRef): Pick<GrantAnswer, 'limitEur' | 'limitTokens'> {
  const { capNanoEur, capTokens } = recap(gate)(window)
  return { limitEur: capNanoEur === null ? null : eurFromNano(capNanoEur), limitTokens: capTokens }
}

/** Lets the grants count that are in force in the ledger. Once, at start. */
export function restoreGrants(gate: Gate): void {
  for (const grant of gate.ledger.grants(gate.calendar.periods(gate.nowMs()))) letCount(gate, grant)
}

function letCount(gate: Gate, grant: KeptGrant): readonly StateChange[] {
  if (grant.scope !== 'task') {
    gate.grants.add(grant)
    return []
  }
  const { nanoEur, iterations, wallSeconds, untilMs } = grant
  const room = { eur: eurFromNano(nanoEur), iterations, minutes: wallSeconds / 60, untilMs }
  return gate.memory.tasks.grant(grant.ref, room, gate.nowMs())
}

function readAmounts(scope: GrantScope, value: Readonly<Record<string, unknown>>): Amounts | string {
  const { eur = 0, tokens = 0, iterations = 0, minutes = 0 } = value
  if (scope === 'task' && value['tokens'] !== undefined) return 'A task is given eur, iterations or minutes, no tokens.'
  if (scope !== 'task' && (value['iterations'] !== undefined || value['minutes'] !== undefined))
    return `iterations and minutes are for tasks. A ${scope} is given eur or tokens.`
  if (!isAmount(eur, maximumEur)) return `eur must be a number from 0 to ${maximumEur}.`
  if (!isWhole(tokens, mostTokens)) return `tokens must be a whole number from 0 to ${mostTokens}.`
  if (!isWhole(iterations, mostOthers)) return `iterations must be a whole number from 0 to ${mostOthers}.`
  if (!isAmount(minutes, mostOthers)) return `minutes must be a number from 0 to ${mostOthers}.`
  const amounts = { nanoEur: nanoFromEur(eur), tokens, iterations, wallSeconds: Math.round(minutes * 60) }
  if (Object.values(amounts).every((amount) => amount === 0))
    return `Give ${scope === 'task' ? 'eur, iterations or minutes' : 'eur or tokens'}, above 0.`
  return amounts
}

/** The end of a grant in milliseconds since the epoch; null is that of its window or task. */
function readUntil(until: unknown, nowMs: number, calendar: Pick<Calendar, 'nextDayStartMs'>): number | null | string {
  if (until === null) return null
  if (until === 'midnight') return calendar.nextDayStartMs(nowMs)
  // A date alone would be taken for its first instant in UTC, which is another time than most people mean.
  const untilMs = typeof until === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(until) ? Date.parse(until) : NaN
  if (Number.isNaN(untilMs)) return 'until must be "midnight", an ISO time such as 2026-11-30T18:00:00Z, or null.'
  return untilMs > nowMs ? untilMs : 'until must lie in the future.'
}

function readWindow(
  scope: GrantScope,
  ref: string,
  asked: unknown,
  amounts: Amounts,
  { tenant, budgets }: Pick<Config, 'tenant' | 'budgets'>,
  period: { readonly day: string; readonly month: string },
): ScopeRef | string {
  const window = ([undefined, 'day', 'month'] as const).find((one) => one === asked)
  if (window === undefined && asked !== undefined) return 'window must be "day" or "month".'
  if (window === 'month' && scope !== 'tenant') return 'Only a tenant has a month.'
  switch (scope) {
    case 'task':
      return window === undefined ? { scope, ref, window: 'life', period: '-' } : 'A task has no window.'
    case 'user':
      return { ...userDay(tenant, ref, period), ...(ref.includes('/') ? { ref } : {}) }
    case 'tenant':
      return (window ?? tenantWindow(budgets, amounts)) === 'month'
        ? tenantMonth(ref, period)
        : { scope, ref, window: 'day', period: period.day }
    case 'model':
      if (!Object.hasOwn(budgets.models, ref)) {
        const known = Object.keys(budgets.models).join(', ')
        return `ref must be a pattern of budgets.models. Known: ${known === '' ? 'none' : known}.`
      }
      return { scope, ref, window: 'day', period: period.day }
    case 'project':
      return { scope, ref, window: 'day', period: period.day }
  }
}

/** The month where only the month limits what is granted, else the day. */
function tenantWindow({ tenantDaily, tenantMonthly }: Config['budgets'], amounts: Amounts): 'day' | 'month' {
  const limits = (cap: Cap): boolean =>
    (amounts.nanoEur > 0 && cap.eur !== null) || (amounts.tokens > 0 && cap.tokens !== null)
  return limits(tenantMonthly) && !limits(tenantDaily) ? 'month' : 'day'
}

function isAmount(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= most
}

function isWhole(value: unknown, most: number): value is number {
  return isAmount(value, most) && Number.isSafeInteger(value)
}
