import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { Refusal } from '../call.ts'
import type { CappedScope, ReservationResult } from '../ledger/ledger.ts'

/** When a window ends, from the same functions that the engine and the status use (M05). */
export interface WindowEnd {
  readonly resetsAtIso: string
  /** For a message: `2026-12-01 00:00 Europe/Berlin`. */
  readonly resetsAtText: string
  readonly secondsToReset: number
}

/** A tenant's month is lifted by a person, so a client is told to look again in an hour, not in three weeks. */
const monthRetrySeconds = 3600

/** The refusal of a call that a budget does not admit (contract, "Refusals"). */
export function budgetRefusal(
  result: Extract<ReservationResult, { kind: 'refused' }>,
  currency: string,
  end: WindowEnd | null,
): Refusal {
  const { scope, unit, totals, requested, reason } = result
  const money = unit === 'eur'
  const amount = (value: number): string => (money ? `${formatEur(value)} ${currency}` : value.toLocaleString('en'))
  const bare = (value: number): string => (money ? formatEur(value) : value.toLocaleString('en'))
  const outside = (value: number): number => (money ? eurFromNano(value) : value)
  const cap = (money ? scope.capNanoEur : scope.capTokens) ?? 0
  const spent = money ? totals.spentNanoEur : totals.spentTokens
  const reserved = money ? totals.reservedNanoEur : totals.reservedTokens
  const name = `${windowWord(scope)} ${money ? 'spending' : 'token'} budget of ${scopeName(scope)}`
  const resets = end === null ? '' : ` Resets ${end.resetsAtText}.`
  const message =
    reason === 'held'
      ? `${name} is held by running calls: ${bare(spent)} spent and ${bare(reserved)} reserved of ${amount(cap)}; this call needs up to ${amount(requested)}. Wait for them to end, or lower the output ceiling.`
      : cap === 0
        ? `${name} is 0: paid calls are off. ${raiseText(scope)}`
        : `${name} is used up: ${bare(spent)} of ${amount(cap)}, and this call needs up to ${amount(requested)}.${resets} ${raiseText(scope)}`
  const retryAfterSeconds = reason === 'held' ? 1 : scope.window === 'month' ? monthRetrySeconds : end?.secondsToReset
  return {
    code: 'budget_exhausted',
    message,
    scope: scope.scope,
    scopeRef: shownRef(scope),
    window: scope.window === 'life' ? 'task' : scope.window,
    unit,
    kind: reason,
    limit: outside(cap),
    spent: outside(spent),
    reserved: outside(reserved),
    requested: outside(requested),
    ...(end === null ? {} : { resetsAt: end.resetsAtIso }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** The user's name without the tenant that makes it unique in the ledger. */
export function shownRef(scope: Pick<CappedScope, 'scope' | 'ref'>): string {
  return scope.scope === 'user' ? scope.ref.slice(scope.ref.indexOf('/') + 1) : scope.ref
}

function scopeName(scope: CappedScope): string {
  return scope.scope === 'model' ? `models ${scope.ref}` : `${scope.scope} ${shownRef(scope)}`
}

/** Where the budget stands. Only the two budgets that VS Code's settings hold are raised there. */
function raiseText({ scope, ref, window }: CappedScope): string {
  const who = scope === 'tenant' ? 'Who pays can raise it' : 'Raise it'
  const inFile = (field: string): string => `${who} in budgets.${field} of config.json.`
  const inWindow = (field: string): string =>
    `${who} with "Tollgate: Open Cap Settings" in VS Code, or in budgets.${field} of config.json.`
  switch (scope) {
    case 'user':
      return inWindow('userDaily')
    case 'tenant':
      return window === 'month' ? inWindow('tenantMonthly') : inFile('tenantDaily')
    case 'project':
      return inFile(`projects.${ref}`)
    case 'model':
      return inFile('models')
    case 'task':
      return 'Raise it with "tollgate grant".'
  }
}

function windowWord(scope: CappedScope): string {
  switch (scope.window) {
    case 'day':
      return 'Daily'
    case 'month':
      return 'Monthly'
    case 'life':
      return 'Whole'
  }
}
