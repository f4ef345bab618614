import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TaskOrder, TaskSoFar } from '../../../daemon/ledger/ledger.ts'
import { freshWindowMs, openingOf } from '../../../daemon/tasks/past.ts'
import type { TaskPast } from '../../../daemon/tasks/past.ts'

const noonMs = 1_800_000_000_000
const minuteMs = 60_000

function calls(count: number, firstMs: number, lastMs: number): TaskSoFar {
  return { calls: count, inputTokens: count * 1000, spentNanoEur: count * 3_000_000, firstMs, lastMs }
}

function order(change: Partial<TaskOrder> = {}): TaskOrder {
  return {
    scope: 'task',
    ref: 'run',
    atMs: noonMs - 5 * minuteMs,
    stop: null,
    windowFromMs: null,
    pausedMs: 0,
    chargedNanoEur: 0,
    windowChargedNanoEur: 0,
    ...change,
  }
}

function past(change: Partial<TaskPast> = {}): TaskPast {
  const life = calls(3, noonMs - 10 * minuteMs, noonMs - minuteMs)
  return { life, window: life, windowFromMs: life.firstMs, order: null, ...change }
}

describe('how a task goes on that the daemon does not remember', () => {
  it('begins at nothing where nothing is known', () => {
    const { life, base, windowStartMs, stop } = openingOf('task', null, noonMs)
    assert.deepEqual(
      [life.iterations, life.spentNanoEur, base.iterations, windowStartMs, stop],
      [0, 0, 0, noonMs, null],
    )
  })

  it('goes on with its counters, and with its clock from the first arrival', () => {
    const opening = openingOf('task', past(), noonMs)
    assert.deepEqual(opening.life, { iterations: 3, inputTokens: 3000, spentNanoEur: 9_000_000, chargedNanoEur: 0 })
    assert.equal(opening.base.iterations, 0)
    assert.equal(opening.windowStartMs, noonMs - 10 * minuteMs)
  })

  it('keeps only the totals after an hour of quiet, and not a millisecond before', () => {
    const life = calls(3, noonMs - 9e6, noonMs - freshWindowMs)
    const quiet = past({ life, window: life, windowFromMs: life.firstMs })
    const later = openingOf('task', quiet, noonMs)
    assert.deepEqual([later.life, later.base, later.windowStartMs], [later.life, later.life, noonMs])
    assert.equal(later.life.iterations, 3)
    assert.equal(openingOf('task', quiet, noonMs - 1).base.iterations, 0)
  })

  it('K13: a session lasts for days, and a paused task is not quiet', () => {
    const life = calls(3, noonMs - 9e6, noonMs - 2 * freshWindowMs)
    const quiet = past({ life, window: life, windowFromMs: life.firstMs })
    assert.equal(openingOf('session', quiet, noonMs).base.iterations, 0)
    const paused = order({ atMs: life.lastMs, stop: { by: 'pause', atMs: life.lastMs } })
    assert.equal(openingOf('task', { ...quiet, order: paused }, noonMs).base.iterations, 0)
  })

  it('K09: the window of a resume does not hold what was before it', () => {
    const resumedMs = noonMs - 5 * minuteMs
    const window = calls(1, noonMs - minuteMs, noonMs - minuteMs)
    const resumed = order({ windowFromMs: resumedMs, chargedNanoEur: 700, windowChargedNanoEur: 200 })
    const { life, base, windowStartMs } = openingOf(
      'task',
      past({ window, windowFromMs: resumedMs, order: resumed }),
      noonMs,
    )
    assert.equal(windowStartMs, resumedMs)
    assert.equal(life.spentNanoEur, 9_000_700)
    assert.deepEqual(base, { iterations: 2, inputTokens: 2000, spentNanoEur: 6_000_500, chargedNanoEur: 500 })
  })

  it('leaves charges and pauses of an earlier window in the totals', () => {
    const window = calls(1, noonMs - minuteMs, noonMs - minuteMs)
    const earlier = order({ pausedMs: 90_000, chargedNanoEur: 700, windowChargedNanoEur: 700 })
    const opening = openingOf('task', past({ window, windowFromMs: window.firstMs, order: earlier }), noonMs)
    assert.deepEqual([opening.base.chargedNanoEur, opening.life.chargedNanoEur, opening.pausedMs], [700, 700, 0])
  })

  it('keeps a stop, whatever was quiet', () => {
    const stop = { by: 'person', atMs: noonMs - 9 * freshWindowMs } as const
    const halted = past({ life: null, window: null, windowFromMs: stop.atMs, order: order({ atMs: stop.atMs, stop }) })
    assert.deepEqual(openingOf('task', halted, noonMs).stop, stop)
  })

  it('never counts less in a life than in its window, nor a base below 0', () => {
    const figure = fc.nat({ max: 1000 })
    const arbitrary = fc.record({
      before: figure,
      inWindow: figure,
      charged: figure,
      inCharged: figure,
      quietMs: fc.nat({ max: 8e6 }),
    })
    fc.assert(
      fc.property(arbitrary, ({ before, inWindow, charged, inCharged, quietMs }) => {
        const lastMs = noonMs - quietMs
        const life = calls(before + inWindow + 1, noonMs - 9e6, lastMs)
        const window = inWindow === 0 ? null : calls(inWindow, lastMs, lastMs)
        const kept = order({
          atMs: lastMs,
          windowFromMs: lastMs,
          chargedNanoEur: charged + inCharged,
          windowChargedNanoEur: inCharged,
        })
        const opening = openingOf('task', { life, window, windowFromMs: lastMs, order: kept }, noonMs)
        for (const counter of ['iterations', 'inputTokens', 'spentNanoEur', 'chargedNanoEur'] as const) {
          assert.ok(opening.base[counter] >= 0)
          assert.ok(opening.base[counter] <= opening.life[counter])
        }
        const bounded = opening.life.iterations - opening.base.iterations
        assert.equal(bounded, quietMs >= freshWindowMs ? 0 : inWindow)
      }),
    )
  })
})
