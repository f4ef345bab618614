import assert from 'node:assert/strict'
import fc from 'fast-check'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { noGrant } from '../../../daemon/tasks/ceilings.ts'
import { costGrowth, forecastHalt, nextTurns, trendOf } from '../../../daemon/tasks/forecast.ts'
import type { TaskTotals, Turn } from '../../../daemon/tasks/task.ts'

const limits = basePlan.task!

function turnsOf(inputs: readonly number[], nanoPerToken = 1000): Turn[] {
  return inputs.map((input, at) => ({
    newInputTokens: input,
    cachedInputTokens: 0,
    outputTokens: 100,
    nanoEur: input * nanoPerToken,
    atMs: at * 2000,
  }))
}

function totalsOf(turns: readonly Turn[]): TaskTotals {
  const sum = (part: (turn: Turn) => number): number => turns.reduce((total, turn) => total + part(turn), 0)
  return {
    iterations: turns.length,
    inputTokens: sum((turn) => turn.newInputTokens + turn.cachedInputTokens),
    wallSeconds: turns.length * 2,
    spentNanoEur: sum((turn) => turn.nanoEur),
    reservedNanoEur: 0,
  }
}

describe('forecast', () => {
  it('known answer 10: says by turn 3 that 20 turns of 38,980 tokens come to about 780,000', () => {
    const turns = turnsOf([38_980, 38_980, 38_980])
    const whole = totalsOf(turns).inputTokens + nextTurns(turns, 17).inputTokens
    assert.equal(whole, 779_600)
  })

  it('known answer 10: is within 10 % by turn 3 where the turns grow a little and differ', () => {
    const real = Array.from({ length: 20 }, (_, at) => 36_000 + at * 310 + (at % 3) * 90)
    const turns = turnsOf(real.slice(0, 3))
    const whole = totalsOf(turns).inputTokens + nextTurns(turns, 17).inputTokens
    const truth = real.reduce((sum, input) => sum + input, 0)
    assert.ok(Math.abs(whole - truth) < truth * 0.1, `${whole} of ${truth}`)
  })

  it('follows a compounding conversation exactly', () => {
    const inputs = Array.from({ length: 8 }, (_, at) => 1000 + 700 * at)
    const next = Array.from({ length: 5 }, (_, at) => 1000 + 700 * (8 + at))
    const sum = next.reduce((total, input) => total + input, 0)
    assert.deepEqual(nextTurns(turnsOf(inputs), 5), { inputTokens: sum, nanoEur: sum * 1000 })
  })

  it('is not moved by the short calls of a sub-agent between the turns', () => {
    const inputs = [50_000, 51_000, 900, 53_000, 54_000, 55_000, 800, 57_000, 58_000]
    const { perTurn, latest } = trendOf(inputs)
    assert.ok(Math.abs(perTurn - 1000) < 150 && Math.abs(latest - 58_000) < 1500, `${perTurn} ${latest}`)
  })

  it('forgets what lay before a compaction', () => {
    const { perTurn, latest } = trendOf([80_000, 90_000, 100_000, 20_000, 22_000, 24_000])
    assert.deepEqual({ perTurn, latest }, { perTurn: 2000, latest: 24_000 })
  })

  it('tells the turns that are left before one is refused, and the cost by then', () => {
    const turns = turnsOf(Array.from({ length: 19 }, () => 1000))
    assert.deepEqual(forecastHalt(turns, totalsOf(turns), limits, noGrant), { haltsInTurns: 6, eurAtHalt: 0.025 })
    const grant = { nanoEur: 0, iterations: 10, wallSeconds: 0 }
    assert.equal(forecastHalt(turns, totalsOf(turns), limits, grant)?.haltsInTurns, 16)
  })

  it('sees growing input reach its ceiling before the iterations do', () => {
    const turns = turnsOf([100_000, 150_000, 200_000])
    // 450,000 so far; 250,000 to 450,000 make 2,200,000 with the fifth, so four more fit into 2,000,000.
    assert.equal(forecastHalt(turns, totalsOf(turns), limits, noGrant)?.haltsInTurns, 4)
  })

  it('says nothing before the second turn, and nothing where no ceiling is in reach', () => {
    const one = turnsOf([1000])
    assert.equal(forecastHalt(one, totalsOf(one), limits, noGrant), null)
    const free = { ...limits, maxIterations: null, maxInputTokens: null, maxWallSeconds: null, maxEur: null }
    const turns = turnsOf([1000, 2000])
    assert.equal(forecastHalt(turns, totalsOf(turns), free, noGrant), null)
  })

  it('A22: tells how many times as dear a turn has become', () => {
    const turns = turnsOf(Array.from({ length: 40 }, (_, at) => 270_000 + at * 16_000))
    const growth = costGrowth(turns)
    assert.ok(growth !== null && growth > 2.5 && growth < 3.4, String(growth))
    assert.equal(costGrowth(turns.slice(0, 5)), null)
    assert.equal(costGrowth(turnsOf([0, 0, 0, 0, 0, 0])), null)
  })

  it('is finite and never below 0, whatever the turns were', () => {
    const someTurn: fc.Arbitrary<Turn> = fc.record({
      newInputTokens: fc.integer({ min: 0, max: 2_000_000 }),
      cachedInputTokens: fc.integer({ min: 0, max: 2_000_000 }),
      outputTokens: fc.integer({ min: 0, max: 100_000 }),
      nanoEur: fc.integer({ min: 0, max: 50_000_000_000 }),
      atMs: fc.integer({ min: 0, max: 2_000_000_000_000 }),
    })
    fc.assert(
      fc.property(fc.array(someTurn, { maxLength: 30 }), fc.integer({ min: 0, max: 100 }), (turns, count) => {
        const next = nextTurns(turns, count)
        assert.ok(Number.isFinite(next.inputTokens) && next.inputTokens >= 0)
        assert.ok(Number.isFinite(next.nanoEur) && next.nanoEur >= 0)
        const halt = forecastHalt(turns, totalsOf(turns), limits, noGrant)
        if (halt === null) return
        assert.ok(Number.isInteger(halt.haltsInTurns) && halt.haltsInTurns >= 0)
        assert.ok(Number.isFinite(halt.eurAtHalt) && halt.eurAtHalt >= 0)
      }),
      { numRuns: 300 },
    )
  })
})
