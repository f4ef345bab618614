import assert from 'node:assert/strict'
import { basePlan } from '../../../daemon/config/defaults.ts'
import type { TaskOrder, TaskSoFar } from '../../../daemon/ledger/ledger.ts'
import { sessionLimits } from '../../../daemon/tasks/ceilings.ts'
import type { TaskPast } from '../../../daemon/tasks/past.ts'
import type { TaskCall, TaskStanding } from '../../../daemon/tasks/task.ts'
import { TaskBook } from '../../../daemon/tasks/taskBook.ts'
import type { TaskLimits } from '../../../shared/config.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import { admittedCall, settledCall } from './calls.ts'

const limits: TaskLimits = { ...basePlan.task!, maxIterations: 4 }
const startMs = 1_800_000_000_000

/** What the ledger would hold: settled calls by task, and the orders. Books come and go on top of it. */
class Played {
  readonly asked: string[] = []
  readonly #calls = new Map<string, TaskSoFar>()
  readonly #orders = new Map<string, TaskOrder>()
  book = this.#open()
  nowMs = startMs
  #ids = 0

  /** The daemon dies and another one starts. */
  restart(): void {
    this.book = this.#open()
    this.asked.length = 0
  }

  ask(change: Partial<TaskCall> = {}, session: TaskLimits | null = null): TaskStanding & { readonly id: string } {
    this.#ids += 1
    const id = `call_${this.#ids}`
    const call = {
      callId: id,
      task: 'run',
      isNamed: true,
      parent: null,
      session: null,
      lasts: { task: true, session: true },
      tenant: 'acme',
      project: null,
      client: 'agent',
      ...change,
    }
    const asked = { inputTokens: 1000, worstCaseNanoEur: 20_000_000 }
    return { ...this.book.ask(call, asked, limits, session, this.nowMs).standing, id }
  }

  /** One whole call; returns why it was stopped. */
  call(change: Partial<TaskCall> = {}, session: TaskLimits | null = null): string | null {
    const { stop, id } = this.ask(change, session)
    if (stop !== null) return stop
    const task = change.task ?? 'run'
    const admitted = admittedCall({ id, task, session: change.session ?? null, receivedAtMs: this.nowMs })
    this.book.started(admitted)
    const settled = settledCall(admitted)
    this.book.settled(settled)
    for (const name of [task, ...(change.session === undefined ? [] : [String(change.session)])]) {
      const before = this.#calls.get(name)
      this.#calls.set(name, {
        calls: (before?.calls ?? 0) + 1,
        inputTokens: (before?.inputTokens ?? 0) + 800,
        spentNanoEur: (before?.spentNanoEur ?? 0) + settled.costNanoEur,
        firstMs: before?.firstMs ?? this.nowMs,
        lastMs: this.nowMs,
      })
    }
    this.nowMs += 1000
    return null
  }

  keep(task: string): void {
    for (const order of this.book.orders(task, this.nowMs)) this.#orders.set(`${order.scope} ${order.ref}`, order)
  }

  #open(): TaskBook {
    return new TaskBook((scope, ref): TaskPast | null => {
      this.asked.push(`${scope} ${ref}`)
      const life = this.#calls.get(ref) ?? null
      const order = this.#orders.get(`${scope} ${ref}`) ?? null
      if (life === null && order === null) return null
      const firstMs = life?.firstMs ?? order?.atMs ?? 0
      const resumedMs = order?.windowFromMs ?? firstMs
      return { life, window: resumedMs > (life?.lastMs ?? 0) ? null : life, windowFromMs: resumedMs, order }
    })
  }
}

describe('TaskBook over a restart', () => {
  it('goes on where it was: one of four calls is left', () => {
    const played = new Played()
    for (let at = 0; at < 3; at += 1) assert.equal(played.call(), null)
    played.restart()
    assert.deepEqual([played.call(), played.call()], [null, 'ceiling'])
    const [task] = played.book.status(1)
    assert.deepEqual([task?.iterations, task?.inputTokens, task?.eur, task?.state], [4, 3200, 0.012, 'halted'])
  })

  it('asks once for a name of the client, and never for one of its own', () => {
    const played = new Played()
    const unnamed = { task: 's1-1', session: 's1', lasts: { task: false, session: false } }
    for (let at = 0; at < 3; at += 1) {
      played.call({ session: 'work' })
      played.call(unnamed)
    }
    assert.deepEqual(played.asked, ['task run', 'session work'])
  })

  it('asks again for a task that it has forgotten', () => {
    const played = new Played()
    for (let at = 0; at < 4; at += 1) played.call()
    played.nowMs += 1000
    for (let at = 0; at < 600; at += 1) played.call({ task: `t${at}`, lasts: { task: false, session: false } })
    assert.equal(played.call(), 'ceiling')
    assert.deepEqual(played.asked, ['task run', 'task run'])
  })

  it('counts time from the first arrival, the time without a daemon too', () => {
    const played = new Played()
    played.call()
    played.restart()
    played.nowMs = startMs + 301_000
    assert.equal(played.ask().verdict.nearest, 'wallSeconds')
  })

  it('begins a new window for a task that was quiet for an hour, and its totals go on', () => {
    const played = new Played()
    for (let at = 0; at < 4; at += 1) played.call()
    played.restart()
    played.nowMs += 3_600_000
    assert.equal(played.call(), null)
    assert.equal(played.book.status(1)[0]?.iterations, 5)
  })

  it('A19: a halt and a pause stand, and a resume lifts them for good', () => {
    const played = new Played()
    played.call()
    for (const stop of ['halt', 'pause'] as const) {
      const said = stop === 'halt' ? 'person' : 'pause'
      assert.equal(played.book.nextStop('run', played.nowMs), null)
      played.book[stop]('run', played.nowMs)
      assert.equal(played.book.nextStop('run', played.nowMs), said)
      played.keep('run')
      played.restart()
      assert.equal(played.book.statusOf('run', played.nowMs)?.state, 'halted')
      assert.equal(played.call(), said)
      played.restart()
      played.book.resume('run', played.nowMs)
      played.keep('run')
      played.restart()
      assert.equal(played.call(), null)
    }
  })

  it('K09: a window that a resume began is still that one', () => {
    const played = new Played()
    for (let at = 0; at < 4; at += 1) played.call()
    assert.equal(played.call(), 'ceiling')
    played.book.resume('run', played.nowMs)
    played.keep('run')
    played.restart()
    assert.equal(played.call(), null)
    assert.equal(played.ask().totals.iterations, 1)
    assert.equal(played.book.statusOf('run', played.nowMs)?.iterations, 6, 'the running one counts')
  })

  it('keeps what was charged, to the session too', () => {
    const played = new Played()
    played.call({ session: 'work' })
    played.book.charge('run', nanoFromEur(1.25), played.nowMs)
    played.keep('run')
    played.restart()
    const { totals } = played.ask({ session: 'work' })
    assert.equal(totals.spentNanoEur, nanoFromEur(1.253))
    const session = played.ask({ task: 'other', session: 'work' }, sessionLimits(limits, 1, { ...limits, maxEur: 1 }))
    assert.deepEqual([session.scope, session.totals.spentNanoEur], ['session', nanoFromEur(1.253)])
  })

  it('K13: a session ceiling holds over a restart', () => {
    const played = new Played()
    const bound = sessionLimits(limits, 1)
    for (const task of ['one', 'two', 'three']) assert.equal(played.call({ task, session: 'work' }, bound), null)
    played.restart()
    assert.equal(played.call({ task: 'four', session: 'work' }, bound), null)
    const { stop, scope, task } = played.ask({ task: 'five', session: 'work' }, bound)
    assert.deepEqual([stop, scope, task], ['ceiling', 'session', 'five'])
  })

  it('a history that fails counts nothing and is asked again', () => {
    let fails = true
    const book = new TaskBook(() => {
      if (fails) throw new Error('the disk is gone')
      return null
    })
    const call = { callId: 'c', task: 'run', parent: null, session: null, lasts: { task: true, session: false } }
    const ask = (): TaskStanding =>
      book.ask(
        { ...call, isNamed: true, tenant: '', project: null, client: '' },
        { inputTokens: 1, worstCaseNanoEur: 1 },
        limits,
        null,
        0,
      ).standing
    assert.throws(ask, /the disk is gone/)
    assert.deepEqual(book.status(10), [])
    fails = false
    assert.equal(ask().totals.iterations, 0)
  })
})

describe('the ceilings of a session', () => {
  it('are not below what its task was given, and have no clock', () => {
    const given = { ...limits, maxEur: 500, maxIterations: 1 }
    const { maxEur, maxIterations, maxInputTokens, maxWallSeconds } = sessionLimits(limits, 2, given)
    assert.deepEqual([maxEur, maxIterations, maxInputTokens, maxWallSeconds], [500, 8, 4_000_000, null])
  })

  it('are none where the plan has none', () => {
    assert.equal(sessionLimits({ ...limits, maxEur: null }, 2, limits).maxEur, null)
  })
})
