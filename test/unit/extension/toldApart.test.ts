import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pageOf } from '../../../extension/dashboard/pageOf.ts'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import { guardNotice } from '../../../extension/ui/guardNotices.ts'
import { taskEntries } from '../../../extension/ui/taskEntries.ts'
import { labelOfTask, nameOfTask, taskToName } from '../../../extension/ui/taskName.ts'
import { toldApart } from '../../../extension/ui/toldApart.ts'
import { renderTooltip } from '../../../extension/ui/tooltip.ts'
import type { TaskStatus } from '../../../shared/status.ts'
import { data, state } from './dashboard/sample.ts'
import { drawn, nowMs, row } from './spend/parts.ts'
import { figures, status, task, text } from './support.ts'

/** A task without a name, of one client. */
function unnamed(id: string, startedAt: string, changes: Partial<TaskStatus> = {}): TaskStatus {
  return task({ id, named: false, client: 'OpenAI/JS', startedAt, ...changes })
}

const first = unnamed('s239c2ce0cd000001-1', '2026-11-30T09:14:05.000Z')
const second = unnamed('s239c2ce0cd000002-1', '2026-11-30T09:14:32.000Z')
const later = unnamed('s239c2ce0cd000003-1', '2026-11-30T09:20:00.000Z')
const tasks = [first, second, later]

const minute = (one: TaskStatus): string => figures.when(one.startedAt, nowMs)
const exactly = (one: TaskStatus): string => figures.whenExactly(one.startedAt, nowMs)
const labels = (all: readonly TaskStatus[]): readonly string[] =>
  toldApart(all, nowMs, text, figures).map((one) => labelOfTask(one, nowMs, text, figures))
const expected = [`OpenAI/JS, ${exactly(first)}`, `OpenAI/JS, ${exactly(second)}`, `OpenAI/JS, ${minute(later)}`]

describe('tasks of one client that began in the same minute', () => {
  it('are called by the second, and the others as always', () => {
    assert.deepEqual(labels(tasks), expected)
    assert.match(exactly(first), /:14:05/)
    assert.equal(toldApart([first, later], nowMs, text, figures)[0], first)
    const other = { ...second, client: 'claude-cli/2.1' }
    assert.deepEqual(labels([first, other]), [`OpenAI/JS, ${minute(first)}`, `claude-cli/2.1, ${minute(other)}`])
  })

  it('are numbered in their order where the second is the same as well', () => {
    const same = { ...second, startedAt: '2026-11-30T09:14:05.800Z' }
    assert.deepEqual(labels([same, first, later]), [
      `OpenAI/JS, ${exactly(first)} #2`,
      `OpenAI/JS, ${exactly(first)} #1`,
      expected[2],
    ])
  })

  it('are two rows of the Spend view, for the eye and for the ear', () => {
    const nodes = tasks.map(({ id }) => row(drawn({ tasks }), `task/${id}`))
    assert.deepEqual(
      nodes.map(({ label }) => label),
      expected,
    )
    assert.ok(nodes[0]!.spoken.startsWith(`A task of OpenAI/JS (since ${exactly(first)}), `))
    assert.equal(new Set(nodes.map(({ spoken }) => spoken)).size, 3)
  })

  it('are two entries where a person picks one to stop, to resume, or to see its calls', () => {
    const entries = taskEntries(tasks, () => true, nowMs, text, figures)
    assert.deepEqual(
      entries.map(({ id, label }) => [id, label]),
      tasks.map(({ id }, index) => [id, expected[index]]),
    )
    assert.equal(entries[0]!.description, 's239c2ce0cd000001-1 · €0.84')
    // A task is called the same in each list.
    assert.deepEqual(
      taskEntries(tasks, ({ id }) => id === second.id, nowMs, text, figures).map(({ label }) => label),
      [expected[1]],
    )
  })

  it("are two rows of the status bar's tooltip", () => {
    const inFlight = tasks.map(({ id }) => ({ call: id, task: id, model: 'gpt-5', elapsedMs: 10, outputTokens: 0 }))
    const gate = { kind: 'up', status: status({ tasks, inFlight }), exhausted: noCaps } as const
    const terminals = { bypassed: false, wrongHost: false, skipped: [] }
    const shown = renderTooltip({ gate, terminals, host: null, show: 'spend', nowMs }, text, figures)
    // Once among the tasks and once among the running calls.
    for (const seconds of [':14:05', ':14:32']) {
      assert.equal(shown.split(seconds.replaceAll(':', '\\:')).length, 3, shown)
    }
  })

  it("are two entries of the dashboard's list", () => {
    const page = pageOf(state({ status: status({ tasks }), data: data({ tasks: [] }) }), text)
    assert.deepEqual(
      page.choices.task.slice(1).map(({ value, label }) => [value, label]),
      tasks.map(({ id }, index) => [id, expected[index]]),
    )
  })

  it('are two in what is said and asked about them', () => {
    const known = taskToName(second.id, toldApart(tasks, nowMs, text, figures))
    assert.equal(nameOfTask(known, nowMs, text, figures), `A task of OpenAI/JS (since ${exactly(second)})`)
    const event: DaemonEvent = {
      event: 'state_changed',
      time: status().time,
      task: first.id,
      scope: 'task',
      to: 'halted',
      cause: 'ceiling',
      counter: 'iterations',
      value: 25,
      limit: 25,
    }
    const offer = guardNotice(event, status({ tasks }), text, figures)
    assert.ok(offer?.message.startsWith(`A task of OpenAI/JS (since ${exactly(first)}) is halted`), offer?.message)
  })
})

describe('tasks with long names', () => {
  const monday = task({ id: 'nightly-build-2026-11-30-000001' })
  const sunday = task({ id: 'nightly-build-2026-11-29-000001' })

  it('are called by their whole name where its ends are those of another one', () => {
    assert.deepEqual(labels([monday]), ['nightly-…000001'])
    assert.deepEqual(labels([monday, sunday]), [monday.id, sunday.id])
    const node = row(drawn({ tasks: [monday, sunday] }), `task/${monday.id}`)
    assert.ok(node.spoken.startsWith(`Task ${monday.id} (claude-cli/2.1), `))
  })

  it('are numbered where that does not fit into a row, or is no plain name', () => {
    const long = (middle: string): TaskStatus => task({ id: `checkout${middle.repeat(60)}000001` })
    assert.deepEqual(labels([long('b'), long('a')]), ['checkout…000001 #2', 'checkout…000001 #1'])
    const linked = ['a', 'b'].map((letter) => task({ id: `checkout [${letter}](command:x)000001` }))
    assert.deepEqual(labels(linked), ['checkout…000001 #1', 'checkout…000001 #2'])
  })

  it("are not cut to the same entry of the dashboard's list", () => {
    const ids = ['a', 'b'].map((end) => `release-of-the-shop-with-all-its-services-${end}`)
    const kept = data({ tasks: ids.map((name) => ({ name, calls: 1 })) })
    const { choices } = pageOf(state({ status: status({ tasks: [] }), data: kept }), text)
    assert.deepEqual(
      choices.task.slice(1).map(({ label }) => label),
      ids,
    )
    const alone = pageOf(state({ status: status(), data: data({ tasks: kept.tasks.slice(1) }) }), text)
    assert.match(alone.choices.task[1]!.label, /^release-of-the-shop-.*…$/)
  })
})

describe('the tasks of any list', () => {
  it('have labels that differ, and each the same one whatever the order of the list', () => {
    const some = fc.record({
      named: fc.boolean(),
      client: fc.constantFrom('OpenAI/JS', 'claude-cli/2.1', '', 'x'.repeat(60)),
      second: fc.nat(150),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), (drawnTasks) => {
        const all = drawnTasks.map(({ named, client, second: seconds }, index) => {
          const startedAt = new Date(Date.parse('2026-11-30T09:14:00.000Z') + seconds * 1000).toISOString()
          const id = named ? `the-nightly-build-${index}-of-the-shop` : `s239c2ce0cd00000${index}-1`
          return task({ id, named, client, startedAt })
        })
        const found = new Map(all.map(({ id }, index) => [id, labels(all)[index]]))
        assert.equal(new Set(found.values()).size, all.length)
        const turned = [...all].reverse()
        assert.deepEqual(new Map(turned.map(({ id }, index) => [id, labels(turned)[index]])), found)
      }),
    )
  })
})
