import assert from 'node:assert/strict'
import fc from 'fast-check'
import { secretEquals } from '../../../daemon/http/secrets.ts'

describe('comparing secrets', () => {
  it('N06: says whether they are equal, for any two texts', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (given, expected) => secretEquals(given, expected) === (given === expected),
      ),
    )
    fc.assert(fc.property(fc.string(), (secret) => secretEquals(secret, secret)))
  })

  it('N06: is not misled by the beginning of a secret or by more than it', () => {
    assert.equal(secretEquals('abc', 'abcd'), false)
    assert.equal(secretEquals('abcde', 'abcd'), false)
    assert.equal(secretEquals('', 'abcd'), false)
  })
})
