import assert from 'node:assert/strict'
import fc from 'fast-check'
import { allowanceFor, eurStep } from '../../../extension/ui/allowance.ts'

describe('what one click allows', () => {
  it('is a fifth of a ceiling in euros, as 1, 2 or 5 of a decimal place', () => {
    const steps = [5, 10, 20, 2, 0.7, 0.05, 0.01].map((limit) => eurStep(limit))
    assert.deepEqual(steps, [1, 2, 5, 0.5, 0.1, 0.01, 0.01])
  })

  it('is 1 euro where the ceiling is 0', () => {
    assert.equal(eurStep(0), 1)
  })

  it('is 20 calls or 10 minutes, and nothing for input tokens', () => {
    assert.deepEqual(allowanceFor('iterations', 26, 25), { unit: 'iterations', amount: 20 })
    assert.deepEqual(allowanceFor('wallSeconds', 256, 300), { unit: 'minutes', amount: 10 })
    assert.equal(allowanceFor('inputTokens', 2_100_000, 2_000_000), null)
  })

  it('is more where the task is further past its ceiling, so that it does not ask again at once', () => {
    assert.deepEqual(allowanceFor('eur', 7.2, 5), { unit: 'eur', amount: 5 })
    assert.deepEqual(allowanceFor('wallSeconds', 300 + 3600, 300), { unit: 'minutes', amount: 70 })
    const amounts = fc.double({ min: 0, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom('eur', 'iterations', 'wallSeconds'), amounts, amounts, (counter, value, limit) => {
        const { unit, amount } = allowanceFor(counter, value, limit)!
        assert.ok(Number.isFinite(amount) && amount > 0)
        assert.ok(limit + amount * (unit === 'minutes' ? 60 : 1) >= value - 1e-6)
        if (unit !== 'eur') assert.equal(amount % 10, 0)
      }),
    )
  })
})
