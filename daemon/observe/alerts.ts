import type { Budgets } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { GrantedRooms } from '../budget/grantBook.ts'
import { shownRef } from '../budget/refusal.ts'
import { cappedScope } from '../budget/scopes.ts'
import type { EventBus } from './eventBus.ts'
import type { Ledger, WindowChange } from '../ledger/ledger.ts'

/**
 * Says once per scope and window that its spend passed the alert share of a cap, over restarts as well. The caps are those
 * of now: what was granted or set while the call ran counts.
 */
export function sayAlerts(
  ledger: Ledger,
  events: EventBus,
  budgets: Budgets,
  granted: GrantedRooms,
  changes: readonly WindowChange[],
): void {
  const { alertAt } = budgets
  for (const { scope: window, totals } of changes) {
    const scope = cappedScope(window, budgets, granted)
    const money = scope.capNanoEur !== null && totals.spentNanoEur >= scope.capNanoEur * alertAt
    const tokens = scope.capTokens !== null && totals.spentTokens >= scope.capTokens * alertAt
    if ((!money && !tokens) || scope.capNanoEur === 0 || scope.capTokens === 0) continue
    if (!ledger.claimAlert(scope)) continue
    events.emit('alert', {
      scope: scope.scope,
      scopeRef: shownRef(scope),
      window: scope.window,
      unit: money ? 'eur' : 'tokens',
      spent: money ? eurFromNano(totals.spentNanoEur) : totals.spentTokens,
      limit: money ? eurFromNano(scope.capNanoEur) : scope.capTokens,
      alertAt,
    })
  }
}
