import type { Budgets, Cap } from '../../shared/config.ts'
import { nanoFromEur } from '../../shared/money.ts'
import type { Identity } from '../call.ts'
import { matchesPattern } from '../guards/pattern.ts'
import type { CappedScope } from '../ledger/ledger.ts'

/**
 * Every scope that a call is charged to, with its caps. Scopes without a cap are recorded all the same: a cap that is set
 * at noon counts what was spent since midnight.
 */
export function scopesOfCall(
  identity: Pick<Identity, 'tenant' | 'user' | 'project'>,
  model: string,
  task: string | null,
  period: { readonly day: string; readonly month: string },
  budgets: Budgets,
): CappedScope[] {
  const { day, month } = period
  // Two tenants may have a user of the same name; one cap must not count both.
  const userRef = `${identity.tenant}/${identity.user}`
  const scopes: CappedScope[] = [
    capped({ scope: 'user', ref: userRef, window: 'day', period: day }, budgets.userDaily),
    capped({ scope: 'tenant', ref: identity.tenant, window: 'day', period: day }, budgets.tenantDaily),
    capped({ scope: 'tenant', ref: identity.tenant, window: 'month', period: month }, budgets.tenantMonthly),
  ]
  if (identity.project !== null) {
    const cap = Object.hasOwn(budgets.projects, identity.project) ? budgets.projects[identity.project] : undefined
    scopes.push(capped({ scope: 'project', ref: identity.project, window: 'day', period: day }, cap ?? noCap))
  }
  for (const [pattern, cap] of Object.entries(budgets.models)) {
    if (matchesPattern(pattern, model))
      scopes.push(capped({ scope: 'model', ref: pattern, window: 'day', period: day }, cap))
  }
  if (task !== null) scopes.push(capped({ scope: 'task', ref: task, window: 'life', period: '-' }, noCap))
  return scopes
}

const noCap: Cap = { eur: null, tokens: null }

function capped(ref: Omit<CappedScope, 'capNanoEur' | 'capTokens'>, cap: Cap): CappedScope {
  return { ...ref, capNanoEur: cap.eur === null ? null : nanoFromEur(cap.eur), capTokens: cap.tokens }
}

/** Whether money is capped anywhere for a call: only then an unknown price is a fault. */
export function euroCapApplies(scopes: readonly CappedScope[]): boolean {
  return scopes.some((scope) => scope.capNanoEur !== null)
}
