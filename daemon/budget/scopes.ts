import type { Budgets, Cap } from '../../shared/config.ts'
import { nanoFromEur } from '../../shared/money.ts'
import type { Identity } from '../call.ts'
import { matchesPattern } from '../guards/pattern.ts'
import type { CappedScope, ScopeRef } from '../ledger/ledger.ts'
import { roomOf, sum } from './grantBook.ts'
import type { GrantedRooms } from './grantBook.ts'

/**
 * Every scope that a call is charged to, with its caps. Scopes without a cap are recorded all the same: a cap that is set
 * at noon counts what was spent since midnight. `granted` is what people gave on top at this time. A model that the provider
 * may fall back on is charged like the asked one: nobody knows before which of them answers.
 */
export function scopesOfCall(
  identity: Pick<Identity, 'tenant' | 'user' | 'project'>,
  model: string,
  task: string | null,
  period: Period,
  budgets: Budgets,
  granted: GrantedRooms,
  otherModels: readonly string[] = [],
): CappedScope[] {
  const { day } = period
  const { tenant, user, project } = identity
  const scopes: ScopeRef[] = [
    userDay(tenant, user, period),
    { scope: 'tenant', ref: tenant, window: 'day', period: day },
    tenantMonth(tenant, period),
  ]
  if (project !== null) scopes.push({ scope: 'project', ref: project, window: 'day', period: day })
  for (const pattern of Object.keys(budgets.models)) {
    const isMeant = [model, ...otherModels].some((name) => matchesPattern(pattern, name))
    if (isMeant) scopes.push({ scope: 'model', ref: pattern, window: 'day', period: day })
  }
  if (task !== null) scopes.push({ scope: 'task', ref: task, window: 'life', period: '-' })
  return scopes.map((scope) => cappedScope(scope, budgets, granted))
}

/** Keys of the day and month of a call. */
export interface Period {
  readonly day: string
  readonly month: string
}

/** The day of a user. Two tenants may have a user of the same name; one cap must not count both. */
export function userDay(tenant: string, user: string, period: Period): ScopeRef {
  return { scope: 'user', ref: `${tenant}/${user}`, window: 'day', period: period.day }
}

/** The month of a tenant. */
export function tenantMonth(tenant: string, period: Period): ScopeRef {
  return { scope: 'tenant', ref: tenant, window: 'month', period: period.month }
}

/**
 * A window with the limits that hold for it: the configured cap and what was granted on top. What is not capped stays so,
 * and a cap of 0 may be spent up to the grant.
 */
export function cappedScope(scope: ScopeRef, budgets: Budgets, granted: GrantedRooms): CappedScope {
  const { eur, tokens } = capOf(scope, budgets)
  const room = roomOf(granted, scope)
  const { ref, window, period } = scope
  return {
    scope: scope.scope,
    ref,
    window,
    period,
    capNanoEur: eur === null ? null : sum(nanoFromEur(eur), room.nanoEur),
    capTokens: tokens === null ? null : sum(tokens, room.tokens),
  }
}

const noCap: Cap = { eur: null, tokens: null }

/** The configured cap of a window. A task's life has none here: its ceilings are the plan's. */
function capOf({ scope, ref, window }: ScopeRef, budgets: Budgets): Cap {
  switch (scope) {
    case 'user':
      return budgets.userDaily
    case 'tenant':
      return window === 'month' ? budgets.tenantMonthly : budgets.tenantDaily
    case 'project':
      return ownCap(budgets.projects, ref)
    case 'model':
      return ownCap(budgets.models, ref)
    case 'task':
      return noCap
  }
}

function ownCap(caps: Readonly<Record<string, Cap>>, name: string): Cap {
  return (Object.hasOwn(caps, name) ? caps[name] : undefined) ?? noCap
}

/** Whether money is capped anywhere for a call: only then an unknown price is a fault. */
export function euroCapApplies(scopes: readonly CappedScope[]): boolean {
  return scopes.some((scope) => scope.capNanoEur !== null)
}
