import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { noonMs, openLedger, sampleAsk, sampleScopes, temporaryFolder, userDay } from './sample.ts'

describe('what the ledger keeps besides calls', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string
  let ledger: Ledger

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
    ledger = openLedger(path)
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  function reopen(): void {
    ledger.close()
    ledger = openLedger(path, 'second')
  }

  it('keeps kill switches over a restart, each with the time at which it was first set', () => {
    ledger.setKill({ scope: 'global', ref: '', sinceMs: noonMs })
    ledger.setKill({ scope: 'task', ref: 't1', sinceMs: noonMs + 1 })
    ledger.setKill({ scope: 'global', ref: '', sinceMs: noonMs + 5000 })
    reopen()
    assert.deepEqual(ledger.kills(), [
      { scope: 'global', ref: '', sinceMs: noonMs },
      { scope: 'task', ref: 't1', sinceMs: noonMs + 1 },
    ])
    ledger.clearKill('global', '')
    reopen()
    assert.deepEqual(ledger.kills(), [{ scope: 'task', ref: 't1', sinceMs: noonMs + 1 }])
  })

  it('keeps caps that hold for a time, null and 0 alike, and drops those whose time is over', () => {
    ledger.setCapOverride({ field: 'userDailyEur', value: 10, untilMs: null })
    ledger.setCapOverride({ field: 'userDailyEur', value: 12.5, untilMs: noonMs + 1 })
    ledger.setCapOverride({ field: 'tenantMonthlyEur', value: null, untilMs: null })
    ledger.setCapOverride({ field: 'userDailyTokens', value: 0, untilMs: null })
    ledger.setCapOverride({ field: 'tenantDailyEur', value: 3, untilMs: noonMs })
    reopen()
    assert.deepEqual(ledger.capOverrides(), [
      { field: 'tenantMonthlyEur', value: null, untilMs: null },
      { field: 'userDailyEur', value: 12.5, untilMs: noonMs + 1 },
      { field: 'userDailyTokens', value: 0, untilMs: null },
    ])
  })

  it('keeps the newest residual of each model over a restart', () => {
    ledger.saveResidual('openai', 'a', 1.1, 1)
    ledger.saveResidual('openai', 'a', 1.02, 2)
    ledger.saveResidual('anthropic', 'b', 0.9, 7)
    reopen()
    assert.deepEqual(ledger.residuals(), [
      { upstream: 'anthropic', model: 'b', ratio: 0.9, samples: 7 },
      { upstream: 'openai', model: 'a', ratio: 1.02, samples: 2 },
    ])
  })

  it('gives an alert of a window away once, over restarts and processes', async () => {
    assert.equal(ledger.claimAlert(userDay), true)
    assert.equal(ledger.claimAlert(userDay), false)
    assert.equal(ledger.claimAlert({ ...userDay, period: '2026-12-01' }), true)
    const other = openLedger(path, 'other')
    assert.equal(other.claimAlert(userDay), false)
    other.close()
    reopen()
    assert.equal(ledger.claimAlert(userDay), false)
    await ledger.reserve(sampleAsk())
    assert.equal(ledger.totals(userDay).reservedNanoEur, 2000)
    assert.deepEqual(ledger.check(), [])
  })

  it('keeps an alert of a window that was charged before', async () => {
    await ledger.reserve(sampleAsk())
    assert.equal(ledger.claimAlert(userDay), true)
    await ledger.reserve(sampleAsk())
    assert.equal(ledger.claimAlert(userDay), false)
    assert.equal(ledger.totals(userDay).reservedNanoEur, 4000)
  })

  it('keeps an alert of a window that has only refused so far', async () => {
    const refused = await ledger.reserve(sampleAsk({ scopes: sampleScopes({ userEur: 1 }) }))
    assert.equal(refused.kind, 'refused')
    assert.equal(ledger.claimAlert(userDay), true)
    assert.equal((await ledger.reserve(sampleAsk())).kind, 'admitted')
    assert.equal(ledger.claimAlert(userDay), false)
  })

  it('counts no orphans where there were none', () => {
    assert.equal(ledger.orphanedTotal(), 0)
  })
})
