import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Supervisor, judgeHaltedCall, silenceMs } from '../../../daemon/tasks/supervisor.ts'
import type { HaltedCalls } from '../../../daemon/tasks/supervisor.ts'

const haltedAtMs = 1_780_000_000_000
const graceMs = 30_000

/** What becomes of calls that come so many milliseconds after the halt. */
function actions(offsetsMs: readonly number[], grace = graceMs): readonly ('refuse' | 'sever')[] {
  const supervisor = new Supervisor()
  return offsetsMs.map((offsetMs) => supervisor.judge('run-7', haltedAtMs, grace, haltedAtMs + offsetMs))
}

describe('the supervisor', () => {
  it('answers the calls of the grace period and severs those that still come after it', () => {
    assert.deepEqual(actions([0, 10_000, 29_999, 30_000, 31_000]), ['refuse', 'refuse', 'refuse', 'sever', 'sever'])
  })

  it('severs a client that waits a minute between its attempts', () => {
    assert.deepEqual(actions([0, 60_000, 120_000]), ['refuse', 'sever', 'sever'])
  })

  it('tells a task once before it severs it, however late its first call comes', () => {
    assert.deepEqual(actions([45_000, 45_100]), ['refuse', 'sever'])
  })

  it('gives a task that had stopped calling the sentence and the whole grace period again', () => {
    const back = 31_000 + silenceMs(graceMs)
    assert.deepEqual(actions([0, 31_000, back, back + 29_999, back + 30_000]), [
      'refuse',
      'sever',
      'refuse',
      'refuse',
      'sever',
    ])
  })

  it('gives a new grace period after a resume and another halt', () => {
    const supervisor = new Supervisor()
    supervisor.judge('run-7', haltedAtMs, graceMs, haltedAtMs)
    assert.equal(supervisor.judge('run-7', haltedAtMs, graceMs, haltedAtMs + 40_000), 'sever')
    const again = haltedAtMs + 50_000
    assert.equal(supervisor.judge('run-7', again, graceMs, again), 'refuse')
    assert.equal(supervisor.judge('run-7', again, graceMs, again + 29_999), 'refuse')
    assert.equal(supervisor.judge('run-7', again, graceMs, again + 30_000), 'sever')
  })

  it('keeps tasks apart', () => {
    const supervisor = new Supervisor()
    supervisor.judge('run-7', haltedAtMs, graceMs, haltedAtMs)
    assert.equal(supervisor.judge('run-8', haltedAtMs, graceMs, haltedAtMs + 31_000), 'refuse')
    assert.equal(supervisor.judge('run-7', haltedAtMs, graceMs, haltedAtMs + 31_000), 'sever')
  })

  it('goes on after a restart with one more sentence, and no new grace period', () => {
    const restarted = new Supervisor()
    assert.equal(restarted.judge('run-7', haltedAtMs, graceMs, haltedAtMs + 90_000), 'refuse')
    assert.equal(restarted.judge('run-7', haltedAtMs, graceMs, haltedAtMs + 91_000), 'sever')
  })

  it('severs nobody while the clock stands before the halt', () => {
    assert.deepEqual(actions([0, -3_600_000, -3_590_000]), ['refuse', 'refuse', 'refuse'])
  })

  const calls = fc.record({
    gapsMs: fc.array(fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 1_000_000 })), {
      maxLength: 30,
    }),
    grace: fc.integer({ min: 0, max: 60_000 }),
    /** Where the daemon is started again and has forgotten. */
    restarts: fc.array(fc.nat(29), { maxLength: 3 }),
  })

  it('never severs a task that stopped calling, nor one that was not told since', () => {
    fc.assert(
      fc.property(calls, ({ gapsMs, grace, restarts }) => {
        let memory: HaltedCalls | null = null
        let nowMs = haltedAtMs
        let toldSinceSilence = false
        gapsMs.forEach((gapMs, at) => {
          if (restarts.includes(at)) {
            memory = null
            toldSinceSilence = false
          }
          nowMs += gapMs
          if (gapMs >= silenceMs(grace)) toldSinceSilence = false
          const { action, calls: next } = judgeHaltedCall(memory, haltedAtMs, grace, nowMs)
          if (action === 'sever') {
            assert.ok(toldSinceSilence, 'it was told since it was last silent')
            assert.ok(gapMs < silenceMs(grace), 'it had not stopped')
            assert.ok(nowMs >= haltedAtMs + grace, 'the grace period is over')
          } else toldSinceSilence = true
          memory = next
        })
      }),
    )
  })

  it('severs every call of a task that goes on, from the end of its grace period', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 0, max: 60_000 }), (everyMs, grace) => {
        const offsets = Array.from({ length: 40 }, (_, at) => at * everyMs)
        offsets.forEach((offset, at) => {
          assert.equal(actions(offsets, grace)[at], at > 0 && offset >= grace ? 'sever' : 'refuse')
        })
      }),
      { numRuns: 20 },
    )
  })
})
