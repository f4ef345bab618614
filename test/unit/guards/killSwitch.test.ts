import assert from 'node:assert/strict'
import { judgeKillSwitch } from '../../../daemon/guards/killSwitch.ts'

const target = { tenant: 'acme', keyId: 'key-1', task: 'T1' }

describe('the kill switch', () => {
  it('stops everything when it is global', () => {
    assert.equal(judgeKillSwitch([{ scope: 'global', ref: '' }], target)?.code, 'killed')
  })
  it('stops only what it names', () => {
    assert.equal(judgeKillSwitch([{ scope: 'tenant', ref: 'acme' }], target)?.scopeRef, 'acme')
    assert.equal(judgeKillSwitch([{ scope: 'key', ref: 'key-2' }], target), null)
    assert.equal(judgeKillSwitch([{ scope: 'task', ref: 'T1' }], { ...target, task: null }), null)
  })
  it('says how to go on', () => {
    assert.match(judgeKillSwitch([{ scope: 'task', ref: 'T1' }], target)?.message ?? '', /task T1 .*tollgate resume/)
  })
})
