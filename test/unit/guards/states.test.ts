import assert from 'node:assert/strict'
import { amountOf, stateText } from '../../../daemon/guards/states.ts'
import type { StateChange } from '../../../daemon/tasks/task.ts'

const change: StateChange = {
  scope: 'task',
  ref: 'run',
  session: null,
  tenant: 'acme',
  project: null,
  client: '',
  from: 'ok',
  to: 'warn',
  cause: 'ceiling',
  counter: 'iterations',
  value: 18,
  limit: 25,
  atMs: 0,
}

describe('texts of state changes', () => {
  it('name the task, the counter that climbs and what follows', () => {
    assert.equal(stateText(change, 'EUR'), 'Task run comes near its ceiling: 18 of 25 iterations.')
    assert.equal(
      stateText({ ...change, to: 'constrained', counter: 'eur', value: 4.3, limit: 5 }, 'EUR'),
      'Task run is close to its ceiling, and its next calls are made smaller: 4.30 of 5.00 EUR.',
    )
    assert.equal(
      stateText({ ...change, scope: 'session', to: 'halted', counter: 'wallSeconds', value: 301.2, limit: 300 }, 'EUR'),
      'Session run has reached its ceiling, and its calls are refused: 301 of 300 s.',
    )
  })

  it('say what a person did', () => {
    const by = (cause: StateChange['cause'], to: StateChange['to']): string =>
      stateText({ ...change, cause, to, counter: null }, 'EUR')
    assert.match(by('person', 'halted'), /halted by a person/)
    assert.match(by('pause', 'halted'), /paused.*clock stands still/)
    assert.match(by('resume', 'ok'), /resumed/)
    assert.match(by('room', 'warn'), /more room/)
  })

  it('write amounts as people read them', () => {
    assert.equal(amountOf('inputTokens', 850_000, 'EUR'), '850,000 input tokens')
    assert.equal(amountOf('iterations', 1, 'EUR'), '1 iteration')
    assert.equal(amountOf('eur', 0.0032, 'CHF'), '0.0032 CHF')
    assert.equal(amountOf('eur', 0, 'EUR'), '0.00 EUR')
  })
})
