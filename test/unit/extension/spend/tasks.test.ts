import assert from 'node:assert/strict'
import { createFigures } from '../../../../extension/ui/figures.ts'
import { tasksNode } from '../../../../extension/ui/spendTasks.ts'
import type { TaskStatus } from '../../../../shared/status.ts'
import { figures, loop, status, task, text } from '../support.ts'
import { drawn, nowMs, read, row } from './parts.ts'

describe('tasks in the Spend view', () => {
  it('say state, calls, euros and about how many calls are left', () => {
    const forecast = { haltsInTurns: 6, eurAtHalt: 1.9 }
    const node = row(drawn({ tasks: [task({ state: 'warn', iterations: 19, eur: 1.02, forecast })] }), 'task/shop-3')
    assert.equal(node.description, 'near its ceiling · 19 calls · €1.02 · about 6 calls left')
    assert.equal(node.spoken, 'Task shop-3 (claude-cli/2.1), near its ceiling, 19 calls, €1.02, about 6 calls left.')
    assert.match(node.tooltip, /About 6 more calls fit; the task will have cost €1\.90 then\./)
    assert.match(node.tooltip, /Closest to its ceiling: calls/)
    assert.deepEqual([node.icon, node.tone], ['warning', 'warning'])
  })

  it('say how close they are to what they may cost in the currency of the gate', () => {
    const forecast = { haltsInTurns: 6, eurAtHalt: 1.9 }
    const close = status({ currency: 'USD', tasks: [task({ nearest: 'eur', forecast })] })
    const tooltip = (currency: string): string =>
      tasksNode(close, nowMs, text, createFigures('en', currency))[0]!.children[0]!.tooltip
    assert.match(tooltip('USD'), /will have cost \$1\.90 then\.\nClosest to its ceiling: US dollars\n/)
    assert.match(tooltip('EUR'), /\nClosest to its ceiling: euros\n/)
  })

  it('without a name are called by who calls and since when, and keep the id for the tooltip and the menu', () => {
    const id = 's239c2ce0cd000002-1'
    const made = task({ id, named: false, client: 'OpenAI/JS' })
    const node = row(drawn({ tasks: [made] }), `task/${id}`)
    const since = figures.when(made.startedAt, nowMs)
    assert.equal(node.label, `OpenAI/JS, ${since}`)
    assert.ok(node.spoken.startsWith(`A task of OpenAI/JS (since ${since}), idle, `))
    assert.ok(node.tooltip.startsWith(`${id}\n`))
    assert.deepEqual([node.task, node.menu], [id, ['stop', 'calls']])
    const unknown = row(drawn({ tasks: [{ ...made, client: '' }] }), `task/${id}`)
    assert.equal(unknown.label, `unknown client, ${since}`)
    const lastWeek = { ...made, startedAt: '2026-11-23T08:14:00.000Z' }
    assert.match(row(drawn({ tasks: [lastWeek] }), `task/${id}`).label, /^OpenAI\/JS, November 23/)
  })

  it('of an older gate, which does not say whose id it is, keep theirs', () => {
    const id = 's239c2ce0cd000002-1'
    const fields = Object.entries(task({ id })).filter(([name]) => name !== 'named' && name !== 'startedAt')
    const older = Object.fromEntries(fields) as unknown as TaskStatus
    assert.equal(row(drawn({ tasks: [older] }), `task/${id}`).label, id)
  })

  it('are running only while a call of theirs runs', () => {
    assert.equal(row(drawn({ tasks: [task()] }), 'task/shop-3').description, 'idle · 7 calls · €0.84')
    const inFlight = [{ call: 'a', task: 'shop-3', model: 'gpt-5', elapsedMs: 10, outputTokens: 0 }]
    assert.match(row(drawn({ tasks: [task()], inFlight }), 'task/shop-3').description, /^running · /)
  })

  it('come in the order in which they need somebody, then the dearest first', () => {
    const tasks = [
      task({ id: 'cheap', eur: 0.1 }),
      task({ id: 'dear', eur: 2 }),
      task({ id: 'close', state: 'warn' }),
      task({ id: 'tight', state: 'constrained' }),
      task({ id: 'circling', eur: 0.2, loop }),
      task({ id: 'stopped', state: 'halted' }),
    ]
    const { children, description } = row(drawn({ tasks }), 'tasks')
    assert.deepEqual(
      children.map(({ label }) => label),
      ['stopped', 'circling', 'tight', 'close', 'dear', 'cheap'],
    )
    assert.equal(description, '6')
  })

  it('do not swap places with each call: equal ones stand by their id, however the status lists them', () => {
    const tasks = ['b', 'a', 'c'].map((id) => task({ id, eur: 0 }))
    const order = (list: typeof tasks): readonly string[] =>
      row(drawn({ tasks: list }), 'tasks').children.map(({ label }) => label)
    assert.deepEqual(order(tasks), ['a', 'b', 'c'])
    assert.deepEqual(order([...tasks].reverse()), ['a', 'b', 'c'])
  })

  it('offer what their state allows: stop or resume, and always their calls', () => {
    const forecast = { haltsInTurns: 6, eurAtHalt: 1.9 }
    const nodes = drawn({
      tasks: [task({ id: 'ok' }), task({ id: 'halted', state: 'halted' }), task({ id: 'circling', forecast, loop })],
    })
    assert.deepEqual(row(nodes, 'task/ok').menu, ['stop', 'calls'])
    assert.deepEqual(row(nodes, 'task/halted').menu, ['resume', 'calls'])
    assert.deepEqual(row(nodes, 'task/circling').menu, ['resume', 'calls'])
    assert.match(row(nodes, 'task/circling').description, /^halted, repeats read_page · /)
    assert.equal(row(nodes, 'task/circling').task, 'circling')
    const shown = [row(nodes, 'task/circling').description, row(nodes, 'task/circling').tooltip].join('\n')
    assert.doesNotMatch(shown, /calls left|more calls fit/, 'no call fits while it is halted')
  })

  it('with an id that no address can carry cannot be steered, only looked at', () => {
    assert.deepEqual(row(drawn({ tasks: [task({ id: 'a/b' })] }), 'task/a/b').menu, ['calls'])
  })

  it('E01: never show a cost that is not known in full as if it were', () => {
    const cost = (eur: number): string =>
      row(drawn({ tasks: [task({ eur, costIncomplete: true })] }), 'task/shop-3').description
    assert.equal(cost(0), 'idle · 7 calls · €?')
    assert.equal(cost(0.3), 'idle · 7 calls · ≥ €0.30')
  })

  it('are left out while all that they did was refused', () => {
    const refused = task({ iterations: 0, eur: 0 })
    assert.ok(!drawn({ tasks: [refused] }).some(({ id }) => id === 'tasks'))
    assert.ok(row(drawn({ tasks: [{ ...refused, state: 'halted' }] }), 'task/shop-3'))
    const inFlight = [{ call: 'a', task: 'shop-3', model: 'gpt-5', elapsedMs: 10, outputTokens: 0 }]
    assert.ok(row(drawn({ tasks: [refused], inFlight }), 'task/shop-3'))
  })

  it('without a project say so', () => {
    assert.match(row(drawn({ tasks: [task({ project: null })] }), 'task/shop-3').tooltip, /Project: no project/)
  })

  it('beyond fifteen are behind a closed row', () => {
    const tasks = Array.from({ length: 50 }, (_, index) => task({ id: `t${index}`, eur: 50 - index }))
    const { children } = row(drawn({ tasks }), 'tasks')
    assert.deepEqual(read(children.slice(-1)), ['35 more | '])
    assert.equal(children.at(-1)!.children.length, 35)
  })
})
