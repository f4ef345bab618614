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
  it('says how to go on: only the global switch is lifted in the status bar', () => {
    const said = (kill: { scope: 'global' | 'key'; ref: string }): string =>
      judgeKillSwitch([kill], target)?.message ?? ''
    assert.equal(
      said({ scope: 'global', ref: '' }),
      'All model calls are stopped by the Tollgate kill switch. Resume in the status bar of VS Code, or with "tollgate resume".',
    )
    assert.equal(
      said({ scope: 'key', ref: 'key-1' }),
      'Calls of key key-1 are stopped by the Tollgate kill switch. They go on with "tollgate resume --scope key --ref key-1".',
    )
  })
})
