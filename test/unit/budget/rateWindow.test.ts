import assert from 'node:assert/strict'
import fc from 'fast-check'
import { RateWindow } from '../../../daemon/budget/rateWindow.ts'

describe('the rate window', () => {
  it('counts the last minute and forgets what is older', () => {
    const window = new RateWindow()
    window.add(1_000_000, 1, 50)
    window.add(1_030_000, 1, 70)
    assert.deepEqual(window.read(1_059_999), { calls: 2, tokens: 120, oldestAgeMs: 59_000 })
    assert.deepEqual(window.read(1_060_000), { calls: 1, tokens: 70, oldestAgeMs: 30_000 })
    assert.deepEqual(window.read(2_000_000), { calls: 0, tokens: 0, oldestAgeMs: 0 })
  })

  it('does not forget when the clock steps back', () => {
    const window = new RateWindow()
    window.add(1_000_000, 1, 10)
    assert.equal(window.read(990_000).calls, 1)
    assert.equal(window.read(900_000).calls, 1)
  })

  it('forgets a minute after the clock was set back by an hour, and not an hour later', () => {
    const window = new RateWindow()
    window.add(10_000_000, 2, 10)
    window.add(10_030_000, 1, 5)
    assert.deepEqual(window.read(6_400_000), { calls: 3, tokens: 15, oldestAgeMs: 0 })
    assert.deepEqual(window.read(6_460_000), { calls: 0, tokens: 0, oldestAgeMs: 0 })
  })

  it('agrees with a list of calls for any sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20_000), fc.nat(1000)), { maxLength: 60 }), (steps) => {
        const window = new RateWindow()
        const calls: { readonly second: number; readonly tokens: number }[] = []
        let nowMs = 1_700_000_000_000
        for (const [stepMs, tokens] of steps) {
          nowMs += stepMs
          window.add(nowMs, 1, tokens)
          calls.push({ second: Math.floor(nowMs / 1000), tokens })
        }
        const oldest = Math.floor(nowMs / 1000) - 59
        const inside = calls.filter((call) => call.second >= oldest)
        const read = window.read(nowMs)
        assert.equal(read.calls, inside.length)
        assert.equal(
          read.tokens,
          inside.reduce((sum, call) => sum + call.tokens, 0),
        )
      }),
    )
  })
})
