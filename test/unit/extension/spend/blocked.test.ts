import assert from 'node:assert/strict'
import { refusalCodes } from '../../../../shared/codes.ts'
import { figures, task } from '../support.ts'
import { drawn, event, nowMs, read, row } from './parts.ts'

const at = (minute: string): string => `2026-11-30T11:${minute}:00.000Z`

const budget = {
  code: 'budget_exhausted',
  scope: 'user',
  scopeRef: 'ada',
  window: 'day',
  unit: 'eur',
  kind: 'spent',
  limit: 10,
  resetsAt: '2026-12-01T00:00:00+01:00',
}

describe('blocked calls in the Spend view', () => {
  it('stand below their codes, the code that refused last first', () => {
    const nodes = drawn({}, [
      event('refused', { code: 'task_halted', task: 'a', time: at('05') }),
      event('refused', { ...budget, time: at('10') }),
      event('refused', { code: 'task_halted', task: 'b', time: at('20') }),
    ])
    assert.equal(row(nodes, 'blocked').description, '3 calls')
    assert.deepEqual(read(row(nodes, 'blocked').children), ['Task halted | 2 calls', 'Budget used up | 1 call'])
    assert.deepEqual(
      row(nodes, 'blocked/task_halted').children.map((node) => node.task),
      ['b', 'a'],
    )
  })

  it('say a used-up budget with its figures, a held one, and a cap of 0', () => {
    const label = (changes: Record<string, unknown>): string =>
      row(drawn({}, [event('refused', { ...budget, ...changes })]), 'blocked/budget_exhausted').children[0]!.label
    assert.match(label({}), /^The budget is used up: €10\.00 a day for you\. Calls are refused until midnight\.$/)
    assert.equal(
      label({ kind: 'held', unit: 'tokens', limit: 6000 }),
      'Running calls hold what is left of the budget: 6k tokens a day for you.',
    )
    assert.equal(label({ limit: 0 }), 'The budget is 0, so paid calls are off: €0.00 a day for you.')
  })

  it('say the other frequent reasons with their figures as well', () => {
    const label = (code: string, changes: Record<string, unknown>): string =>
      row(drawn({}, [event('refused', { code, ...changes })]), `blocked/${code}`).children[0]!.label
    const task = { scope: 'task', scopeRef: 'shop-3' }
    for (const [code, changes, says] of [
      [
        'task_halted',
        { ...task, kind: 'spent', unit: 'calls', limit: 25 },
        'Task shop-3 has reached its ceiling: 25 calls.',
      ],
      ['task_halted', { ...task, kind: 'spent', limit: 600 }, 'Task shop-3 has reached its ceiling: 10 minutes.'],
      [
        'task_halted',
        { ...task, kind: 'held', unit: 'eur', limit: 5 },
        'Task shop-3: running calls hold what is left of €5.00.',
      ],
      ['task_halted', { ...task, kind: null, scope: 'session' }, 'Session shop-3 was stopped by a person.'],
      ['loop_halted', { ...task, limit: 4, spent: 5 }, 'Task shop-3 repeats itself: the same step came 5 times.'],
      [
        'velocity',
        { ...task, limit: 0.5 },
        'Task shop-3 spends more than €0.50 a minute. Its paid calls are refused until it is slower.',
      ],
      [
        'rate_limited',
        { scope: 'key', scopeRef: 'k', unit: 'calls', limit: 60 },
        'Key k is over the limit of its plan: 60 calls.',
      ],
      [
        'rate_limited',
        { scope: 'key', scopeRef: 'k', unit: 'tokens', limit: 60_000 },
        'Key k is over the limit of its plan: 60k tokens.',
      ],
      ['killed', { scope: 'global' }, 'All model calls are stopped.'],
      ['killed', { scope: 'tenant', scopeRef: 'acme' }, 'Stopped: account acme'],
      [
        'context_overflow',
        { requested: 9000, limit: 4096 },
        'About 9,000 tokens were to be sent, and the model reads 4,096 at once.',
      ],
      [
        'conversation_too_long',
        { requested: 9000, limit: 4096 },
        'The conversation has 9,000 tokens; the plan allows 4,096.',
      ],
      ['message_too_long', { requested: 9000, limit: 4096 }, 'A message has 9,000 characters; the plan allows 4,096.'],
      [
        'reasoning_exceeds_output',
        { requested: 9000, limit: 4096 },
        '9,000 tokens of thinking leave no room for an answer in 4,096.',
      ],
      [
        'unpriced_model',
        { scope: 'model', scopeRef: 'new' },
        'new has no known price, so no cap on its cost could hold.',
      ],
      ['upstream_unreachable', { upstream: 'ollama' }, 'ollama could not be reached.'],
      ['upstream_timeout', { upstream: 'ollama' }, 'ollama did not answer in time.'],
    ] as const) {
      assert.equal(label(code, changes), says)
    }
    assert.match(label('restart_storm', { limit: 5 }), /^The same task was started 5 times/)
  })

  it('say any other reason in a few words, and what the client was told in the last line of the tooltip', () => {
    const message = 'The plan does not allow "gpt-4.1". Nothing was sent. Add it to plans.chat.models.'
    const nodes = drawn({}, [
      event('refused', { code: 'model_not_allowed', message, project: 'shop', upstream: 'openai' }),
    ])
    const node = row(nodes, 'blocked/model_not_allowed').children[0]!
    assert.equal(node.label, 'Model not allowed')
    assert.match(
      node.tooltip,
      /^Model not allowed\nOnce, at .*\nProject: shop\nProvider: openai\nThe plan does not allow/,
    )
    assert.ok(node.tooltip.endsWith(message))
    assert.match(node.spoken, /^Model not allowed\. Once, at .*\. Project: shop\. Provider: openai\.$/)
  })

  it('fall back to the code where the daemon sent no figures, and to a word where it is newer', () => {
    const nodes = drawn({}, [event('refused', { code: 'velocity' }), event('refused', { code: 'from_the_future' })])
    assert.equal(row(nodes, 'blocked/velocity').children[0]!.label, 'Spent too fast')
    assert.equal(row(nodes, 'blocked/from_the_future').label, 'Refused')
  })

  it('have a title for every code', () => {
    for (const code of Object.keys(refusalCodes)) {
      const { label } = row(drawn({}, [event('refused', { code })]), `blocked/${code}`)
      assert.ok(label !== 'Refused' && label.length < 32, code)
    }
  })

  it('name the process of a halted task whose connection was closed', () => {
    const severed = { code: 'task_halted', task: 'a', severed: true }
    const label = (changes: Record<string, unknown>): string =>
      row(drawn({}, [event('refused', { ...severed, ...changes })]), 'blocked/task_halted').children[0]!.label
    assert.match(label({ pid: 77, process: 'python3' }), /its connection was closed\. Process: python3 \(77\)\.$/)
    assert.match(label({ pid: null, process: null }), /its connection was closed\.$/)
  })

  it('call a task without a name by who calls and since when, and keep its id in the tooltip', () => {
    const made = task({ id: 's239c2ce0cd000002-1', named: false, client: 'OpenAI/JS' })
    const told = { scope: 'task', scopeRef: made.id, limit: 4, spent: 5 }
    const nodes = drawn({ tasks: [made] }, [event('refused', { code: 'loop_halted', ...told })])
    const node = row(nodes, 'blocked/loop_halted').children[0]!
    const since = figures.when(made.startedAt, nowMs)
    assert.equal(node.label, `A task of OpenAI/JS (since ${since}) repeats itself: the same step came 5 times.`)
    assert.match(node.tooltip, /\nTask: s239c2ce0cd000002-1$/)
    assert.equal(node.task, made.id)
  })

  it('are one row that counts, however often a client asks again with other figures', () => {
    const events = Array.from({ length: 30 }, (_, index) =>
      event('refused', { ...budget, limit: 10 + index, message: `${index} of 10`, time: at(String(10 + index)) }),
    )
    const { children, description } = row(drawn({}, events), 'blocked/budget_exhausted')
    assert.equal(description, '30 calls')
    assert.equal(children.length, 1)
    assert.match(children[0]!.description, /^30× · /)
    assert.match(children[0]!.tooltip, /30 times, last at /)
  })

  it('are different rows for different tasks, projects and models', () => {
    const message = (model: string): string => `The plan does not allow "${model}".`
    const nodes = drawn({}, [
      event('refused', { code: 'model_not_allowed', message: message('a') }),
      event('refused', { code: 'model_not_allowed', message: message('b') }),
      event('refused', { ...budget, project: 'shop' }),
      event('refused', { ...budget, project: 'till' }),
    ])
    assert.equal(row(nodes, 'blocked/model_not_allowed').children.length, 2)
    assert.equal(row(nodes, 'blocked/budget_exhausted').children.length, 2)
  })

  it('offer the calls of their task, where they have one', () => {
    const nodes = drawn({}, [
      event('refused', { code: 'velocity', scope: 'task', scopeRef: 'fast' }),
      event('refused', { code: 'rate_limited', scope: 'key', scopeRef: 'k' }),
    ])
    const [fast, key] = [row(nodes, 'blocked/velocity').children[0]!, row(nodes, 'blocked/rate_limited').children[0]!]
    assert.deepEqual([fast.task, fast.menu], ['fast', ['calls']])
    assert.deepEqual([key.task, key.menu], [null, []])
  })

  it('of yesterday are gone, by the calendar of the configured zone', () => {
    const nodes = drawn({}, [
      event('refused', { code: 'killed', time: '2026-11-29T22:59:59.000Z' }),
      event('refused', { code: 'velocity', time: '2026-11-29T23:00:01.000Z' }),
    ])
    assert.deepEqual(
      row(nodes, 'blocked').children.map(({ id }) => id),
      ['blocked/velocity'],
    )
  })

  it('beyond ten of a code are behind a closed row, and beyond 500 the number is a floor', () => {
    const events = Array.from({ length: 600 }, (_, index) =>
      event('refused', { code: 'invalid_key', message: `Key ${index} is wrong.` }),
    )
    const nodes = drawn({}, events)
    assert.equal(row(nodes, 'blocked').description, '500+ calls')
    const { children } = row(nodes, 'blocked/invalid_key')
    assert.equal(children.length, 11)
    assert.ok(children[0]?.tooltip.endsWith('Key 599 is wrong.'))
    assert.ok(children.at(-1)!.children.length <= 200)
  })
})
