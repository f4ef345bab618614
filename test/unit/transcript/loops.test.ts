import assert from 'node:assert/strict'
import fc from 'fast-check'
import { judgeLoop } from '../../../daemon/transcript/loops.ts'
import type { LoopLimits } from '../../../daemon/transcript/loops.ts'
import type { ToolState } from '../../../daemon/transcript/transcript.ts'

const limits: LoopLimits = { maxRepeats: 2, maxCycle: 6, action: 'halt' }

/** One state a turn; `"a"` is call a with result a, `"a1"` call a with result a1, `"a1!x"` one that failed as x. */
function run(...turns: readonly string[]): ToolState[] {
  return turns.map((turn, at) => {
    const [result = '', error = null] = turn.split('!')
    return { message: 2 * at + 2, tool: turn[0]!, callDigest: turn[0]!, resultDigest: result, errorDigest: error }
  })
}

const stateOf = (turns: readonly string[], options: Partial<LoopLimits> = {}) =>
  judgeLoop(run(...turns), 0, { ...limits, ...options }).state

describe('a loop', () => {
  it('warns at the second and halts at the third equal step with maxRepeats 2', () => {
    assert.equal(stateOf([]), 'ok')
    assert.equal(stateOf(['a']), 'ok')
    assert.equal(stateOf(['a', 'a']), 'warn')
    assert.deepEqual(judgeLoop(run('b', 'a', 'a', 'a'), 0, limits), {
      state: 'halted',
      tool: 'a',
      repeats: 3,
      cycleLength: 1,
      hints: [],
    })
  })

  it('K01: warns at 3, constrains at 4 and halts at 5 equal steps with maxRepeats 4', () => {
    const states = [1, 2, 3, 4, 5, 300].map((count) => stateOf(Array<string>(count).fill('a'), { maxRepeats: 4 }))
    assert.deepEqual(states, ['ok', 'ok', 'warn', 'constrained', 'halted', 'halted'])
  })

  it('is graded in proportion for any bound, and always halts one step behind it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (maxRepeats) => {
        const order = ['ok', 'warn', 'constrained', 'halted']
        const states = Array.from({ length: maxRepeats + 1 }, (_, count) =>
          order.indexOf(stateOf(Array<string>(count + 1).fill('a'), { maxRepeats })),
        )
        assert.equal(states.at(-1), 3)
        assert.ok(states.slice(0, -1).every((state) => state < 3))
        assert.deepEqual(states, [...states].sort())
      }),
    )
  })

  it('may be a cycle of up to maxCycle steps, and counts as often as its rarest step', () => {
    const cycle = (length: number, count: number) => Array.from({ length: count }, (_, at) => 'abcdefg'[at % length]!)
    for (const length of [1, 2, 3, 4, 5, 6]) {
      const verdict = judgeLoop(run('x', ...cycle(length, 3 * length)), 0, limits)
      assert.deepEqual([verdict.state, verdict.repeats, verdict.cycleLength], ['halted', 3, length])
      assert.equal(stateOf(['x', ...cycle(length, 3 * length - 1)]), 'warn')
      assert.equal(stateOf(['x', ...cycle(length, 2 * length - 1)]), 'ok')
    }
    assert.equal(stateOf(cycle(7, 70)), 'ok')
    assert.equal(stateOf(cycle(3, 30), { maxCycle: 2 }), 'ok')
  })

  it('is found in any order of a few steps', () => {
    assert.equal(stateOf(['x', 'a', 'b', 'b', 'a', 'a', 'b']), 'halted')
  })

  it('K03, K04: ends where a result changes', () => {
    assert.equal(stateOf(['a1', 'a2', 'a3', 'a4', 'a5']), 'ok')
    assert.equal(stateOf(['e', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6']), 'ok')
    assert.equal(stateOf(['a1', 'a1', 'a2']), 'ok')
    assert.equal(stateOf(['a1', 'a1', 'a2', 'a2', 'a3', 'a3']), 'warn')
    assert.equal(stateOf(['s', 'c1', 's', 'c1', 's', 'c2']), 'ok')
  })

  it('is no repeated check between different steps', () => {
    assert.equal(stateOf(['t', 'e1', 't', 'e2', 't', 'e3', 't', 'e4', 't']), 'ok')
  })

  it('K14: is not seen in what came before the window', () => {
    const states = run('a', 'a', 'a', 'a')
    assert.equal(judgeLoop(states, states.at(-1)!.message + 1, limits).state, 'ok')
    assert.equal(judgeLoop(states, states.at(-1)!.message, limits).state, 'ok')
    assert.equal(judgeLoop(states, states[1]!.message, limits).state, 'halted')
  })

  it('counts parallel calls of one turn once, whether their results share a message or not', () => {
    const parallel = (messages: readonly number[]): ToolState[] =>
      messages.map((message) => ({ ...run('a')[0]!, message }))
    assert.equal(judgeLoop(parallel([2, 2, 2]), 0, limits).state, 'ok')
    assert.equal(judgeLoop(parallel([2, 3, 4]), 0, limits).state, 'ok')
    assert.equal(judgeLoop(parallel([2, 2, 4, 4]), 0, limits).state, 'warn')
    assert.equal(judgeLoop(parallel([2, 3, 5, 6, 8]), 0, limits).state, 'halted')
  })

  it('only warns where the plan says so', () => {
    assert.equal(stateOf(Array<string>(50).fill('a'), { action: 'warn' }), 'warn')
    assert.equal(stateOf(Array<string>(4).fill('a'), { action: 'warn', maxRepeats: 4 }), 'warn')
  })

  it('is never seen in steps that are all different', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }).filter((text) => !text.includes('!'))), (turns) => {
        const states = run(...turns).map((state, at) => ({ ...state, resultDigest: `${at}` }))
        assert.equal(judgeLoop(states, 0, limits).state, 'ok')
      }),
    )
  })
})

describe('signals that prove nothing', () => {
  it('K07: the same error from different calls warns and never halts', () => {
    const echo = Array.from({ length: 20 }, (_, at) => `${'abcdefghijklmnopqrst'[at]!}!exit 128`)
    assert.deepEqual(judgeLoop(run(...echo), 0, limits), {
      state: 'warn',
      tool: 't',
      repeats: 20,
      cycleLength: 0,
      hints: ['error_echo'],
    })
    assert.deepEqual(judgeLoop(run(...echo.slice(0, 4)), 0, limits).hints, [])
    assert.deepEqual(judgeLoop(run(...echo, 'u'), 0, limits).hints, [])
    assert.deepEqual(judgeLoop(run(...echo.slice(0, 4), 'u!exit 1'), 0, limits).hints, [])
  })

  const said = (...sentences: readonly string[]) => sentences.map((digest, at) => ({ message: 2 * at + 1, digest }))

  it('K08: the same sentence three times among the last texts warns', () => {
    const narrated = (...sentences: readonly string[]) => judgeLoop([], 0, limits, said(...sentences))
    assert.deepEqual(narrated('s', 'x', 's', 'y', 's').hints, ['narration'])
    assert.equal(narrated('s', 'x', 's', 'y', 's').state, 'warn')
    assert.equal(narrated('s', 'x', 's', 'y').state, 'ok')
    assert.equal(narrated('s', 'a', 'b', 's', 'c', 'd', 's').state, 'ok')
    assert.equal(judgeLoop([], 4, limits, said('s', 's', 's')).state, 'ok')
  })

  it('counts a sentence once for each text', () => {
    const twice = said('s', 's').flatMap((sentence) => [sentence, sentence])
    assert.equal(judgeLoop([], 0, limits, twice).state, 'ok')
  })

  it('stand beside a loop without weakening it', () => {
    const verdict = judgeLoop(run('a', 'a', 'a'), 0, limits, said('s', 's', 's'))
    assert.deepEqual([verdict.state, verdict.repeats, verdict.hints], ['halted', 3, ['narration']])
  })
})
