import assert from 'node:assert/strict'
import { budgetRefusal } from '../../../daemon/budget/refusal.ts'
import type { CappedScope } from '../../../daemon/ledger/ledger.ts'
import { nanoFromEur } from '../../../shared/money.ts'

function saidOf(asked: Pick<CappedScope, 'scope' | 'ref' | 'window'>, capEur = 10): string {
  const scope: CappedScope = { ...asked, period: 'now', capNanoEur: nanoFromEur(capEur), capTokens: null }
  const totals = { spentNanoEur: nanoFromEur(9.98), reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }
  const requested = nanoFromEur(0.12)
  return budgetRefusal({ kind: 'refused', scope, unit: 'eur', totals, requested, reason: 'spent' }, 'EUR', null).message
}

describe('the sentence of a budget that is used up', () => {
  it('says what is spent, what the call needs and where the cap stands', () => {
    assert.equal(
      saidOf({ scope: 'user', ref: 'personal/me', window: 'day' }),
      'Daily spending budget of user me is used up: 9.98 of 10.00 EUR, and this call needs up to 0.12 EUR. Raise it with ' +
        '"Tollgate: Open Cap Settings" in VS Code, or in budgets.userDaily of config.json.',
    )
  })

  for (const [name, scope, where] of [
    [
      'a month',
      { scope: 'tenant', ref: 'acme', window: 'month' },
      /Who pays can raise it with .* budgets\.tenantMonthly /,
    ],
    [
      'the day of a tenant',
      { scope: 'tenant', ref: 'acme', window: 'day' },
      /Who pays can raise it in budgets\.tenantDaily /,
    ],
    ['a project', { scope: 'project', ref: 'shop', window: 'day' }, /Raise it in budgets\.projects\.shop /],
    ['models', { scope: 'model', ref: 'dear-*', window: 'day' }, /Raise it in budgets\.models /],
  ] as const) {
    it(`names the field that holds the budget of ${name}, and VS Code only where its settings hold it`, () => {
      assert.match(saidOf(scope), where)
      assert.equal(/VS Code/.test(saidOf(scope)), scope.window === 'month')
    })
  }

  it('A13: says that a cap of 0 switches paid calls off, and where', () => {
    assert.equal(
      saidOf({ scope: 'user', ref: 'personal/me', window: 'day' }, 0),
      'Daily spending budget of user me is 0: paid calls are off. Raise it with "Tollgate: Open Cap Settings" in VS Code, or ' +
        'in budgets.userDaily of config.json.',
    )
  })
})
