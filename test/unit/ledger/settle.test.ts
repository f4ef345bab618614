import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger, WindowChange } from '../../../daemon/ledger/ledger.ts'
import { noUsage, totalTokens } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleScopes, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

describe('settling in the SQLite ledger', () => {
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

  it('replaces the reservation by what was used, in every scope', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    for (const scope of ask.scopes) {
      assert.deepEqual(ledger.totals(scope), {
        spentNanoEur: 1200,
        reservedNanoEur: 0,
        spentTokens: 120,
        reservedTokens: 0,
      })
    }
  })

  it('A07: leaves the totals as they are when a settlement is repeated', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
    ledger.settle(sampleSettlement(ask.callId))
    ledger.settle(sampleSettlement(ask.callId, { costNanoEur: 5 }))
    assert.equal(ledger.totals(userDay).spentNanoEur, 1200)
    assert.deepEqual(ledger.check(), [])
  })

  it('L03: keeps the first of two settlements that race in one tick', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.settle(sampleSettlement(ask.callId, { outcome: 'client_closed', settlement: 'partial', costNanoEur: 700 }))
    const [row] = ledger.calls({})
    assert.equal(row?.outcome, 'ok')
    assert.equal(ledger.totals(userDay).spentNanoEur, 1200)
  })

  it('settles a call once whose end came before its reservation was written', async () => {
    const ask = sampleAsk()
    const reserved = ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    await reserved
    assert.equal(ledger.totals(userDay).spentNanoEur, 1200)
    assert.equal(ledger.totals(userDay).reservedNanoEur, 0)
  })

  it('ignores the end of a call that was never reserved', () => {
    ledger.settle(sampleSettlement('unknown'))
    assert.deepEqual(ledger.calls({}), [])
    assert.equal(ledger.totals(userDay).spentNanoEur, 0)
  })

  it('moves nothing into spent for a call that was released', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, { settlement: 'released', outcome: 'upstream_unreachable' }))
    assert.deepEqual(ledger.totals(userDay), {
      spentNanoEur: 0,
      reservedNanoEur: 0,
      spentTokens: 0,
      reservedTokens: 0,
    })
    assert.equal(ledger.calls({})[0]?.settlement, 'released')
    assert.equal(ledger.summary({ window: 'day', period: '2026-11-30' }).calls, 0)
    assert.deepEqual(ledger.check(), [])
  })

  it('records a settlement above its reservation in full, and the next admission sees it', async () => {
    const scopes = sampleScopes({ userEur: 10_000 })
    const ask = sampleAsk({ scopes })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, { costNanoEur: 9000 }))
    const next = await ledger.reserve(sampleAsk({ scopes }))
    assert.ok(next.kind === 'refused' && next.reason === 'spent')
    assert.equal(ledger.totals(userDay).spentNanoEur, 9000)
  })

  it('M08: charges the whole reservation where the figures are no numbers', async () => {
    const asks = [sampleAsk(), sampleAsk(), sampleAsk()]
    await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    ledger.settle(sampleSettlement(asks[0]!.callId, { costNanoEur: Number.NaN }))
    ledger.settle(sampleSettlement(asks[1]!.callId, { usage: { ...noUsage, input: -5 } }))
    ledger.settle(sampleSettlement(asks[2]!.callId, { usage: { ...noUsage, output: Number.POSITIVE_INFINITY } }))
    assert.equal(ledger.totals(userDay).spentNanoEur, 6000)
    assert.equal(ledger.totals(userDay).spentTokens, 600)
    for (const row of ledger.calls({})) {
      assert.equal(row.settlement, 'estimated')
      assert.deepEqual(row.warnings, ['unusable_usage'])
    }
    assert.deepEqual(ledger.check(), [])
  })

  it('writes a settlement within milliseconds when nothing else is written', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    const settled = new Promise<string>((resolve) => ledger.onSettled(resolve))
    ledger.settle(sampleSettlement(ask.callId))
    assert.equal(await settled, ask.callId)
  })

  it('tells observers the windows with their caps, and when money came back', async () => {
    const changes: (readonly WindowChange[])[] = []
    let freed = 0
    ledger.onSettled((_, change) => changes.push(change))
    ledger.onFreed(() => (freed += 1))
    const ask = sampleAsk({ scopes: sampleScopes({ userEur: 10_000 }) })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
    assert.deepEqual(changes[0]?.[0], {
      scope: ask.scopes[0],
      totals: { spentNanoEur: 1200, reservedNanoEur: 0, spentTokens: 120, reservedTokens: 0 },
    })
    assert.equal(changes[0].length, 3)
    assert.equal(freed, 1)

    const full = sampleAsk()
    await ledger.reserve(full)
    const usage = { ...noUsage, input: 100, output: 100 }
    ledger.settle(sampleSettlement(full.callId, { costNanoEur: 2000, usage }))
    ledger.flush()
    assert.equal(freed, 1, 'a call that used all it held gives nothing back')
  })

  it('goes on when an observer throws', async () => {
    ledger.onSettled(() => {
      throw new Error('observer')
    })
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
    assert.equal(ledger.totals(userDay).spentNanoEur, 1200)
  })

  describe('A06: reservations of a process that died', () => {
    it('are settled once at their worst case and hold nothing any more', async () => {
      const scopes = sampleScopes({ userEur: 6000 })
      const asks = Array.from({ length: 3 }, () => sampleAsk({ scopes, inputTokens: 150, outputTokens: 50 }))
      await Promise.all(asks.map((ask) => ledger.reserve(ask)))

      const successor = openLedger(path, 'second')
      try {
        assert.deepEqual(successor.settleOrphans(noonMs + 60_000), { calls: 3, costNanoEur: 6000 })
        assert.equal(successor.settleOrphans(noonMs + 60_000).calls, 0)
        assert.equal(successor.orphanedTotal(), 3)
        assert.deepEqual(successor.totals(userDay), {
          spentNanoEur: 6000,
          reservedNanoEur: 0,
          spentTokens: 600,
          reservedTokens: 0,
        })
        for (const row of successor.calls({})) {
          assert.equal(row.settlement, 'orphaned')
          assert.equal(row.outcome, 'orphaned')
          assert.deepEqual(row.usage, { ...noUsage, input: 150, output: 50 })
          assert.equal(totalTokens(row.usage), 200)
        }
        assert.deepEqual(successor.check(), [])
      } finally {
        successor.close()
      }
    })

    it('are told apart from those of this process', async () => {
      await ledger.reserve(sampleAsk())
      assert.equal(ledger.settleOrphans(noonMs).calls, 0)
      assert.equal(ledger.totals(userDay).reservedNanoEur, 2000)
    })

    it('A07: are not charged again when their process turns out to be alive', async () => {
      const ask = sampleAsk()
      await ledger.reserve(ask)
      const successor = openLedger(path, 'second')
      successor.settleOrphans(noonMs)
      successor.close()
      ledger.settle(sampleSettlement(ask.callId))
      assert.equal(ledger.totals(userDay).spentNanoEur, 2000)
      assert.deepEqual(ledger.check(), [])
    })

    it('may be settled exactly by a ledger that was opened later', async () => {
      const ask = sampleAsk()
      await ledger.reserve(ask)
      const successor = openLedger(path, 'second')
      successor.settle(sampleSettlement(ask.callId))
      assert.deepEqual(successor.totals(userDay), {
        spentNanoEur: 1200,
        reservedNanoEur: 0,
        spentTokens: 120,
        reservedTokens: 0,
      })
      successor.close()
    })
  })
})
