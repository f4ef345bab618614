import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ItemPace } from '../../../extension/ui/itemPace.ts'
import { PlayedTimers } from './playedTimers.ts'

describe('the pace of the status bar item', () => {
  let timers: PlayedTimers
  let drawnAtMs: number[]
  let pace: ItemPace
  beforeEach(() => {
    timers = new PlayedTimers()
    drawnAtMs = []
    pace = new ItemPace(() => drawnAtMs.push(timers.atMs), timers)
  })

  it('draws the first one at once, a new state after a quarter of a second, mere figures after a second', () => {
    pace.ask(false)
    timers.pass(0)
    pace.ask(false)
    timers.pass(100)
    pace.ask(true)
    timers.pass(2000)
    pace.ask(true)
    timers.pass(0)
    pace.ask(false)
    timers.pass(5000)
    assert.deepEqual(drawnAtMs, [1000, 1250, 3100, 4100])
  })

  it('is not put off by what comes after', () => {
    pace.now()
    for (let count = 0; count < 40; count += 1) {
      pace.ask(count % 7 === 0)
      timers.pass(50)
    }
    assert.deepEqual(drawnAtMs.slice(0, 4), [1000, 1250, 1500, 1750])
  })

  it('draws at most four times in any second, and never leaves out what was asked for last', () => {
    const asks = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.boolean()), { maxLength: 60 })
    fc.assert(
      fc.property(asks, (all) => {
        timers = new PlayedTimers()
        drawnAtMs = []
        pace = new ItemPace(() => drawnAtMs.push(timers.atMs), timers)
        let askedAtMs = 0
        for (const [waitMs, isNewState] of all) {
          timers.pass(waitMs)
          pace.ask(isNewState)
          askedAtMs = timers.atMs
        }
        timers.pass(1000)
        for (const [index, ms] of drawnAtMs.entries()) {
          const fifth = drawnAtMs[index + 4]
          assert.ok(fifth === undefined || fifth - ms >= 1000, drawnAtMs.join())
        }
        if (all.length > 0) assert.ok(drawnAtMs.at(-1)! >= askedAtMs)
      }),
    )
  })

  it('goes on when the clock is set back', () => {
    timers.atMs = 1_000_000
    pace.now()
    timers.atMs = 0
    pace.ask(true)
    timers.pass(250)
    assert.deepEqual(drawnAtMs, [1_000_000, 250])
  })

  it('draws nothing any more once it is taken back', () => {
    pace.ask(true)
    pace.cancel()
    timers.pass(2000)
    assert.deepEqual(drawnAtMs, [])
  })
})
