import assert from 'node:assert/strict'
import fc from 'fast-check'
import { coalesced } from '../../../../extension/ui/coalesce.ts'
import { PlayedTimers } from '../playedTimers.ts'

describe('coalesced work', () => {
  it('is done at once after a rest, and later asks together when the interval is over', () => {
    const timers = new PlayedTimers()
    let runs = 0
    const work = coalesced(() => (runs += 1), 1000, timers)
    work.ask()
    assert.equal(runs, 1)
    for (let ask = 0; ask < 5; ask++) work.ask()
    timers.pass(999)
    assert.equal(runs, 1)
    timers.pass(1)
    assert.equal(runs, 2)
    timers.pass(5000)
    assert.equal(runs, 2)
  })

  it('is forgotten when it is cancelled', () => {
    const timers = new PlayedTimers()
    let runs = 0
    const work = coalesced(() => (runs += 1), 1000, timers)
    work.ask()
    work.ask()
    work.cancel()
    timers.pass(5000)
    assert.equal(runs, 1)
  })

  it('does not wait longer because the clock was set back', () => {
    const timers = new PlayedTimers()
    let runs = 0
    const work = coalesced(() => (runs += 1), 1000, timers)
    work.ask()
    timers.atMs = -3_600_000
    work.ask()
    timers.pass(1000)
    assert.equal(runs, 2)
  })

  it('never runs twice within the interval and never leaves out the last ask', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1500)), (pauses) => {
        const timers = new PlayedTimers()
        const ranAtMs: number[] = []
        const work = coalesced(() => ranAtMs.push(timers.atMs), 1000, timers)
        let askedAtMs = 0
        for (const pause of pauses) {
          timers.pass(pause)
          work.ask()
          askedAtMs = timers.atMs
        }
        timers.pass(1000)
        for (const [index, atMs] of ranAtMs.entries()) assert.ok(index === 0 || atMs - ranAtMs[index - 1]! >= 1000)
        if (pauses.length > 0) assert.ok(ranAtMs.at(-1)! >= askedAtMs)
      }),
    )
  })
})
