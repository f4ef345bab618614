import assert from 'node:assert/strict'
import { NearCaps } from '../../../daemon/observe/nearCaps.ts'
import type { CappedScope } from '../../../daemon/ledger/ledger.ts'

const day: CappedScope = {
  scope: 'user',
  ref: 'personal/me',
  window: 'day',
  period: '2026-11-30',
  capNanoEur: 1000,
  capTokens: null,
}

function spent(scope: CappedScope, spentNanoEur: number) {
  return [{ scope, totals: { spentNanoEur, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 } }]
}

describe('a window near its cap', () => {
  it('is one of which the share is spent', () => {
    const near = new NearCaps()
    assert.equal(near.among([day], 0.8), null)
    near.noted(spent(day, 799))
    assert.equal(near.among([day], 0.8), null)
    near.noted(spent(day, 800))
    assert.equal(near.among([day], 0.8), day)
  })

  it('is near no more once its cap was raised, and not on the next day', () => {
    const near = new NearCaps()
    near.noted(spent(day, 900))
    assert.equal(near.among([{ ...day, capNanoEur: 2000 }], 0.8), null)
    assert.equal(near.among([{ ...day, period: '2026-12-01' }], 0.8), null)
    assert.equal(near.among([{ ...day, ref: 'personal/ada' }], 0.8), null)
  })

  it('is none without a cap, or with a cap of 0', () => {
    const near = new NearCaps()
    for (const capNanoEur of [null, 0]) {
      const scope = { ...day, capNanoEur }
      near.noted(spent(scope, 900))
      assert.equal(near.among([scope], 0.8), null)
    }
  })
})
