import assert from 'node:assert/strict'
import { loop } from '../../../daemon/guards/loop.ts'
import type { LoopVerdict } from '../../../daemon/tasks/task.ts'
import { judgeBy, refusalOf } from './guarded.ts'

const halted: LoopVerdict = { state: 'halted', tool: 'Bash', repeats: 3, cycleLength: 1, hints: [] }

function judge(verdict: LoopVerdict, plan: Parameters<typeof judgeBy>[1] = {}, task: string | null = 'run') {
  return judgeBy(loop, { ...plan, state: { loop: { verdict, task } } })
}

describe('the guard on loops', () => {
  it('K01: refuses a halted task and names the tool and the count', () => {
    const refusal = refusalOf(judge(halted))
    assert.equal(refusal.code, 'loop_halted')
    assert.match(refusal.message, /the tool "Bash" was called 3 times with the same arguments and gave the same result/)
    assert.match(
      refusal.message,
      /new message from a person, with Resume in the Spend view of VS Code, or with "tollgate resume --scope task --ref run"/,
    )
    assert.deepEqual([refusal.limit, refusal.spent, refusal.scopeRef], [2, 3, 'run'])
  })

  it('names the length of a round', () => {
    assert.match(
      refusalOf(judge({ ...halted, cycleLength: 4 })).message,
      /a round of 4 steps with the tool "Bash" came 3 times/,
    )
  })

  it('K07, K08: refuses nothing below halted, hints or not', () => {
    for (const state of ['ok', 'warn', 'constrained'] as const) {
      assert.equal(judge({ ...halted, state, hints: ['error_echo', 'narration'] }).kind, 'allow')
    }
    assert.equal(judgeBy(loop).kind, 'allow')
  })

  it('refuses nothing where the plan only warns or has no loop guard', () => {
    assert.equal(judge(halted, { plan: { loop: { maxRepeats: 2, maxCycle: 6, action: 'warn' } } }).kind, 'allow')
    assert.equal(judge(halted, { plan: { loop: null } }).kind, 'allow')
  })

  it('cuts and quotes a tool name, which comes from a client', () => {
    const { message } = refusalOf(judge({ ...halted, tool: `a"\n${'b'.repeat(500)}` }, {}, null))
    assert.ok(message.includes('"a\\"\\nbbb') && message.length < 500)
  })
})
