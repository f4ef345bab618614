import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  isTerminalTask,
  nextTaskId,
  taskIdOf,
  taskOfEnvironment,
  taskOfName,
  terminalName,
} from '../../../../extension/guardedTerminal/taskId.ts'
import { nameOfTask } from '../../../../extension/ui/taskName.ts'
import { gateUrl, pathPart } from '../../../../shared/addresses.ts'
import { figures, text } from '../support.ts'

const day = new Date(2026, 10, 30, 23, 59)

describe('the task of a guarded terminal', () => {
  it('is named by the day and a number', () => {
    assert.equal(nextTaskId(day, []), 'term-1130-1')
    assert.equal(nextTaskId(new Date(2026, 0, 5), []), 'term-0105-1')
  })

  it('gets the number behind the highest of its day, so that no closed one comes again', () => {
    const taken = ['term-1130-2', 'term-1130-9', 'term-1129-40', 'run-1a2b', 'term-1130-x', 'x-term-1130-77']
    assert.equal(nextTaskId(day, taken), 'term-1130-10')
  })

  it('is never one that is taken, and always fits into a base URL', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.string())),
        (date, numbers) => {
          const taken = numbers.map((one) => (typeof one === 'number' ? taskIdOf(date, one) : one))
          const id = nextTaskId(date, taken)
          assert.ok(!taken.includes(id))
          assert.match(id, pathPart)
          assert.ok(isTerminalTask(id))
        },
      ),
    )
  })

  it('is read from the base URLs in a terminal’s variables', () => {
    const origin = 'http://127.0.0.1:4141'
    const env = (task: string | null) => ({
      PATH: '/bin',
      OPENAI_BASE_URL: `${gateUrl({ origin, key: 'k1', task, project: 'shop' }, 'openai')}/v1`,
    })
    assert.equal(taskOfEnvironment(env('term-1130-3')), 'term-1130-3')
    assert.equal(taskOfEnvironment(env('run-1a2b')), undefined)
    assert.equal(taskOfEnvironment(env(null)), undefined)
    assert.equal(
      taskOfEnvironment({ OPENAI_BASE_URL: 'https://relay.example/k/x/t/term-1130-3/openai', X: null }),
      undefined,
    )
  })

  it('stands in the terminal’s name behind its state, and is found there again', () => {
    const names = (['ok', 'warn', 'constrained', 'halted'] as const).map((state) =>
      terminalName('term-1130-1', state, text),
    )
    assert.deepEqual(names, [
      'ok · guarded · term-1130-1',
      'warn · guarded · term-1130-1',
      'constrained · guarded · term-1130-1',
      'halted · guarded · term-1130-1',
    ])
    for (const name of names) assert.equal(taskOfName(name), 'term-1130-1')
    assert.equal(taskOfName('my own name'), undefined)
  })

  it('is called a terminal in every message, and another task is not', () => {
    const name = (id: string, client = ''): string => nameOfTask({ id, client }, 0, text, figures)
    assert.equal(name('term-1130-1'), 'The guarded terminal term-1130-1')
    assert.equal(name('term-1130-1', 'OpenAI/JS'), 'The guarded terminal term-1130-1 (OpenAI/JS)')
    assert.equal(name('term-1130-1-b'), 'Task term-1130-1-b')
  })
})
