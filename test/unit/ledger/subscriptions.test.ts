import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import type { Ledger, ReservationAsk } from '../../../daemon/ledger/ledger.ts'
import { noonMs, openLedger, sampleAsk, sampleScopes, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

/** An ask of a subscription: 2,000 nano-euro at list price that no window is charged. */
function listedAsk(change: Parameters<typeof sampleAsk>[0] = {}): ReservationAsk {
  return sampleAsk({
    cost: () => 0,
    listPrice: (output) => 10 * (100 + output),
    ...change,
    row: { billing: 'subscription', ...change.row },
  })
}

const listed = { costNanoEur: 0, listNanoEur: 1200 }

describe('calls of subscriptions in the ledger', () => {
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

  it('pass an exhausted euro cap, count their tokens, and add up', async () => {
    const scopes = sampleScopes({ userEur: 0, userTokens: 250 })
    const ask = listedAsk({ scopes })
    assert.equal((await ledger.reserve(ask)).kind, 'admitted')
    assert.equal(ledger.totals(userDay).reservedNanoEur, 0)
    assert.equal(ledger.totals(userDay).reservedTokens, 200)
    ledger.settle(sampleSettlement(ask.callId, listed))
    assert.deepEqual(ledger.totals(userDay), {
      spentNanoEur: 0,
      reservedNanoEur: 0,
      spentTokens: 120,
      reservedTokens: 0,
    })
    const refused = await ledger.reserve(listedAsk({ scopes }))
    assert.ok(refused.kind === 'refused' && refused.unit === 'tokens')
    assert.deepEqual(ledger.check(), [])
  })

  it('stand beside what is spent: in the summary, by model, and in their own row', async () => {
    const paid = sampleAsk()
    const free = listedAsk()
    const counted = sampleAsk({ row: { billing: 'subscription', model: 'counted' } })
    for (const ask of [paid, free, counted]) await ledger.reserve(ask)
    assert.deepEqual(
      ledger.calls({}).map(({ listPriceEur }) => listPriceEur),
      [0, 0, 0],
    )
    ledger.settle(sampleSettlement(paid.callId))
    ledger.settle(sampleSettlement(free.callId, listed))
    ledger.settle(sampleSettlement(counted.callId))
    const { spentNanoEur, listNanoEur, calls } = ledger.summary({ window: 'day', period: '2026-11-30' })
    assert.deepEqual([spentNanoEur, listNanoEur, calls], [2400, 1200, 3])
    assert.deepEqual(ledger.byModel('2026-11-30'), [
      { model: 'gpt-test', calls: 2, unpricedCalls: 0, nanoEur: 1200, listNanoEur: 1200, billing: 'both' },
      { model: 'counted', calls: 1, unpricedCalls: 0, nanoEur: 1200, listNanoEur: 0, billing: 'subscription' },
    ])
    assert.deepEqual(
      ledger.calls({}).map(({ billing, eur, listPriceEur }) => [billing, eur, listPriceEur]),
      [
        ['subscription', 0.0000012, 0],
        ['subscription', 0, 0.0000012],
        ['metered', 0.0000012, 0],
      ],
    )
    assert.deepEqual(ledger.check(), [])
  })

  it('A22: count into what a task came to at list price, open ones at their worst case', async () => {
    const ended = listedAsk({ row: { task: 'night' } })
    await ledger.reserve(ended)
    ledger.settle(sampleSettlement(ended.callId, listed))
    await ledger.reserve(listedAsk({ row: { task: 'night' } }))
    ledger.flush()
    assert.equal(ledger.taskSoFar('night')?.spentNanoEur, 1200 + 2000)
    const other = listedAsk({ row: { task: 'day' } })
    await ledger.reserve(other)
    ledger.settle(sampleSettlement(other.callId, listed))
    assert.equal(ledger.taskSamples(0).find(({ task }) => task === 'day')?.costNanoEur, 1200)
  })

  it('keep their worst case where the daemon died, and cost nothing all the same', async () => {
    await ledger.reserve(listedAsk())
    ledger.close()
    ledger = openLedger(path, 'second')
    assert.equal(ledger.settleOrphans(noonMs + 5000).calls, 1)
    const { spentNanoEur, listNanoEur } = ledger.summary({ window: 'day', period: '2026-11-30' })
    assert.deepEqual([spentNanoEur, listNanoEur], [0, 2000])
    assert.deepEqual(ledger.check(), [])
  })

  it('that were never sent have no list price', async () => {
    const ask = listedAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, { ...listed, settlement: 'released' }))
    assert.equal(ledger.summary({ window: 'day', period: '2026-11-30' }).listNanoEur, 0)
    assert.deepEqual(ledger.check(), [])
  })

  it('with a list price that is no amount keep their worst case', async () => {
    for (const listNanoEur of [NaN, -1, Infinity]) {
      const ask = listedAsk()
      await ledger.reserve(ask)
      ledger.settle(sampleSettlement(ask.callId, { costNanoEur: 0, listNanoEur }))
    }
    assert.equal(ledger.summary({ window: 'day', period: '2026-11-30' }).listNanoEur, 6000)
    await assert.rejects(ledger.reserve(listedAsk({ listPrice: () => NaN })), RangeError)
    assert.deepEqual(ledger.check(), [])
  })

  it('are part of the proof: a list price that was changed is named as the day of its user', async () => {
    const ask = listedAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, listed))
    ledger.flush()
    const other = new Database(path)
    other.exec('UPDATE lines SET list_nano = list_nano + 5')
    other.close()
    assert.deepEqual(
      ledger.check().map(({ scope, window, calls }) => [scope.ref, window.spentNanoEur, calls.spentNanoEur]),
      [['acme/ada', 1205, 1200]],
    )
  })

  it('leave windows, lines and list prices equal to the sum of the calls, however they are mixed', async () => {
    const call = fc.record({
      isListed: fc.boolean(),
      nanoEur: fc.integer({ min: 0, max: 1_000_000 }),
      end: fc.constantFrom('exact', 'partial', 'released', 'open'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        const before = ledger.summary({ window: 'day', period: '2026-11-30' })
        const sums = { spent: before.spentNanoEur, listed: before.listNanoEur }
        for (const { isListed, nanoEur, end } of calls) {
          const ask = isListed ? listedAsk() : sampleAsk()
          await ledger.reserve(ask)
          if (end === 'open') continue
          const charged = isListed ? { costNanoEur: 0, listNanoEur: nanoEur } : { costNanoEur: nanoEur }
          ledger.settle(sampleSettlement(ask.callId, { ...charged, settlement: end }))
          if (end === 'released') continue
          if (isListed) sums.listed += nanoEur
          else sums.spent += nanoEur
        }
        const after = ledger.summary({ window: 'day', period: '2026-11-30' })
        assert.deepEqual([after.spentNanoEur, after.listNanoEur], [sums.spent, sums.listed])
        assert.equal(ledger.totals(userDay).spentNanoEur, sums.spent)
        assert.deepEqual(ledger.check(), [])
      }),
      { numRuns: 15 },
    )
  })
})

describe('spend by the hour', () => {
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

  it('adds up settled calls by the hour of their arrival, list prices included', async () => {
    const hourMs = 3_600_000
    const at = async (receivedAtMs: number, isListed: boolean): Promise<void> => {
      const ask = isListed ? listedAsk({ row: { receivedAtMs } }) : sampleAsk({ row: { receivedAtMs } })
      await ledger.reserve(ask)
      ledger.settle(sampleSettlement(ask.callId, isListed ? listed : {}))
    }
    await at(noonMs, false)
    await at(noonMs + 1, true)
    await at(noonMs + hourMs, false)
    await ledger.reserve(sampleAsk({ row: { receivedAtMs: noonMs + hourMs + 1 } }))
    ledger.flush()
    const noon = noonMs / hourMs
    assert.deepEqual(ledger.spendByHour(noonMs, noonMs + 2 * hourMs), [
      { hour: noon, nanoEur: 2400 },
      { hour: noon + 1, nanoEur: 1200 },
    ])
    assert.deepEqual(ledger.spendByHour(noonMs + 1, noonMs + hourMs), [{ hour: noon, nanoEur: 1200 }])
    assert.deepEqual(ledger.spendByHour(0, noonMs), [])
  })
})
