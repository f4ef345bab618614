import assert from 'node:assert/strict'
import fc from 'fast-check'
import { LoopBook } from '../../../daemon/tasks/loopBook.ts'
import type { LoopVerdict, TaskState } from '../../../daemon/tasks/task.ts'
import { TaskMemory } from '../../../daemon/tasks/taskMemory.ts'
import { admittedCall } from './calls.ts'

const minuteMs = 60_000

function verdict(state: TaskState, tool: string | null = 'read_page', repeats = 3): LoopVerdict {
  return { state, tool, repeats, cycleLength: 1, hints: [] }
}

describe('LoopBook', () => {
  it('shows the halt of a conversation on its task, until the conversation is well again', () => {
    const book = new LoopBook()
    assert.equal(book.haltOf('shop-3', 0), null)
    assert.ok(book.judged(1, 'shop-3', verdict('warn'), 1000))
    assert.equal(book.haltOf('shop-3', 1000), null, 'a warning refuses nothing')
    assert.ok(book.judged(1, 'shop-3', verdict('halted'), 2000))
    const halt = { tool: 'read_page', repeats: 3, cycleLength: 1, haltedAt: '1970-01-01T00:00:02.000Z' }
    assert.deepEqual(book.haltOf('shop-3', 2000), halt)
    assert.equal(book.haltOf('shop-4', 2000), null)
    assert.ok(!book.judged(1, 'shop-3', verdict('ok', null, 0), 3000))
    assert.equal(book.haltOf('shop-3', 3000), null)
    assert.equal(book.of(1), undefined)
  })

  it('tells each rise once, and keeps the time of the halt while the client calls on', () => {
    const book = new LoopBook()
    const told = [1000, 2000, 3000].map((nowMs) => book.judged(1, 'run', verdict('halted'), nowMs))
    assert.deepEqual(told, [true, false, false])
    assert.deepEqual([book.of(1)?.haltedAtMs, book.of(1)?.lastCallMs], [1000, 3000])
  })

  it('K02: keeps the conversations of a task apart, and shows the latest halt among them', () => {
    const book = new LoopBook()
    book.judged(1, 'run', verdict('halted', 'read_page'), 1000)
    book.judged(2, 'run', verdict('halted', 'search'), 2000)
    book.judged(1, 'run', verdict('halted', 'read_page'), 3000)
    assert.equal(book.haltOf('run', 3000)?.tool, 'search', 'it does not change with each refused call')
    book.judged(2, 'run', verdict('ok'), 4000)
    assert.equal(book.haltOf('run', 4000)?.tool, 'read_page')
    book.judged(3, 'run', verdict('ok'), 5000)
    assert.equal(book.haltOf('run', 5000)?.tool, 'read_page', 'a sibling that is well lifts no halt')
  })

  it('K09: leaves the task behind that a person ended with a new message', () => {
    const book = new LoopBook()
    book.judged(1, 'shop-3', verdict('halted'), 1000)
    assert.ok(book.judged(1, 'shop-4', verdict('halted'), 2000), 'in another task it is news')
    assert.equal(book.haltOf('shop-3', 2000), null)
    assert.equal(book.haltOf('shop-4', 2000)?.haltedAt, '1970-01-01T00:00:02.000Z')
  })

  it('forgets a conversation that its task has gone on without for ten minutes, and none that merely waits', () => {
    const book = new LoopBook()
    book.judged(1, 'nightly', verdict('halted'), minuteMs)
    assert.notEqual(book.haltOf('nightly', minuteMs), null, 'nobody called since, however long that is ago')
    assert.notEqual(book.haltOf('nightly', 11 * minuteMs), null)
    assert.equal(book.haltOf('nightly', 11 * minuteMs + 1), null)
  })

  it('stays bounded, and keeps what was judged last', () => {
    const book = new LoopBook()
    for (let conversation = 0; conversation < 3000; conversation += 1)
      book.judged(conversation, `t${conversation}`, verdict('halted'), conversation)
    assert.equal(book.haltOf('t0', 3000), null)
    assert.notEqual(book.haltOf('t2999', 3000), null)
  })

  it('shows a halt exactly while one of the conversations was last judged halted in that task', () => {
    const step = fc.record({
      conversation: fc.integer({ min: 1, max: 4 }),
      task: fc.constantFrom('a', 'b'),
      state: fc.constantFrom<TaskState>('ok', 'warn', 'constrained', 'halted'),
      isResume: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const book = new LoopBook()
        const last = new Map<number, { readonly task: string; readonly state: TaskState }>()
        steps.forEach(({ conversation, task, state, isResume }, nowMs) => {
          if (isResume) {
            book.resumed(task)
            for (const [known, one] of last) if (one.task === task) last.delete(known)
          } else {
            book.judged(conversation, task, verdict(state), nowMs)
            last.set(conversation, { task, state })
          }
          for (const name of ['a', 'b']) {
            const expected = [...last.values()].some((one) => one.task === name && one.state === 'halted')
            assert.equal(book.haltOf(name, nowMs) !== null, expected)
          }
        })
      }),
    )
  })
})

describe('a task that is resumed', () => {
  function looping(): TaskMemory {
    const memory = new TaskMemory(() => 's')
    memory.tasks.started(admittedCall({ task: 'shop-3', receivedAtMs: 1000 }))
    memory.loops.judged(1, 'shop-3', verdict('halted'), 1000)
    return memory
  }

  it('K09: is free of its loop, and says so although its counters were never halted', () => {
    const memory = looping()
    assert.equal(memory.status(1)[0]?.loop?.tool, 'read_page')
    assert.equal(memory.status(1)[0]?.state, 'ok')
    const [change, ...others] = memory.resume('shop-3', 2000)
    assert.deepEqual([change?.ref, change?.from, change?.to, change?.cause], ['shop-3', 'halted', 'ok', 'resume'])
    assert.deepEqual(others, [])
    assert.equal(memory.status(1)[0]?.loop, null)
    assert.deepEqual(memory.resume('shop-3', 3000), [], 'there is nothing left to tell')
  })

  it('after a halt by a person says it once, for both', () => {
    const memory = looping()
    memory.tasks.halt('shop-3', 1500)
    assert.equal(memory.resume('shop-3', 2000).length, 1)
    assert.equal(memory.status(1)[0]?.loop, null)
  })

  it('after a pause goes on in its window, where it still repeats itself', () => {
    const memory = looping()
    memory.tasks.pause('shop-3', 1500)
    assert.equal(memory.resume('shop-3', 2000).length, 1)
    assert.notEqual(memory.status(1)[0]?.loop, null)
    assert.equal(memory.resume('shop-3', 3000).length, 1)
    assert.equal(memory.status(1)[0]?.loop, null)
  })
})
