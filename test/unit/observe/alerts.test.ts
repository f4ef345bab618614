import assert from 'node:assert/strict'
import { GrantBook } from '../../../daemon/budget/grantBook.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import type { EventBus } from '../../../daemon/observe/eventBus.ts'
import type { CappedScope, Ledger } from '../../../daemon/ledger/ledger.ts'
import { sayAlerts } from '../../../daemon/observe/alerts.ts'
import type { Cap } from '../../../shared/config.ts'
import { grantOf, today } from '../budget/grants.ts'

/** Alerts for ada's day at a spend, with the cap that the call came with and those that hold now. */
function alertsAt(spentNanoEur: number, cap: Cap, grantedNanoEur: number): unknown[] {
  const said: unknown[] = []
  const book = new GrantBook()
  if (grantedNanoEur > 0) book.add(grantOf({ nanoEur: grantedNanoEur }))
  const scope: CappedScope = { ...today, capNanoEur: 1e9, capTokens: null }
  const totals = { spentNanoEur, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }
  sayAlerts(
    { claimAlert: () => true } as unknown as Ledger,
    { emit: (_: string, fields: object) => said.push(fields) } as unknown as EventBus,
    { ...defaults.budgets, userDaily: cap, alertAt: 0.8 },
    book.inForce(0),
    [{ scope, totals }],
  )
  return said
}

describe('alerts', () => {
  const cap: Cap = { eur: 1, tokens: null }

  it('come at the share of the cap', () => {
    assert.deepEqual(alertsAt(799_999_999, cap, 0), [])
    assert.deepEqual(alertsAt(800_000_000, cap, 0), [
      { scope: 'user', scopeRef: 'ada', window: 'day', unit: 'eur', spent: 0.8, limit: 1, alertAt: 0.8 },
    ])
  })

  it('compare with the cap and what was granted on top, also for a call that came before the grant', () => {
    assert.deepEqual(alertsAt(800_000_000, cap, 1_000_000_000), [])
    assert.deepEqual(alertsAt(1_600_000_000, cap, 1_000_000_000), [
      { scope: 'user', scopeRef: 'ada', window: 'day', unit: 'eur', spent: 1.6, limit: 2, alertAt: 0.8 },
    ])
  })

  it('are not said for a cap of 0, but for what is granted on top of it', () => {
    assert.deepEqual(alertsAt(500, { eur: 0, tokens: null }, 0), [])
    assert.equal(alertsAt(900, { eur: 0, tokens: null }, 1000).length, 1)
  })
})
