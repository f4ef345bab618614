import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isNearLimit } from '../../../daemon/models/nearLimit.ts'

describe('a call near a limit', () => {
  const near = (value: number, limit: number | null): boolean => isNearLimit([{ least: value, most: value, limit }])

  it('lies between half and twice of it', () => {
    assert.deepEqual(
      [499, 500, 999, 1000, 1001, 2000, 2001].map((value) => near(value, 1000)),
      [false, true, true, true, true, true, false],
    )
  })

  it('is none where nothing is limited, and where nothing would fit', () => {
    assert.equal(near(1000, null), false)
    assert.equal(near(0, 0), false)
    assert.equal(near(10, -5), false)
    assert.equal(isNearLimit([]), false)
  })

  it('is one as soon as one of several limits is near', () => {
    const far = { least: 1, most: 1, limit: 1000 }
    assert.equal(isNearLimit([far, far]), false)
    assert.equal(isNearLimit([far, { least: 1, most: 1, limit: 2 }]), true)
  })

  it('counts every answer that it may be let through with', () => {
    assert.equal(isNearLimit([{ least: 100, most: 600, limit: 1000 }]), true)
    assert.equal(isNearLimit([{ least: 1500, most: 9000, limit: 1000 }]), true)
    assert.equal(isNearLimit([{ least: 2500, most: 9000, limit: 1000 }]), false)
  })

  it('is found wherever a count that differs by up to twice would decide otherwise', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (estimate, limit, error) => {
          const decidesOtherwise = estimate <= limit !== estimate * error <= limit
          return !decidesOtherwise || near(estimate, limit)
        },
      ),
    )
  })
})
