import assert from 'node:assert/strict'
import fc from 'fast-check'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { sessionLimits } from '../../../daemon/tasks/ceilings.ts'
import { TaskBook } from '../../../daemon/tasks/taskBook.ts'
import type { TaskAsk, TaskCall, TaskStanding } from '../../../daemon/tasks/task.ts'
import type { TaskLimits } from '../../../shared/config.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import { noUsage } from '../../../shared/usage.ts'
import { admittedCall, settledCall } from './calls.ts'

const limits: TaskLimits = basePlan.task!
const ask: TaskAsk = { inputTokens: 1000, worstCaseNanoEur: 20_000_000 }

function about(callId: string, change: Partial<TaskCall> = {}): TaskCall {
  return {
    callId,
    task: 'run',
    isNamed: true,
    parent: null,
    session: null,
    lasts: { task: true, session: true },
    tenant: 'acme',
    project: 'shop',
    client: 'agent/1.0',
    ...change,
  }
}

/** A book with the calls of a test on top: each has its own id, and time goes on by a second. */
class Play {
  readonly book = new TaskBook()
  nowMs = 1_000_000
  #calls = 0

  ask(
    change: Partial<TaskCall> = {},
    own: Partial<TaskLimits> = {},
    asked: Partial<TaskAsk> = {},
    times: number | null = null,
  ) {
    this.#calls += 1
    const callId = `call_${this.#calls}`
    const mine = { ...limits, ...own }
    const session = times === null ? null : sessionLimits(mine, times)
    const answer = this.book.ask(about(callId, change), { ...ask, ...asked }, mine, session, this.nowMs)
    return { ...answer, callId }
  }

  /** One whole call; returns the standing that it was judged with. */
  call(change: Partial<TaskCall> = {}, own: Partial<TaskLimits> = {}, costNanoEur = 3_000_000): TaskStanding {
    const { standing, callId } = this.ask(change, own)
    if (standing.stop === null) {
      const admitted = admittedCall({ id: callId, task: change.task ?? 'run', receivedAtMs: this.nowMs })
      this.book.started(admitted)
      this.nowMs += 1000
      this.book.settled(settledCall(admitted, { costNanoEur }))
    }
    return standing
  }

  calls(count: number, change: Partial<TaskCall> = {}, own: Partial<TaskLimits> = {}): TaskStanding[] {
    return Array.from({ length: count }, () => this.call(change, own))
  }
}

describe('TaskBook', () => {
  it('works with started and settled alone, and shows what a task used', () => {
    const book = new TaskBook()
    const admitted = admittedCall({ session: 's' })
    book.started(admitted)
    assert.deepEqual(book.settled(settledCall(admitted)), [])
    assert.deepEqual(book.status(10), [
      {
        id: 'run',
        named: false,
        session: 's',
        project: 'shop',
        client: 'agent/1.0',
        state: 'ok',
        iterations: 1,
        inputTokens: 800,
        wallSeconds: 1,
        startedAt: '1970-01-01T00:00:00.000Z',
        eur: 0.003,
        nearest: null,
        costIncomplete: false,
        forecast: null,
      },
    ])
    book.started(admittedCall({ id: 'call_2', task: null }))
    assert.equal(book.status(10).length, 1)
  })

  it('tells an id that somebody chose from one that the gate made up, and when the first call of each came', () => {
    const play = new Play()
    const firstMs = play.nowMs
    play.calls(2, { task: 's1-1', isNamed: false, session: 's1' })
    play.call({ task: 'helper', parent: 'run', isNamed: false })
    play.call({ task: 'run' })
    play.book.halt('told', play.nowMs)
    const known = (task: string): unknown[] => {
      const { named, startedAt } = play.book.statusOf(task, play.nowMs)!
      return [named, Date.parse(startedAt) - firstMs]
    }
    assert.deepEqual(known('s1-1'), [false, 0])
    assert.deepEqual(known('helper'), [false, 2000])
    assert.deepEqual(known('run'), [true, 2000], 'known by its sub-agent before it called itself')
    assert.deepEqual(known('told'), [true, 4000], 'halted by a person before its first call')
  })

  it('lists the latest task first, and no more than asked', () => {
    const play = new Play()
    for (const task of ['a', 'b', 'c', 'a']) play.call({ task })
    assert.deepEqual(
      play.book.status(2).map((task) => task.id),
      ['a', 'c'],
    )
  })

  it('lets 25 iterations through, refuses the 26th and tells each state once', () => {
    const play = new Play()
    const told: string[] = []
    const refused: number[] = []
    for (let at = 1; at <= 27; at += 1) {
      const { standing, changes, callId } = play.ask()
      for (const change of changes) told.push(`${at}: ${change.from} to ${change.to} by ${change.counter}`)
      if (standing.stop === null) {
        const admitted = admittedCall({ id: callId, receivedAtMs: play.nowMs })
        play.book.started(admitted)
        for (const change of play.book.settled(settledCall(admitted))) told.push(`after ${at}: ${change.to}`)
      } else refused.push(at)
    }
    assert.deepEqual(told, [
      '18: ok to warn by iterations',
      '22: warn to constrained by iterations',
      '26: constrained to halted by iterations',
    ])
    assert.deepEqual(refused, [26, 27])
    assert.equal(play.book.status(1)[0]!.state, 'halted')
    assert.equal(play.book.status(1)[0]!.iterations, 25)
  })

  it('A24: leaves another run of the same key alone', () => {
    const play = new Play()
    play.calls(26)
    assert.equal(play.call().stop, 'ceiling')
    assert.equal(play.call({ task: 'other' }).stop, null)
  })

  it('K17: refuses the 11th call of a task of 10 iterations, whoever makes it', () => {
    const play = new Play()
    const own = { maxIterations: 10 }
    const parent = play.calls(4, { session: 's' }, own)
    const child = play.calls(7, { task: 'agent-1', parent: 'run', session: 's' }, own)
    assert.deepEqual(
      [...parent, ...child].map((standing) => standing.stop),
      [...Array.from({ length: 10 }, () => null), 'ceiling'],
    )
    assert.equal(child.at(-1)!.ref, 'run')
    assert.deepEqual(
      play.book.status(10).map((task) => [task.id, task.iterations]),
      [['run', 10]],
    )
  })

  it('A21: a parent hears the same as its sub-agent, though its own call would still fit', () => {
    const play = new Play()
    play.calls(2)
    const child = play.ask({ task: 'agent-1', parent: 'run' }, {}, { inputTokens: 2_000_000 })
    assert.equal(child.standing.stop, 'ceiling')
    assert.equal(play.call().stop, 'ceiling')
  })

  it('A22: counts all sub-agents, and stops them by euros overnight', () => {
    const play = new Play()
    let made = 0
    for (let at = 0; at < 460; at += 1) {
      const own = { maxIterations: null, maxWallSeconds: null, maxInputTokens: null }
      if (play.call({ task: `agent-${at % 3}`, parent: 'run' }, own, nanoFromEur(0.1)).stop === null) made += 1
    }
    assert.equal(made, 50)
    assert.equal(play.book.status(1)[0]!.eur, 5)
  })

  it('a sub-agent that names itself, or a circle of them, ends nowhere', () => {
    const play = new Play()
    play.call({ task: 'a', parent: 'a' })
    play.call({ task: 'b', parent: 'c' })
    play.call({ task: 'c', parent: 'b' })
    assert.equal(play.call({ task: 'b', parent: 'c' }).stop, null)
  })

  it('calls made at once see each other: of 30, 25 go out', () => {
    const play = new Play()
    const stops = Array.from({ length: 30 }, () => play.ask().standing.stop)
    assert.equal(stops.filter((stop) => stop === null).length, 25)
  })

  it('A02: a call that only running calls stand in the way of is held, and its task is not halted', () => {
    const play = new Play()
    const dear = { worstCaseNanoEur: nanoFromEur(3) }
    const first = play.ask({}, {}, dear)
    const second = play.ask({}, {}, dear)
    assert.deepEqual([second.standing.stop, second.standing.state], ['held', 'ok'])
    play.book.dropped(first.callId, play.nowMs)
    assert.equal(play.ask({}, {}, dear).standing.stop, null)
  })

  it('gives the hold of a call back that another guard refused, and takes nothing twice', () => {
    const play = new Play()
    const { callId } = play.ask()
    play.book.dropped(callId, play.nowMs)
    play.book.dropped(callId, play.nowMs)
    const { standing } = play.ask()
    assert.deepEqual(standing.totals, {
      iterations: 0,
      inputTokens: 0,
      wallSeconds: 0,
      spentNanoEur: 0,
      reservedNanoEur: 0,
    })
  })

  it('A23: a call that never reached the upstream is no iteration, one that broke off unsettled stays spent', () => {
    const play = new Play()
    const unsent = admittedCall({ id: play.ask().callId })
    play.book.started(unsent)
    play.book.settled(settledCall(unsent, { settlement: 'released', usage: noUsage, costNanoEur: 0 }))
    const lost = admittedCall({ id: play.ask().callId })
    play.book.started(lost)
    play.book.dropped(lost.id, play.nowMs)
    const { iterations, eur } = play.book.status(1)[0]!
    assert.deepEqual([iterations, eur], [1, 0.02])
  })

  it('L02: counts each attempt of a retried call', () => {
    const play = new Play()
    for (const isRetry of [false, true]) {
      const admitted = admittedCall({ id: play.ask().callId, isRetry })
      play.book.started(admitted)
      play.book.settled(settledCall(admitted))
    }
    assert.equal(play.book.status(1)[0]!.iterations, 2)
    assert.equal(play.book.retries('run'), 1)
  })

  it('known answer 8: 31 searches and 4 sandbox runs put 0.175 euros on the task besides its tokens', () => {
    const play = new Play()
    play.call()
    for (let at = 0; at < 31; at += 1) play.book.charge('run', nanoFromEur(0.005), play.nowMs)
    for (let at = 0; at < 4; at += 1) play.book.charge('run', nanoFromEur(12.5 * 0.0004), play.nowMs)
    assert.equal(play.book.status(1)[0]!.eur, 0.178)
  })

  it('a charge above the ceiling halts the task', () => {
    const play = new Play()
    play.call()
    const [change] = play.book.charge('run', nanoFromEur(5), play.nowMs)
    assert.deepEqual([change?.to, change?.counter], ['halted', 'eur'])
    assert.equal(play.call().stop, 'ceiling')
  })
})

describe('TaskBook and people', () => {
  it('A19: refuses the first request of a task that a person halted before it was ever seen', () => {
    const play = new Play()
    assert.equal(play.book.halt('run', play.nowMs)[0]?.to, 'halted')
    const { standing } = play.ask()
    assert.deepEqual([standing.stop, standing.state, standing.haltedAtMs], ['person', 'halted', 1_000_000])
    assert.deepEqual(play.book.halt('run', play.nowMs), [])
  })

  it('K09: a resumed task has a fresh window; its totals go on', () => {
    const play = new Play()
    play.calls(26)
    const [change] = play.book.resume('run', play.nowMs)
    assert.deepEqual([change?.from, change?.to, change?.cause], ['halted', 'ok', 'resume'])
    assert.equal(play.calls(26).filter((standing) => standing.stop === null).length, 25)
    assert.equal(play.book.status(1)[0]!.iterations, 50)
  })

  it('a pause keeps the counters and stops the clock', () => {
    const play = new Play()
    play.calls(20)
    play.book.pause('run', play.nowMs)
    assert.equal(play.call().stop, 'pause')
    play.nowMs += 3_600_000
    play.book.resume('run', play.nowMs)
    const { stop, totals } = play.call()
    assert.deepEqual([stop, totals.iterations, totals.wallSeconds], [null, 20, 20])
  })

  it('halting a sub-agent leaves its parent alone, halting the parent stops both', () => {
    const play = new Play()
    const child = { task: 'agent-1', parent: 'run' }
    play.call()
    play.call(child)
    play.book.halt('agent-1', play.nowMs)
    assert.deepEqual([play.call(child).stop, play.call().stop], ['person', null])
    play.book.resume('agent-1', play.nowMs)
    play.book.halt('run', play.nowMs)
    assert.deepEqual([play.call(child).stop, play.call().stop], ['person', 'person'])
    play.book.resume('agent-1', play.nowMs)
    assert.equal(play.call(child).stop, 'person', 'the halt of the parent is not the child’s to lift')
  })

  it('a grant lifts the halt at a ceiling, and only that', () => {
    const play = new Play()
    play.calls(26)
    const [change] = play.book.grant('run', { iterations: 5, untilMs: null }, play.nowMs)
    assert.deepEqual([change?.from, change?.cause], ['halted', 'room'])
    assert.equal(play.calls(6).filter((standing) => standing.stop === null).length, 5)
    play.book.grant('run', { eur: 1, untilMs: null }, play.nowMs)
    assert.equal(play.call().stop, 'ceiling', 'euros do not help where iterations are used up')
    play.book.halt('run', play.nowMs)
    play.book.grant('run', { iterations: 50, untilMs: null }, play.nowMs)
    assert.equal(play.call().stop, 'person')
  })

  it('a grant for a time ends with it', () => {
    const play = new Play()
    const untilMs = play.nowMs + 40_000
    play.book.grant('run', { iterations: 100, untilMs }, play.nowMs)
    assert.equal(play.calls(30).filter((standing) => standing.stop === null).length, 30)
    play.nowMs = untilMs
    assert.equal(play.call().stop, 'ceiling')
  })

  it('a grant to a sub-agent is room for the task that it works for', () => {
    const play = new Play()
    const child = { task: 'agent-1', parent: 'run' }
    play.calls(26, child)
    play.book.grant('agent-1', { iterations: 1, untilMs: null }, play.nowMs)
    assert.equal(play.call().stop, null)
    assert.equal(play.call(child).stop, 'ceiling')
  })

  it('refuses to grant what is no amount', () => {
    const play = new Play()
    assert.throws(() => play.book.grant('run', { iterations: -1, untilMs: null }, 0), RangeError)
    assert.throws(() => play.book.grant('run', { eur: NaN, untilMs: null }, 0), RangeError)
  })

  it('limits that were raised while it ran lift a halt too', () => {
    const play = new Play()
    play.calls(26)
    assert.equal(play.call({}, { maxIterations: 40 }).stop, null)
  })

  it('finds the tasks that still call after their grace period, and no paused ones', () => {
    const play = new Play()
    play.calls(26)
    play.book.pause('resting', play.nowMs)
    const haltedAtMs = play.nowMs
    play.nowMs += 29_000
    play.call()
    play.call({ task: 'resting' })
    assert.deepEqual(play.book.stillCalling(play.nowMs, 30_000), [])
    play.nowMs += 2000
    play.call()
    play.call({ task: 'resting' })
    assert.deepEqual(play.book.stillCalling(play.nowMs, 30_000), [
      {
        scope: 'task',
        ref: 'run',
        session: null,
        client: 'agent/1.0',
        haltedAtMs,
        lastCallMs: play.nowMs,
        calls: 3,
      },
    ])
    assert.deepEqual(play.book.stillCalling(play.nowMs + 60_000, 30_000), [], 'it has stopped since')
  })
})

describe('TaskBook and sessions', () => {
  const own = { maxIterations: 5 }

  function turns(play: Play, tasks: readonly string[], count: number): (string | null)[] {
    return tasks.flatMap((task) =>
      Array.from({ length: count }, () => {
        const { standing, callId } = play.ask({ task, session: 's' }, own, {}, 2)
        if (standing.stop !== null) return standing.scope
        const admitted = admittedCall({ id: callId, task, session: 's' })
        play.book.started(admitted)
        play.book.settled(settledCall(admitted))
        return null
      }),
    )
  }

  it('K13: a new task begins at 0, and the session bounds what its tasks add up to', () => {
    const play = new Play()
    const stops = turns(play, ['one', 'two', 'three', 'four'], 3)
    assert.deepEqual(stops, [...Array.from({ length: 10 }, () => null), 'session', 'session'])
  })

  it('resume and grants reach the session that stands in the way', () => {
    const play = new Play()
    turns(play, ['one', 'two', 'three', 'four'], 3)
    play.book.grant('four', { iterations: 1, untilMs: null }, play.nowMs)
    assert.deepEqual(turns(play, ['five'], 2), [null, 'session'])
    play.book.resume('five', play.nowMs)
    assert.deepEqual(turns(play, ['six'], 2), [null, null])
  })

  it('has no bound of its own where no factor is given', () => {
    const play = new Play()
    for (let at = 0; at < 100; at += 1) assert.equal(play.call({ task: `t${at}`, session: 's' }).stop, null)
  })
})

describe('TaskBook in the long run', () => {
  it('keeps a bounded number of tasks, and neither halted ones nor those with running calls leave', () => {
    const play = new Play()
    play.book.halt('stopped', play.nowMs)
    const running = play.ask({ task: 'running' })
    for (let at = 0; at < 2000; at += 1) play.call({ task: `t${at}` })
    assert.equal(play.book.status(5000).length, 500)
    assert.equal(play.call({ task: 'stopped' }).stop, 'person')
    play.book.started(admittedCall({ id: running.callId, task: 'running' }))
    assert.equal(play.ask({ task: 'running' }).standing.totals.iterations, 1)
  })

  it('keeps the latest 200 turns and forecasts from them', () => {
    const play = new Play()
    play.calls(250, {}, { maxIterations: 1000, maxWallSeconds: null })
    assert.equal(play.book.turns('run').length, 200)
    assert.deepEqual(play.book.turns('run')[0], {
      newInputTokens: 500,
      cachedInputTokens: 300,
      outputTokens: 50,
      nanoEur: 3_000_000,
      atMs: 1_000_000 + 51_000,
    })
    assert.equal(play.book.status(1)[0]!.forecast?.haltsInTurns, 750)
  })

  it('never admits above a ceiling, and ends with nothing reserved, whatever happens in which order', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), nanoEur: fc.integer({ min: 0, max: 3_000_000_000 }) }),
      fc.record({
        kind: fc.constantFrom('settle' as const, 'drop' as const),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const book = new TaskBook()
        const open: { readonly id: string; readonly nanoEur: number }[] = []
        const own = { ...limits, maxIterations: 12 }
        let spent = 0
        let sent = 0
        const end = (kind: 'settle' | 'drop', share: number): void => {
          const call = open.shift()
          if (call === undefined) return
          if (kind === 'drop') return book.dropped(call.id, 0)
          const admitted = admittedCall({ id: call.id, reservedNanoEur: call.nanoEur })
          book.started(admitted)
          const costNanoEur = Math.floor(call.nanoEur * share)
          book.settled(settledCall(admitted, { costNanoEur }))
          spent += costNanoEur
          sent += 1
        }
        for (const [at, one] of steps.entries()) {
          if (one.kind !== 'ask') end(one.kind, one.share)
          else {
            const id = `call_${at}`
            const asked = { inputTokens: 800, worstCaseNanoEur: one.nanoEur }
            const { standing } = book.ask(about(id), asked, own, null, 0)
            if (standing.stop === null) open.push({ id, nanoEur: one.nanoEur })
          }
          const held = open.reduce((sum, call) => sum + call.nanoEur, 0)
          assert.ok(spent + held <= nanoFromEur(5), `${spent} spent and ${held} held`)
          assert.ok(sent + open.length <= 12)
        }
        while (open.length > 0) end('settle', 1)
        book.resume('run', 0)
        const { totals } = book.ask(about('last'), ask, own, null, 0).standing
        assert.deepEqual(totals, {
          iterations: 0,
          inputTokens: 0,
          wallSeconds: 0,
          spentNanoEur: 0,
          reservedNanoEur: 0,
        })
      }),
      { numRuns: 200 },
    )
  })
})
