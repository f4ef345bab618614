import assert from 'node:assert/strict'
import { RateBook } from '../../../daemon/budget/rateBook.ts'

const nowMs = 1_700_000_000_000

describe('the rates of a key', () => {
  it('count a call from the moment it passed the guards (A01)', () => {
    const book = new RateBook()
    book.begin('default', 100)
    book.begin('default', 50)
    assert.deepEqual(book.read('default', nowMs), { calls: 2, tokens: 150, oldestAgeMs: 0 })
    assert.equal(book.read('key-1', nowMs).calls, 0)
  })

  it('keep an admitted call for a minute and exchange its estimate for what it used', () => {
    const book = new RateBook()
    const share = book.begin('default', 100)
    share.admitted(nowMs)
    assert.deepEqual(book.read('default', nowMs), { calls: 1, tokens: 100, oldestAgeMs: 0 })
    book.addTokens('default', nowMs, 30)
    share.ended()
    assert.deepEqual(book.read('default', nowMs), { calls: 1, tokens: 30, oldestAgeMs: 0 })
    assert.deepEqual(book.read('default', nowMs + 60_000), { calls: 0, tokens: 0, oldestAgeMs: 0 })
  })

  it('forget a call that a budget refused', () => {
    const book = new RateBook()
    book.begin('default', 100).ended()
    assert.deepEqual(book.read('default', nowMs), { calls: 0, tokens: 0, oldestAgeMs: 0 })
  })
})
