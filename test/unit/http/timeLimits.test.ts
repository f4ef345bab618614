import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { TimeLimits } from '../../../daemon/http/timeLimits.ts'

describe('time limits of something that comes in parts', () => {
  let nowMs = 0
  let reached: string[] = []

  beforeEach(() => {
    nowMs = 1000
    reached = []
    mock.timers.enable({ apis: ['setTimeout'] })
    mock.method(performance, 'now', () => nowMs)
  })

  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })

  function limits(totalMs: number | null): TimeLimits {
    return new TimeLimits(totalMs, (which) => reached.push(which))
  }

  function pass(ms: number): void {
    for (let step = 0; step < ms; step += 1) {
      nowMs += 1
      mock.timers.tick(1)
    }
  }

  it('says that a part did not come in time', () => {
    limits(null).waitFor(50)
    pass(49)
    assert.deepEqual(reached, [])
    pass(1)
    assert.deepEqual(reached, ['part'])
  })

  it('waits anew with each part', () => {
    const waiting = limits(null)
    waiting.waitFor(50)
    for (let part = 0; part < 5; part += 1) {
      pass(40)
      waiting.renew()
    }
    assert.deepEqual(reached, [])
    pass(50)
    assert.deepEqual(reached, ['part'])
  })

  it('takes a longer and a shorter wait than the one before', () => {
    const waiting = limits(null)
    waiting.waitFor(50)
    waiting.waitFor(200)
    pass(199)
    assert.deepEqual(reached, [])
    waiting.waitFor(20)
    pass(20)
    assert.deepEqual(reached, ['part'])
  })

  it('ends the whole although each part is in time', () => {
    const waiting = limits(100)
    waiting.waitFor(50)
    pass(40)
    waiting.renew()
    pass(40)
    waiting.renew()
    pass(19)
    assert.deepEqual(reached, [])
    pass(1)
    assert.deepEqual(reached, ['total'])
  })

  it('keeps the limit of the whole while no part is waited for', () => {
    const waiting = limits(100)
    waiting.waitFor(10)
    waiting.waitFor(null)
    pass(99)
    assert.deepEqual(reached, [])
    pass(1)
    assert.deepEqual(reached, ['total'])
  })

  it('says nothing after the end, and nothing twice', () => {
    const ended = limits(100)
    ended.waitFor(10)
    ended.end()
    const reachedOnce = limits(30)
    reachedOnce.waitFor(20)
    pass(200)
    reachedOnce.renew()
    pass(200)
    assert.deepEqual(reached, ['part'])
  })
})
