import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ageInDays } from '../../../shared/age.ts'
import { isRateStale, withStaleMargin } from '../../../daemon/money/exchange.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')
const rate = { code: 'EUR', usdRate: 0.92, asOf: '2026-11-01' }

describe('the exchange rate', () => {
  it('M10: is stale on the 91st day', () => {
    assert.equal(isRateStale({ ...rate, asOf: '2026-09-01' }, nowMs), false)
    assert.equal(isRateStale({ ...rate, asOf: '2026-08-31' }, nowMs), true)
    assert.equal(isRateStale(rate, nowMs), false)
    assert.equal(isRateStale(rate, nowMs + 62 * 86_400_000), true)
  })

  it('M10: is never stale where it is still to come, or where the currency is the dollar', () => {
    assert.equal(isRateStale({ ...rate, asOf: '2027-01-01' }, nowMs), false)
    assert.equal(isRateStale({ code: 'USD', usdRate: 1, asOf: '2020-01-01' }, nowMs), false)
  })

  it('M10: makes a reservation 2 % larger while it is stale, rounded up', () => {
    assert.equal(withStaleMargin(4_000_000), 4_080_000)
    assert.equal(withStaleMargin(1), 2)
    assert.equal(withStaleMargin(0), 0)
    fc.assert(
      fc.property(fc.nat(2 ** 52), (nano) => {
        const held = withStaleMargin(nano)
        assert.ok(Number.isSafeInteger(held) && held >= nano && held - nano - 1 <= nano / 50)
      }),
    )
  })

  it('counts the age of a date in whole days', () => {
    assert.equal(ageInDays('2026-11-30', nowMs), 0)
    assert.equal(ageInDays('2026-11-29', nowMs), 1)
    assert.equal(ageInDays('2026-12-01', nowMs), -1)
  })
})
