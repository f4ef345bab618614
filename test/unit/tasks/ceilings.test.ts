import assert from 'node:assert/strict'
import fc from 'fast-check'
import { basePlan } from '../../../daemon/config/defaults.ts'
import {
  ceilingOf,
  compareStates,
  judgeTask,
  noGrant,
  roomNanoEur,
  sessionLimits,
} from '../../../daemon/tasks/ceilings.ts'
import type { TaskAsk, TaskGrant, TaskTotals } from '../../../daemon/tasks/task.ts'
import type { TaskLimits } from '../../../shared/config.ts'
import { nanoFromEur } from '../../../shared/money.ts'

const limits: TaskLimits = basePlan.task!
const none: TaskTotals = { iterations: 0, inputTokens: 0, wallSeconds: 0, spentNanoEur: 0, reservedNanoEur: 0 }
const small: TaskAsk = { inputTokens: 1000, worstCaseNanoEur: nanoFromEur(0.01) }

function judge(
  totals: Partial<TaskTotals>,
  ask: Partial<TaskAsk> = {},
  own: Partial<TaskLimits> = {},
  grant = noGrant,
) {
  return judgeTask({ ...none, ...totals }, { ...small, ...ask }, { ...limits, ...own }, grant)
}

describe('judgeTask', () => {
  it('grades the 25 iterations of the plan agent: warn from 18, constrained from 22, halted at the 26th', () => {
    const states = [16, 17, 20, 21, 24, 25].map((made) => judge({ iterations: made }).state)
    assert.deepEqual(states, ['ok', 'warn', 'warn', 'constrained', 'constrained', 'halted'])
  })

  it('known answer 9: refuses one call of 900,000 input tokens at iteration 1 under a ceiling of 850,000', () => {
    const price = 3 * 0.9
    const verdict = judge(
      {},
      { inputTokens: 900_000, worstCaseNanoEur: nanoFromEur(price) },
      { maxInputTokens: 850_000 },
    )
    assert.deepEqual(
      { state: verdict.state, nearest: verdict.nearest, value: verdict.value, limit: verdict.limit },
      { state: 'halted', nearest: 'inputTokens', value: 900_000, limit: 850_000 },
    )
    assert.equal(judge({}, { inputTokens: 900_000, worstCaseNanoEur: nanoFromEur(price) }).state, 'ok')
  })

  it('counts what is spent, what is reserved and the worst case of the call as euros', () => {
    const totals = { spentNanoEur: nanoFromEur(2), reservedNanoEur: nanoFromEur(2) }
    const verdict = judge(totals, { worstCaseNanoEur: nanoFromEur(1) })
    assert.deepEqual([verdict.state, verdict.nearest, verdict.value, verdict.limit], ['constrained', 'eur', 5, 5])
    assert.equal(judge(totals, { worstCaseNanoEur: nanoFromEur(1) + 1 }).state, 'halted')
  })

  it('takes wall time as it stands', () => {
    assert.equal(judge({ wallSeconds: 300 }).state, 'constrained')
    assert.equal(judge({ wallSeconds: 300.1 }).state, 'halted')
  })

  it('adds what a person granted to the ceilings', () => {
    const grant: TaskGrant = { nanoEur: nanoFromEur(2), iterations: 20, wallSeconds: 600 }
    assert.deepEqual(
      [judge({ iterations: 44 }, {}, {}, grant).state, judge({ iterations: 45 }, {}, {}, grant).state],
      ['constrained', 'halted'],
    )
    assert.equal(judge({ wallSeconds: 899 }, {}, {}, grant).state, 'constrained')
    assert.equal(judge({ spentNanoEur: nanoFromEur(6.9) }, {}, {}, grant).state, 'constrained')
  })

  it('limits nothing where a ceiling is null, and lets nothing through where it is 0', () => {
    const off = { maxIterations: null, maxInputTokens: null, maxWallSeconds: null, maxEur: null }
    const huge = { iterations: 1e6, inputTokens: 1e9, wallSeconds: 1e6, spentNanoEur: 1e15 }
    assert.deepEqual(judge(huge, {}, off), { state: 'ok', nearest: null, share: 0, limit: 0, value: 0 })
    for (const field of Object.keys(off)) assert.equal(judge({}, {}, { ...off, [field]: 0 }).state, 'halted', field)
  })

  it('A13: lets a call without cost pass a ceiling of 0 euros', () => {
    assert.equal(judge({}, { worstCaseNanoEur: 0 }, { maxEur: 0 }).state, 'ok')
  })

  it('does not admit what cannot be counted', () => {
    assert.equal(judge({}, { inputTokens: NaN }).state, 'halted')
    assert.equal(judge({ wallSeconds: NaN }).state, 'halted')
  })

  it('names the nearest counter', () => {
    assert.equal(judge({ iterations: 10, inputTokens: 1_800_000 }).nearest, 'inputTokens')
    assert.equal(judge({ iterations: 23, inputTokens: 1_000 }).nearest, 'iterations')
  })
})

describe('ceilings of a session', () => {
  it('are those of a task times a factor, without wall clock', () => {
    const session = sessionLimits(limits, 4)
    assert.deepEqual(
      [session.maxIterations, session.maxInputTokens, session.maxWallSeconds, session.maxEur],
      [100, 8_000_000, null, 20],
    )
    assert.equal(sessionLimits({ ...limits, maxEur: null }, 4).maxEur, null)
  })
})

const amount = fc.integer({ min: 0, max: 10_000_000_000 })
const someTotals: fc.Arbitrary<TaskTotals> = fc.record({
  iterations: fc.integer({ min: 0, max: 60 }),
  inputTokens: fc.integer({ min: 0, max: 4_000_000 }),
  wallSeconds: fc.double({ min: 0, max: 700, noNaN: true }),
  spentNanoEur: amount,
  reservedNanoEur: amount,
})
const someAsk: fc.Arbitrary<TaskAsk> = fc.record({
  inputTokens: fc.integer({ min: 0, max: 2_000_000 }),
  worstCaseNanoEur: amount,
})
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null })
const someLimits: fc.Arbitrary<TaskLimits> = fc
  .record({
    maxIterations: maybe(fc.integer({ min: 0, max: 50 })),
    maxInputTokens: maybe(fc.integer({ min: 0, max: 3_000_000 })),
    maxWallSeconds: maybe(fc.integer({ min: 0, max: 600 })),
    maxEur: maybe(fc.integer({ min: 0, max: 1000 }).map((cents) => cents / 100)),
  })
  .map((own) => ({ ...limits, ...own }))
const someGrant: fc.Arbitrary<TaskGrant> = fc.record({
  nanoEur: amount,
  iterations: fc.integer({ min: 0, max: 20 }),
  wallSeconds: fc.integer({ min: 0, max: 600 }),
})

describe('judgeTask on random tasks', () => {
  it('never lets a call through that leaves a counter above its ceiling', () => {
    fc.assert(
      fc.property(someTotals, someAsk, someLimits, someGrant, (totals, ask, own, grant) => {
        const after = {
          iterations: totals.iterations + 1,
          inputTokens: totals.inputTokens + ask.inputTokens,
          wallSeconds: totals.wallSeconds,
          eur: totals.spentNanoEur + totals.reservedNanoEur + ask.worstCaseNanoEur,
        }
        const admitted = judgeTask(totals, ask, own, grant).state !== 'halted'
        const fits = (['iterations', 'inputTokens', 'wallSeconds', 'eur'] as const).every((counter) => {
          const ceiling = ceilingOf(counter, own, grant)
          return ceiling === null || (after[counter] <= ceiling && (ceiling > 0 || counter === 'eur'))
        })
        assert.equal(admitted, fits)
      }),
      { numRuns: 500 },
    )
  })

  it('is monotone: more of any counter never makes a state milder, and a grant never makes it graver', () => {
    fc.assert(
      fc.property(
        someTotals,
        someTotals,
        someAsk,
        someAsk,
        someLimits,
        someGrant,
        (totals, more, ask, moreAsk, own, grant) => {
          const grown: TaskTotals = {
            iterations: totals.iterations + more.iterations,
            inputTokens: totals.inputTokens + more.inputTokens,
            wallSeconds: totals.wallSeconds + more.wallSeconds,
            spentNanoEur: totals.spentNanoEur + more.spentNanoEur,
            reservedNanoEur: totals.reservedNanoEur + more.reservedNanoEur,
          }
          const grownAsk = {
            inputTokens: ask.inputTokens + moreAsk.inputTokens,
            worstCaseNanoEur: ask.worstCaseNanoEur + moreAsk.worstCaseNanoEur,
          }
          const before = judgeTask(totals, ask, own, noGrant)
          assert.ok(compareStates(judgeTask(grown, grownAsk, own, noGrant).state, before.state) >= 0)
          assert.ok(compareStates(judgeTask(totals, ask, own, grant).state, before.state) <= 0)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('says room for exactly the call that still fits', () => {
    fc.assert(
      fc.property(someTotals, someLimits, someGrant, (totals, own, grant) => {
        const only = { ...own, maxIterations: null, maxInputTokens: null, maxWallSeconds: null }
        const room = roomNanoEur(totals, only, grant)
        if (room === null) return
        const state = (worstCaseNanoEur: number) =>
          judgeTask(totals, { inputTokens: 0, worstCaseNanoEur }, only, grant).state
        assert.equal(state(room + 1), 'halted')
        if (room > 0) assert.notEqual(state(room), 'halted')
      }),
    )
  })
})
