import assert from 'node:assert/strict'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { taskCeilings } from '../../../daemon/guards/taskCeilings.ts'
import { sessionLimits } from '../../../daemon/tasks/ceilings.ts'
import { TaskBook } from '../../../daemon/tasks/taskBook.ts'
import type { TaskAsk, TaskCall, TaskStanding } from '../../../daemon/tasks/task.ts'
import type { TaskLimits } from '../../../shared/config.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import { judgeBy, refusalOf } from './guarded.ts'

const call: TaskCall = {
  callId: 'call',
  task: 'run',
  isNamed: true,
  parent: null,
  session: 's1',
  lasts: { task: false, session: false },
  tenant: 'acme',
  project: null,
  client: '',
}

/** Standing of the first call of a task. */
function standingOf(
  asked: Partial<TaskAsk>,
  limits: Partial<TaskLimits>,
  prepare: (book: TaskBook) => void = () => undefined,
  sessionTimes: number | null = null,
): TaskStanding {
  const book = new TaskBook()
  prepare(book)
  const ask = { inputTokens: 1000, worstCaseNanoEur: 20_000_000, ...asked }
  const own = { ...basePlan.task!, ...limits }
  const session = sessionTimes === null ? null : sessionLimits(own, sessionTimes)
  return book.ask(call, ask, own, session, 0).standing
}

function judge(standing: TaskStanding, explicitTask: string | null = null) {
  return judgeBy(taskCeilings, { state: { task: { standing, currency: 'EUR' } }, received: { explicitTask } })
}

describe('the guard on task ceilings', () => {
  it('lets a call of no task and one below the ceilings through', () => {
    assert.equal(judgeBy(taskCeilings).kind, 'allow')
    assert.equal(judge(standingOf({}, {})).kind, 'allow')
  })

  it('known answer 9: names the counter, the value, the limit and the field, and what to do', () => {
    const asked = { inputTokens: 900_000, worstCaseNanoEur: nanoFromEur(2.7) }
    const refusal = refusalOf(judge(standingOf(asked, { maxInputTokens: 850_000 })))
    assert.deepEqual(refusal, {
      code: 'task_halted',
      message:
        'Task run has reached its ceiling: with this call it comes to 900,000 input tokens, and plan agent allows 850,000 ' +
        'input tokens (plans.agent.task.maxInputTokens). It goes on with a new message from a person, with Resume in the ' +
        'Spend view of VS Code, or with "tollgate resume --scope task --ref run".',
      scope: 'task',
      scopeRef: 'run',
      window: 'task',
      kind: 'spent',
      unit: 'tokens',
      limit: 850_000,
      spent: 0,
      requested: 900_000,
    })
  })

  it('K16: calls an iteration by that name', () => {
    const refusal = refusalOf(judge(standingOf({}, { maxIterations: 0 })))
    assert.match(refusal.message, /comes to 1 iteration, and plan agent allows 0 iterations/)
    assert.deepEqual([refusal.unit, refusal.limit, refusal.spent, refusal.requested], ['calls', 0, 0, 1])
  })

  it('tells euros with what is spent, reserved and asked', () => {
    const refusal = refusalOf(judge(standingOf({ worstCaseNanoEur: nanoFromEur(6) }, {})))
    assert.match(refusal.message, /comes to 6\.00 EUR, and plan agent allows 5\.00 EUR/)
    assert.deepEqual(
      [refusal.unit, refusal.limit, refusal.spent, refusal.reserved, refusal.requested],
      ['eur', 5, 0, 0, 6],
    )
  })

  it('tells wall time as it stands', () => {
    const standing = standingOf({}, {}, (book) => {
      book.charge('run', 0, -400_000)
    })
    const refusal = refusalOf(judge(standing))
    assert.match(refusal.message, /it has run for 400 s, and plan agent allows 300 s/)
    assert.deepEqual([refusal.unit, refusal.limit, refusal.spent], [undefined, 300, 400])
  })

  it('does not promise that a message helps a task with a name of its own', () => {
    const refusal = refusalOf(judge(standingOf({}, { maxIterations: 0 }), 'run'))
    assert.doesNotMatch(refusal.message, /message from a person/)
    assert.match(refusal.message, /tollgate resume --scope task --ref run/)
  })

  it('says who stopped it where a person did', () => {
    const halted = refusalOf(judge(standingOf({}, {}, (book) => void book.halt('run', 0))))
    assert.match(halted.message, /^Task run was halted by a person\. It goes on with Resume in the Spend view/)
    assert.equal(halted.limit, undefined)
    const paused = refusalOf(judge(standingOf({}, {}, (book) => void book.pause('run', 0))))
    assert.match(paused.message, /^Task run is paused by a person\./)
  })

  it('tells a task whose euros are only held by running calls from one that has spent them', () => {
    const standing = standingOf({ worstCaseNanoEur: nanoFromEur(3) }, {}, (book) => {
      const running = { ...call, callId: 'running' }
      book.ask(running, { inputTokens: 10, worstCaseNanoEur: nanoFromEur(4) }, basePlan.task, null, 0)
    })
    const refusal = refusalOf(judge(standing))
    assert.equal(refusal.kind, 'held')
    assert.match(refusal.message, /0\.00 spent and 4\.00 reserved of 5\.00 EUR; this call needs up to 3\.00/)
  })

  it('names the session where that one is at its ceiling', () => {
    assert.equal(standingOf({ inputTokens: 1500 }, { maxInputTokens: 2000 }).stop, null)
    const earlier = (book: TaskBook): void => {
      const asked = { inputTokens: 1000, worstCaseNanoEur: 0 }
      book.ask({ ...call, callId: 'earlier', task: 'earlier' }, asked, null, null, 0)
    }
    const session = standingOf({ inputTokens: 1500 }, { maxInputTokens: 2000 }, earlier, 1)
    const refusal = refusalOf(judge(session))
    assert.deepEqual([refusal.scope, refusal.scopeRef, refusal.limit], ['session', 's1', 2000])
    assert.equal(
      refusal.message,
      'Session s1 has reached its ceiling: with this call it comes to 2,500 input tokens, and all its tasks together may ' +
        'take 2,000 input tokens. A new message does not help: it goes on with a grant to task run, with a higher ' +
        'plans.agent.task.sessionTimes, with Resume in the Spend view of VS Code, or with "tollgate resume --scope task ' +
        '--ref run". A new session begins at 0.',
    )
  })
})
