import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { noUsage } from '../../../shared/usage.ts'
import type { ReconciliationSummary } from '../../../shared/reconciliation.ts'
import { openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

const period = { fromMs: Date.parse('2026-11-29T00:00:00Z'), toMs: Date.parse('2026-12-01T00:00:00Z') }
const whole = { sinceMs: period.fromMs, untilMs: null }

describe('reconciliations in the SQLite ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let ledger: Ledger

  beforeEach(() => {
    folder = temporaryFolder()
    ledger = openLedger(join(folder.path, 'ledger.db'))
  })
  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  async function call(
    time: string,
    change: Parameters<typeof sampleSettlement>[1] = {},
    row: NonNullable<Parameters<typeof sampleAsk>[0]>['row'] = {},
  ): Promise<void> {
    const ask = sampleAsk({ row: { receivedAtMs: Date.parse(time), ...row } })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, change))
  }

  it('sum calls by UTC day, served name, tier and exchange rate', async () => {
    const usage = { ...noUsage, input: 10, cacheRead: 20, cacheWrite1h: 30, output: 5, webSearches: 2 }
    assert.equal(ledger.oldestCallMs(), null)
    await call('2026-11-29T23:59:59.999Z', { usage, costNanoEur: 100 })
    await call('2026-11-30T00:00:00Z', { usage, costNanoEur: 200, tier: 'priority' })
    await call('2026-11-30T01:00:00Z', { usage, costNanoEur: 300, settlement: 'partial' })
    await call('2026-11-30T02:00:00Z', { usage, costNanoEur: 400, tier: null })
    await call('2026-11-30T03:00:00Z', { usage, costNanoEur: 500 }, { usdRate: 0.5 })
    await call('2026-12-01T00:00:00Z', { usage, costNanoEur: 1 })
    const rows = ledger.usageByUtcDay(period, whole)
    assert.deepEqual(
      rows.map((row) => [row.day - 20_786, row.tier, row.usdRate, row.calls, row.nanoEur, row.estimatedNanoEur]).sort(),
      [
        [0, null, 0.92, 1, 100, 0],
        [1, 'priority', 0.92, 1, 200, 0],
        [1, null, 0.5, 1, 500, 0],
        [1, null, 0.92, 2, 700, 300],
      ].sort(),
    )
    const two = rows.find(({ calls }) => calls === 2)!
    assert.deepEqual(
      [two.upstream, two.model, two.responseModel, two.inputTokens, two.outputTokens, two.webSearches],
      ['openai', 'gpt-test', 'gpt-test-2026', 120, 10, 4],
    )
    assert.equal(ledger.oldestCallMs(), Date.parse('2026-11-29T23:59:59.999Z'))
  })

  it('leave out calls that are open, reached no provider, or are paid for by a subscription', async () => {
    await ledger.reserve(sampleAsk())
    await call('2026-11-30T01:00:00Z', { settlement: 'released' })
    await call('2026-11-30T01:00:00Z', { costNanoEur: 0, listNanoEur: 9 }, { billing: 'subscription' })
    assert.deepEqual(ledger.usageByUtcDay(period, whole), [])
  })

  it('find each call in one slice, also after the clock was set back', async () => {
    await call('2026-11-30T12:00:00Z')
    await call('2026-11-29T12:00:00Z')
    const middle = Date.parse('2026-11-30T00:00:00Z')
    const slices = [
      { sinceMs: period.fromMs, untilMs: middle },
      { sinceMs: middle, untilMs: null },
    ]
    const found = slices.map((slice) => ledger.usageByUtcDay(period, slice).reduce((sum, { calls }) => sum + calls, 0))
    assert.deepEqual(found, [0, 2])
  })

  it('are kept over a restart, the newest of each provider and unit', () => {
    const summary: ReconciliationSummary = {
      provider: 'openai',
      format: 'a test',
      unit: 'usd',
      from: '2026-11-01',
      to: '2026-11-30',
      invoice: 1,
      local: 1,
      drift: 1,
      coverage: 1,
      models: [],
    }
    for (let at = 1; at <= 30; at += 1) ledger.saveReconciliation({ ...summary, invoice: at }, at)
    ledger.saveReconciliation({ ...summary, unit: 'tokens' }, 40)
    ledger.close()
    ledger = openLedger(join(folder.path, 'ledger.db'))
    assert.deepEqual(
      ledger.reconciliations().map(({ atMs, summary: kept }) => [atMs, kept.unit, kept.invoice]),
      [
        [40, 'tokens', 1],
        [30, 'usd', 30],
      ],
    )
    assert.deepEqual(ledger.check(), [])
  })
})
