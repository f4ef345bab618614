import assert from 'node:assert/strict'
import fc from 'fast-check'
import { restartPolicy } from '../../../extension/daemon/restartPolicy.ts'
import type { RestartPolicy } from '../../../extension/daemon/restartPolicy.ts'

function delaysOf(crashesMs: readonly number[], jitter = 0): (number | 'stop')[] {
  let policy: RestartPolicy | undefined = restartPolicy()
  return crashesMs.map((atMs) => {
    policy = policy?.crashed(atMs, jitter)
    return policy?.delayMs ?? 'stop'
  })
}

describe('restart policy of the daemon', () => {
  it('waits longer after each crash and stops at the fifth within three minutes', () => {
    assert.deepEqual(delaysOf([0, 1000, 3000, 6000, 11_000]), [500, 1000, 2000, 4000, 'stop'])
  })

  it('goes on with the longest wait for crashes that are spread out', () => {
    const crashes = [0, 50_000, 100_000, 150_000, 200_000, 250_000]
    assert.deepEqual(delaysOf(crashes), [500, 1000, 2000, 4000, 8000, 8000])
  })

  it('forgets the series after three minutes without a crash', () => {
    assert.deepEqual(delaysOf([0, 1000, 200_000]), [500, 1000, 500])
  })

  it('stretches a wait by up to a fifth, so that windows do not start in step', () => {
    assert.deepEqual(delaysOf([0], 1), [600])
  })

  it('does not change when asked twice', () => {
    const policy = restartPolicy()
    assert.equal(policy.crashed(0, 0)?.delayMs, 500)
    assert.equal(policy.crashed(0, 0)?.delayMs, 500)
  })

  it('never allows more than four restarts in any three minutes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 30 }), (gapsMs) => {
        let atMs = 0
        const crashesMs = gapsMs.map((gapMs) => (atMs += gapMs))
        const delays = delaysOf(crashesMs)
        const restarted = crashesMs.filter((_, index) => delays[index] !== 'stop')
        for (const startMs of restarted) {
          const inWindow = restarted.filter((otherMs) => otherMs >= startMs && otherMs - startMs < 180_000)
          assert.ok(inWindow.length <= 4)
        }
      }),
    )
  })
})
