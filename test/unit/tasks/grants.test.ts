import assert from 'node:assert/strict'
import fc from 'fast-check'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { GrantList } from '../../../daemon/tasks/grants.ts'
import type { GrantAsk } from '../../../daemon/tasks/grants.ts'
import { TaskBook } from '../../../daemon/tasks/taskBook.ts'
import type { TaskCall } from '../../../daemon/tasks/task.ts'
import type { TaskLimits } from '../../../shared/config.ts'
import { admittedCall, settledCall } from './calls.ts'

const limits: TaskLimits = { ...basePlan.task!, maxIterations: 5, maxWallSeconds: 60 }

/** A book whose tasks may make five calls each. */
class Play {
  readonly book = new TaskBook()
  nowMs = 1_000_000
  #calls = 0

  /** One whole call; true where it was let through. */
  call(change: Partial<TaskCall> = {}, session: TaskLimits | null = null): boolean {
    this.#calls += 1
    const about: TaskCall = {
      callId: `call_${this.#calls}`,
      task: 'run',
      isNamed: true,
      parent: null,
      session: null,
      lasts: { task: false, session: false },
      tenant: 'acme',
      project: null,
      client: 'agent/1.0',
      ...change,
    }
    const { standing } = this.book.ask(about, { inputTokens: 1, worstCaseNanoEur: 1 }, limits, session, this.nowMs)
    if (standing.stop !== null) return false
    const { callId: id, task } = about
    const admitted = admittedCall({ id, task, session: about.session, receivedAtMs: this.nowMs })
    this.book.started(admitted)
    this.book.settled(settledCall(admitted, { settledAtMs: this.nowMs }))
    return true
  }

  /** How many of so many calls were let through. */
  passed(count: number, change: Partial<TaskCall> = {}, session: TaskLimits | null = null): number {
    return Array.from({ length: count }, () => this.call(change, session)).filter((isThrough) => isThrough).length
  }
}

describe('grants to tasks', () => {
  it('made before the first call do not start the clock of the task', () => {
    const play = new Play()
    play.book.grant('run', { iterations: 5, untilMs: null }, play.nowMs)
    assert.deepEqual(play.book.status(10), [])
    play.nowMs += 3_600_000
    assert.equal(play.passed(12), 10)
  })

  it('made before the first call and ended by then give nothing', () => {
    const play = new Play()
    play.book.grant('run', { iterations: 5, untilMs: play.nowMs + 1 }, play.nowMs)
    play.nowMs += 1
    assert.equal(play.passed(12), 5)
  })

  it('count once, however often the task calls, and several add up', () => {
    const play = new Play()
    assert.equal(play.passed(6), 5)
    play.book.grant('run', { iterations: 2, untilMs: null }, play.nowMs)
    assert.equal(play.passed(9), 2)
    play.book.grant('run', { iterations: 2, untilMs: null }, play.nowMs)
    assert.equal(play.passed(9), 2)
  })

  it('hold for a task that was forgotten meanwhile and comes back', () => {
    const play = new Play()
    assert.equal(play.passed(1), 1)
    play.book.grant('run', { iterations: 3, untilMs: null }, play.nowMs)
    for (let other = 0; other < 1200; other += 1) play.call({ task: `other-${other}` })
    assert.equal(play.book.windowStartMs('run'), null, 'it is forgotten')
    assert.equal(play.passed(12), 8)
  })

  it('to a parent count from the first call of its sub-agent on', () => {
    const play = new Play()
    play.book.grant('parent', { iterations: 2, untilMs: null }, play.nowMs)
    assert.equal(play.passed(9, { task: 'agent-1', parent: 'parent' }), 7)
  })

  it('reach the session too, once', () => {
    const play = new Play()
    play.book.grant('one', { iterations: 3, untilMs: null }, play.nowMs)
    const session = { ...limits, maxIterations: 6 }
    assert.equal(play.passed(9, { task: 'one', session: 's' }, session), 8)
    assert.equal(play.passed(9, { task: 'two', session: 's' }, session), 1, 'six and the three that were granted')
  })

  it('add up to what is in force, each grant once', () => {
    const some = fc.record({ iterations: fc.nat(100), untilMs: fc.option(fc.nat(50)) })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 20 }), fc.nat(60), (drawn: readonly GrantAsk[], nowMs) => {
        const list = new GrantList()
        for (const ask of drawn) assert.equal(list.add(ask), true)
        for (const ask of drawn) assert.equal(list.add(ask), false)
        const inForce = drawn.filter(({ untilMs }) => untilMs === null || nowMs < untilMs)
        const expected = inForce.reduce((total, { iterations = 0 }) => total + iterations, 0)
        assert.equal(list.at(nowMs).iterations, expected)
      }),
    )
  })
})
