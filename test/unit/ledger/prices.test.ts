import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { openLedger, sampleAsk, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

describe('prices and days in the ledger', () => {
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

  async function call(row: NonNullable<Parameters<typeof sampleAsk>[0]>['row'], costNanoEur: number): Promise<void> {
    const ask = sampleAsk(row === undefined ? {} : { row })
    assert.equal((await ledger.reserve(ask)).kind, 'admitted')
    ledger.settle(sampleSettlement(ask.callId, { costNanoEur }))
  }

  it('M10: keeps rate, date and euros of a call when the rate changes, and adds up what was stored', async () => {
    await call({ usdRate: 0.92, rateAsOf: '2026-11-01' }, 920)
    await call({ usdRate: 0.5, rateAsOf: '2026-11-30' }, 500)
    const rows = ledger.calls({}).map(({ usdRate, rateAsOf, eur }) => [usdRate, rateAsOf, eur])
    assert.deepEqual(rows, [
      [0.5, '2026-11-30', 0.0000005],
      [0.92, '2026-11-01', 0.00000092],
    ])
    assert.equal(ledger.totals(userDay).spentNanoEur, 1420)
    assert.equal(ledger.summary({ window: 'day', period: '2026-11-30' }).spentNanoEur, 1420)
    assert.deepEqual(ledger.check(), [])
  })

  it('E09: keeps with each call where its price came from', async () => {
    await call({ price: 'openai/gpt-5 (table of 2026-09-23; 1.25/10)' }, 1)
    await call({ price: 'override gpt-* (1/8)' }, 1)
    await call({ price: null, priced: false }, 0)
    assert.deepEqual(
      ledger.calls({}).map(({ price }) => price),
      [null, 'override gpt-* (1/8)', 'openai/gpt-5 (table of 2026-09-23; 1.25/10)'],
    )
    assert.deepEqual(ledger.check(), [])
  })

  it('M04: knows the youngest day that a call was reserved for, also after a restart', async () => {
    assert.equal(ledger.newestDay(), null)
    await call({ day: '2026-12-01', month: '2026-12' }, 1)
    await call({ day: '2026-11-30' }, 1)
    assert.equal(ledger.newestDay(), '2026-12-01')
    ledger.close()
    ledger = openLedger(join(folder.path, 'ledger.db'), 'second')
    assert.equal(ledger.newestDay(), '2026-12-01')
  })
})
