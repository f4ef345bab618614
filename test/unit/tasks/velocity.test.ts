import assert from 'node:assert/strict'
import fc from 'fast-check'
import { VelocityBook } from '../../../daemon/tasks/velocity.ts'
import type { Spender } from '../../../daemon/tasks/velocity.ts'
import { nanoFromEur } from '../../../shared/money.ts'

const task: Spender = { scope: 'task', ref: 'run' }
const key: Spender = { scope: 'key', ref: 'default' }
const startMs = 1_700_000_000_000

describe('VelocityBook', () => {
  it('warns from 80 % of the bound on and is over once it is used up', () => {
    const book = new VelocityBook()
    const states = [0.79, 0.01, 0.19, 0.01].map((eur, at) => {
      book.add([task], nanoFromEur(eur), startMs + at)
      return book.read([task], 1, startMs + at)?.state
    })
    assert.deepEqual(states, ['ok', 'warn', 'warn', 'over'])
  })

  it('forgets after a minute, and says when it will have forgotten enough', () => {
    const book = new VelocityBook()
    book.add([task], nanoFromEur(0.6), startMs)
    book.add([task], nanoFromEur(0.6), startMs + 30_000)
    const standing = book.read([task], 1, startMs + 40_000)
    assert.deepEqual([standing?.state, standing?.secondsToNext], ['over', 20])
    assert.equal(book.read([task], 1, startMs + 60_000)?.state, 'ok')
    assert.equal(book.read([task], 1, startMs + 95_000)?.spentNanoEur, 0)
  })

  it('judges by the spender that is nearer to the bound', () => {
    const book = new VelocityBook()
    book.add([task, key], nanoFromEur(0.5), startMs)
    book.add([key], nanoFromEur(0.4), startMs)
    assert.deepEqual(book.read([task, key], 1, startMs), {
      scope: 'key',
      ref: 'default',
      state: 'warn',
      spentNanoEur: nanoFromEur(0.9),
      limitNanoEur: nanoFromEur(1),
      secondsToNext: 0,
    })
  })

  it('says nothing without a bound, and lets nothing through a bound of 0', () => {
    const book = new VelocityBook()
    assert.equal(book.read([task], null, startMs), null)
    assert.equal(book.read([task], 0, startMs)?.state, 'over')
  })

  it('is not moved by a clock that steps back', () => {
    const book = new VelocityBook()
    book.add([task], nanoFromEur(2), startMs)
    assert.equal(book.read([task], 1, startMs - 3_600_000)?.state, 'over')
  })

  it('holds exactly what was spent in the last 60 seconds', () => {
    const spend = fc.record({ waitSeconds: fc.integer({ min: 0, max: 40 }), nanoEur: fc.integer({ min: 0, max: 1e9 }) })
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 40 }), fc.integer({ min: 0, max: 70 }), (spends, lastWait) => {
        const book = new VelocityBook()
        let second = 1000
        const made = spends.map(({ waitSeconds, nanoEur }) => {
          second += waitSeconds
          book.add([task], nanoEur, second * 1000)
          return { second, nanoEur }
        })
        second += lastWait
        const expected = made.filter((one) => one.second > second - 60).reduce((sum, one) => sum + one.nanoEur, 0)
        const limit = 0.5
        const standing = book.read([task], limit, second * 1000)!
        assert.equal(standing.spentNanoEur, expected)
        if (standing.state !== 'over') return
        // One second earlier it is still over, then no more.
        assert.equal(book.read([task], limit, (second + standing.secondsToNext - 1) * 1000)?.state, 'over')
        assert.notEqual(book.read([task], limit, (second + standing.secondsToNext) * 1000)?.state, 'over')
      }),
      { numRuns: 300 },
    )
  })
})
