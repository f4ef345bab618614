import assert from 'node:assert/strict'
import type { AwayReason } from '../../../extension/daemon/connection.ts'
import { awayText, downView, unfollowedText } from '../../../extension/ui/awayText.ts'
import { text } from './support.ts'

const said = (reason: AwayReason, gaveUp = false): string => awayText({ kind: 'away', reason, gaveUp }, text)

describe('why the gate is away', () => {
  it('is said by the last line that a process logged which could not start, without the name that it gives itself', () => {
    const detail = 'tollgate: budgets.userDaily.eur must be a number.'
    assert.equal(
      said({ kind: 'exited', code: 2, detail }, true),
      'It ended with code 2: budgets.userDaily.eur must be a number.',
    )
    assert.equal(said({ kind: 'exited', code: 'SIGKILL', detail: '' }), 'It ended with code SIGKILL.')
  })

  it('is a lost connection once, and where it happens again and again how often', () => {
    const lost = { kind: 'connectionLost', detail: '' } as const
    assert.equal(said(lost), 'The connection to it was lost.')
    assert.equal(said(lost, true), 'It ended 5 times within 3 minutes.')
  })

  it('is a port that cannot be had, with the setting that helps and not with a flag that nobody can pass here', () => {
    for (const [kind, why] of [
      ['taken', /^Port 4141 is used by another program, for example by the gate of another VS Code edition\./],
      ['unusable', /^The system does not give port 4141 to the gate\./],
    ] as const) {
      const reason = { kind: 'noPort', fault: { port: 4141, kind } } as const
      assert.match(said(reason, true), why)
      assert.match(said(reason, true), / setting tollgate\.daemon\.port\.$/)
      assert.doesNotMatch(said(reason, true), /--port|code/)
      const view = downView({ kind: 'away', reason, gaveUp: true }, text)
      assert.deepEqual([view.setting, view.reason, view.gaveUp], ['tollgate.daemon.port', said(reason, true), true])
    }
    assert.equal(downView({ kind: 'away', reason: { kind: 'timeout' }, gaveUp: true }, text).setting, undefined)
  })

  it('is told for every other reason', () => {
    assert.match(said({ kind: 'spawnFailed', detail: 'no such file' }), /no such file/)
    assert.match(said({ kind: 'timeout' }), /8 seconds/)
  })
})

describe('why a gate that runs cannot be followed', () => {
  it('is told with its version and what comes next, or where to look', () => {
    const gate = { kind: 'unfollowed', version: '1.2.3', ownVersion: '0.1.0' } as const
    assert.match(unfollowedText({ ...gate, why: 'newer' }, text), /newer Tollgate \(1\.2\.3\) .* Update the extension/)
    assert.match(unfollowedText({ ...gate, why: 'busy' }, text), /older Tollgate \(1\.2\.3\) is busy/)
    assert.match(unfollowedText({ ...gate, why: 'failed' }, text), /^Tollgate 0\.1\.0 could not start, so the older/)
  })
})
