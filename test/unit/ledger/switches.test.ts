import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { grantOf } from '../budget/grants.ts'
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

  it('keeps grants over a restart, in the order in which they were given, with who gave them and when', () => {
    const user = grantOf({ atMs: noonMs, by: 'extension', nanoEur: 5e9, tokens: 7 })
    const month = grantOf({
      scope: 'tenant',
      ref: 'acme',
      window: 'month',
      period: '2026-11',
      nanoEur: 1,
      atMs: noonMs,
    })
    const life = { scope: 'task', ref: 't1', window: 'life', period: '-' } as const
    const task = grantOf({ ...life, iterations: 20, wallSeconds: 90, untilMs: noonMs + 1, by: 'cli' })
    const ids = [task, user, month].map((grant) => ledger.addGrant(grant))
    assert.deepEqual(ids, [1, 2, 3])
    reopen()
    assert.deepEqual(ledger.grants({ day: '2026-11-30', month: '2026-11' }), [
      task,
      { ...user, id: 2 },
      { ...month, id: 3 },
    ])
  })

  it('leaves out grants that have ended, and those of other days and months', () => {
    const kept = grantOf({ nanoEur: 1, untilMs: noonMs + 1 })
    ledger.addGrant(grantOf({ nanoEur: 2, untilMs: noonMs }))
    ledger.addGrant(grantOf({ nanoEur: 3, period: '2026-11-29' }))
    ledger.addGrant(grantOf({ scope: 'tenant', ref: 'acme', window: 'month', period: '2026-10', nanoEur: 4 }))
    ledger.addGrant(
      grantOf({ scope: 'task', ref: 't1', window: 'life', period: '-', iterations: 5, untilMs: noonMs - 1 }),
    )
    ledger.addGrant(kept)
    assert.deepEqual(ledger.grants({ day: '2026-11-30', month: '2026-11' }), [{ ...kept, id: 5 }])
  })

  it('leaves out a grant that was taken back, over a restart too, and no other', () => {
    const [first, second] = [1, 2].map((nanoEur) => ledger.addGrant(grantOf({ nanoEur })))
    ledger.withdrawGrant(first!)
    ledger.withdrawGrant(99)
    reopen()
    assert.deepEqual(ledger.grants({ day: '2026-11-30', month: '2026-11' }), [grantOf({ id: second!, nanoEur: 2 })])
  })

  it('reads the newest 1000 grants of tasks, and with them every grant of the windows', () => {
    ledger.addGrant(grantOf({ nanoEur: 1 }))
    const task = grantOf({ scope: 'task', window: 'life', period: '-', iterations: 1 })
    for (let at = 0; at < 1003; at += 1) ledger.addGrant({ ...task, ref: `t${at}` })
    const read = ledger.grants({ day: '2026-11-30', month: '2026-11' })
    assert.deepEqual([read.length, read[0]?.ref, read[1]?.ref, read.at(-1)?.ref], [1001, 'acme/ada', 't3', 't1002'])
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
