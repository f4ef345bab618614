import assert from 'node:assert/strict'
import { humanOpensTask } from '../../../daemon/transcript/humanTurn.ts'
import type { TurnAsk } from '../../../daemon/transcript/humanTurn.ts'

const ask: TurnAsk = {
  humans: [0, 4],
  newFrom: 4,
  arrivedAtMs: 105_000,
  previousAnswerEndedAtMs: 100_000,
  bySubAgent: false,
}

describe('a human message', () => {
  it('opens a task when it is new and comes 5 s after the previous answer', () => {
    assert.equal(humanOpensTask(ask), true)
  })

  it('opens none when it comes sooner, as a harness that appends its own text does', () => {
    assert.equal(humanOpensTask({ ...ask, arrivedAtMs: 104_999 }), false)
  })

  it('opens none when an earlier request carried it', () => {
    assert.equal(humanOpensTask({ ...ask, newFrom: 5 }), false)
    assert.equal(humanOpensTask({ ...ask, humans: [] }), false)
  })

  it('opens none while no answer of the session has ended', () => {
    assert.equal(humanOpensTask({ ...ask, previousAnswerEndedAtMs: null }), false)
  })

  it('opens none from a sub-agent: its parent wrote it (A21)', () => {
    assert.equal(humanOpensTask({ ...ask, bySubAgent: true }), false)
  })
})
