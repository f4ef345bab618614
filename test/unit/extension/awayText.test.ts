import assert from 'node:assert/strict'
import type { AwayReason } from '../../../extension/daemon/connection.ts'
import { awayText } from '../../../extension/ui/awayText.ts'
import { text } from './support.ts'

const said = (reason: AwayReason, gaveUp = false): string => awayText({ kind: 'away', reason, gaveUp }, text)

describe('why the gate is away', () => {
  it('is said by the last line that a process logged which could not start, without the name that it gives itself', () => {
    const detail = 'tollgate: port 4141 is used by another program. Give another one with --port.'
    assert.equal(
      said({ kind: 'exited', code: 2, detail }, true),
      'It ended with code 2: port 4141 is used by another program. Give another one with --port.',
    )
    assert.equal(said({ kind: 'exited', code: 'SIGKILL', detail: '' }), 'It ended with code SIGKILL.')
  })

  it('is a lost connection once, and where it happens again and again how often', () => {
    const lost = { kind: 'connectionLost', detail: '' } as const
    assert.equal(said(lost), 'The connection to it was lost.')
    assert.equal(said(lost, true), 'It ended 5 times within 3 minutes.')
  })

  it('is told for every other reason, with the version of another gate', () => {
    for (const reason of [
      { kind: 'spawnFailed', detail: '1.2.3' },
      { kind: 'incompatible', version: '1.2.3' },
      { kind: 'busyOld', version: '1.2.3' },
      { kind: 'retireFailed', version: '1.2.3' },
    ] as const)
      assert.match(said(reason), /1\.2\.3/)
    assert.match(said({ kind: 'timeout' }), /8 seconds/)
  })
})
