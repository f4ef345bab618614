import assert from 'node:assert/strict'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import { restartQuestion } from '../../../extension/ui/restartQuestion.ts'
import { status, text } from './support.ts'

const up = { kind: 'up', status: status(), exhausted: noCaps } as const
const unfollowed = { kind: 'unfollowed', version: '9.0.0', ownVersion: '0.1.0' } as const

describe('the question before a restart', () => {
  it('is how many calls end, and none is asked where none runs', () => {
    assert.equal(restartQuestion(up, 0, text), null)
    assert.match(restartQuestion(up, 2, text)?.message ?? '', /^2 model calls are running/)
    assert.match(restartQuestion({ kind: 'starting' }, 1, text)?.message ?? '', /^1 model call is running/)
    assert.equal(restartQuestion({ ...unfollowed, why: 'busy' }, 0, text), null)
    assert.match(restartQuestion({ ...unfollowed, why: 'busy' }, 2, text)?.message ?? '', /^2 model calls are running/)
  })

  it('is always asked before a newer gate ends for an older one, with its calls', () => {
    const quiet = restartQuestion({ ...unfollowed, why: 'newer' }, 0, text)
    assert.match(quiet?.message ?? '', /ends the newer gate \(9\.0\.0\) and starts the older one .*\(0\.1\.0\)/)
    assert.equal(quiet?.detail, '')
    assert.match(restartQuestion({ ...unfollowed, why: 'newer' }, 3, text)?.detail ?? '', /^3 model calls are running/)
  })

  it('is always asked before an older gate ends beside which the newer one could not start', () => {
    const question = restartQuestion({ ...unfollowed, version: '0.0.9', why: 'failed' }, 0, text)
    assert.match(
      question?.message ?? '',
      /ends the older gate \(0\.0\.9\)\. Where 0\.1\.0 cannot start again, none runs/,
    )
  })
})
