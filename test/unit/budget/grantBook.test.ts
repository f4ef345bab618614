import assert from 'node:assert/strict'
import fc from 'fast-check'
import { GrantBook, roomOf, roomsByEnd } from '../../../daemon/budget/grantBook.ts'
import type { KeptGrant, ScopeRef } from '../../../daemon/ledger/ledger.ts'
import { grantOf, today } from './grants.ts'

describe('grants to windows', () => {
  it('add up for one window and leave every other alone', () => {
    const book = new GrantBook()
    book.add(grantOf({ nanoEur: 5 }))
    book.add(grantOf({ nanoEur: 2, tokens: 100 }))
    book.add(grantOf({ scope: 'tenant', ref: 'acme', nanoEur: 70 }))
    const granted = book.inForce(0)
    assert.deepEqual(roomOf(granted, today), { nanoEur: 7, tokens: 100 })
    assert.deepEqual(roomOf(granted, { ...today, ref: 'acme/bob' }), { nanoEur: 0, tokens: 0 })
    assert.deepEqual(roomOf(granted, { ...today, scope: 'tenant', ref: 'acme', window: 'month', period: '2026-11' }), {
      nanoEur: 0,
      tokens: 0,
    })
  })

  it('count for the day that they name: the next begins with the configured cap', () => {
    const book = new GrantBook()
    const tomorrow: ScopeRef = { ...today, period: '2026-12-01' }
    book.add(grantOf({ nanoEur: 5 }))
    assert.equal(roomOf(book.inForce(0), tomorrow).nanoEur, 0)
    book.add(grantOf({ ...tomorrow, nanoEur: 1 }))
    assert.equal(roomOf(book.inForce(0), tomorrow).nanoEur, 1)
  })

  it('end at their time, to the millisecond, and hold again where the clock was set back before it', () => {
    const book = new GrantBook()
    book.add(grantOf({ nanoEur: 5, untilMs: 1000 }))
    book.add(grantOf({ nanoEur: 3, untilMs: 2000 }))
    const at = (nowMs: number): number => roomOf(book.inForce(nowMs), today).nanoEur
    assert.deepEqual([at(0), at(999), at(1000), at(1999), at(2000), at(500)], [8, 8, 3, 3, 0, 8])
  })

  it('are the same value from call to call, so that asking costs nothing', () => {
    const book = new GrantBook()
    book.add(grantOf({ untilMs: 1000 }))
    book.add(grantOf({ untilMs: 3000 }))
    const before = book.inForce(0)
    assert.equal(book.inForce(999), before)
    const after = book.inForce(1000)
    assert.notEqual(after, before)
    assert.equal(book.inForce(2999), after)
  })

  it('are told by when they end, the first end first, and none later than its window', () => {
    const grants = [
      grantOf({ nanoEur: 1, untilMs: null }),
      grantOf({ nanoEur: 2, untilMs: 500 }),
      grantOf({ tokens: 7, untilMs: 9000 }),
      grantOf({ nanoEur: 4, tokens: 3, untilMs: 500 }),
    ]
    assert.deepEqual(roomsByEnd(grants, 1000), [
      { nanoEur: 6, tokens: 3, untilMs: 500 },
      { nanoEur: 1, tokens: 7, untilMs: 1000 },
    ])
    assert.deepEqual(roomsByEnd([], 1000), [])
  })

  it('are at each time the sum of those that have not ended, in whatever order they are given and asked for', () => {
    const some = fc.record({
      period: fc.constantFrom('2026-11-30', '2026-12-01'),
      nanoEur: fc.nat(1e9),
      tokens: fc.nat(1e6),
      untilMs: fc.option(fc.nat(100)),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), fc.array(fc.nat(120), { maxLength: 12 }), (drawn, times) => {
        const book = new GrantBook()
        // A grant is always one of the current period, and periods do not run backwards.
        const grants: KeptGrant[] = drawn
          .toSorted((left, right) => (left.period < right.period ? -1 : left.period > right.period ? 1 : 0))
          .map((change) => grantOf(change))
        for (const grant of grants) book.add(grant)
        const newest = grants.at(-1)?.period
        for (const nowMs of times) {
          const held = grants.filter(
            ({ period, untilMs }) => period === newest && (untilMs === null || nowMs < untilMs),
          )
          const expected = {
            nanoEur: held.reduce((total, { nanoEur }) => total + nanoEur, 0),
            tokens: held.reduce((total, { tokens }) => total + tokens, 0),
          }
          assert.deepEqual(roomOf(book.inForce(nowMs), { ...today, period: newest ?? '' }), expected)
        }
      }),
    )
  })

  it('are gone once they are taken back, also where the clock is set back', () => {
    const book = new GrantBook()
    book.add(grantOf({ id: 1, nanoEur: 5, atMs: 1000 }))
    book.add(grantOf({ id: 2, nanoEur: 3, atMs: 1000, untilMs: 3000 }))
    assert.equal(roomOf(book.inForce(1500), today).nanoEur, 8)
    book.withdraw(1, 2000)
    const at = (nowMs: number): number => roomOf(book.inForce(nowMs), today).nanoEur
    assert.deepEqual([at(2000), at(500), at(3000)], [3, 3, 0])
    assert.equal(book.find(1, 500), undefined)
    assert.equal(book.find(2, 2000)?.nanoEur, 3)
    assert.equal(book.find(2, 3000), undefined)
  })

  it('are listed for the window that they are for, as long as they are in force', () => {
    const book = new GrantBook()
    book.add(grantOf({ id: 1, untilMs: 1000 }))
    book.add(grantOf({ id: 2, scope: 'tenant', ref: 'acme' }))
    book.add(grantOf({ id: 3 }))
    const of = (nowMs: number): readonly number[] => book.of(today, nowMs).map(({ id }) => id)
    assert.deepEqual([of(999), of(1000)], [[1, 3], [3]])
  })

  it('never sum up to more than what was granted, however large the amounts', () => {
    const book = new GrantBook()
    book.add(grantOf({ nanoEur: 9e15 }))
    book.add(grantOf({ nanoEur: 9e15 }))
    assert.equal(roomOf(book.inForce(0), today).nanoEur, Number.MAX_SAFE_INTEGER)
  })
})
