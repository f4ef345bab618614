import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { noUsage } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

describe('reading the SQLite ledger', () => {
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

  async function settledCall(
    ask: ReturnType<typeof sampleAsk>,
    change: Parameters<typeof sampleSettlement>[1] = {},
  ): Promise<void> {
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, change))
  }

  it('sums a day by token bucket, with what is reserved and what has no price', async () => {
    const usage = {
      ...noUsage,
      input: 10,
      cacheRead: 20,
      cacheWrite5m: 30,
      cacheWrite1h: 40,
      output: 50,
      reasoning: 25,
    }
    await settledCall(sampleAsk(), { usage })
    await settledCall(sampleAsk({ row: { priced: false } }), { usage, costNanoEur: 0 })
    await ledger.reserve(sampleAsk())
    assert.deepEqual(ledger.summary({ user: 'ada', tenant: 'acme', window: 'day', period: '2026-11-30' }), {
      spentNanoEur: 1200,
      listNanoEur: 0,
      reservedNanoEur: 2000,
      tokens: { input: 20, cacheRead: 40, cacheWrite: 140, output: 100 },
      calls: 2,
      unpricedCalls: 1,
    })
  })

  it('separates days, months, users and tenants', async () => {
    await settledCall(sampleAsk())
    await settledCall(sampleAsk({ row: { user: 'grace' } }))
    await settledCall(sampleAsk({ row: { tenant: 'other' } }))
    await settledCall(sampleAsk({ row: { day: '2026-11-29' } }))
    const callsOf = (filter: Parameters<Ledger['summary']>[0]): number => ledger.summary(filter).calls
    assert.equal(callsOf({ window: 'day', period: '2026-11-30' }), 3)
    assert.equal(callsOf({ window: 'day', period: '2026-11-30', tenant: 'acme' }), 2)
    assert.equal(callsOf({ window: 'day', period: '2026-11-30', tenant: 'acme', user: 'ada' }), 1)
    assert.equal(callsOf({ window: 'month', period: '2026-11' }), 4)
    assert.equal(callsOf({ window: 'month', period: '2026-12' }), 0)
  })

  it('lists the models of a day by what they cost', async () => {
    await settledCall(sampleAsk({ row: { model: 'small' } }), { costNanoEur: 1 })
    await settledCall(sampleAsk({ row: { model: 'large' } }), { costNanoEur: 1000 })
    await settledCall(sampleAsk({ row: { model: 'small', client: 'curl' } }), { costNanoEur: 2 })
    await settledCall(sampleAsk({ row: { model: 'small', priced: false } }), { costNanoEur: 0 })
    assert.deepEqual(ledger.byModel('2026-11-30'), [
      { model: 'large', calls: 1, unpricedCalls: 0, nanoEur: 1000, listNanoEur: 0, billing: 'metered' },
      { model: 'small', calls: 3, unpricedCalls: 1, nanoEur: 3, listNanoEur: 0, billing: 'metered' },
    ])
  })

  it('shows a call with everything that was recorded', async () => {
    const usage = {
      input: 90,
      cacheRead: 8,
      cacheWrite5m: 7,
      cacheWrite1h: 6,
      output: 30,
      reasoning: 10,
      audioInput: 1,
      audioCacheRead: 4,
      audioOutput: 2,
      imageInput: 9,
      imageOutput: 5,
      webSearches: 3,
      fileSearches: 11,
      codeContainers: 12,
    }
    const ask = sampleAsk({
      row: {
        project: 'shop',
        task: 'task-1',
        session: 'session-1',
        isRetry: true,
        stream: false,
        receivedAtMs: noonMs,
      },
    })
    await settledCall(ask, { usage, warnings: ['truncated'] })
    assert.deepEqual(ledger.calls({})[0], {
      id: ask.callId,
      time: '2026-11-30T12:00:00.000Z',
      tenant: 'acme',
      user: 'ada',
      project: 'shop',
      task: 'task-1',
      session: 'session-1',
      client: 'openai-node',
      upstream: 'openai',
      dialect: 'openai-chat',
      model: 'gpt-test',
      responseModel: 'gpt-test-2026',
      stream: false,
      isRetry: true,
      state: 'settled',
      settlement: 'exact',
      outcome: 'ok',
      status: 200,
      finish: 'stop',
      usage,
      billing: 'metered',
      eur: 0.0000012,
      listPriceEur: 0,
      reservedEur: 0.000002,
      estimatedInput: 100,
      usdRate: 0.92,
      rateAsOf: '2026-11-01',
      price: 'openai/gpt-test (2026-09-23; 10/10)',
      durationMs: 812,
      firstByteMs: 211,
      warnings: ['truncated'],
    })
  })

  it('shows a call that has not ended as reserved, with no end', async () => {
    await ledger.reserve(sampleAsk())
    const [row] = ledger.calls({})
    assert.equal(row?.state, 'reserved')
    assert.equal(row.settlement, null)
    assert.equal(row.eur, 0)
  })

  it('lists calls newest first, since a time, of a task, up to a limit', async () => {
    for (let call = 1; call <= 6; call += 1) {
      const task = call % 2 === 0 ? 'even' : 'odd'
      await settledCall(sampleAsk({ callId: `c${call}`, row: { task, receivedAtMs: noonMs + call * 1000 } }))
    }
    const ids = (filter: Parameters<Ledger['calls']>[0]): string[] => ledger.calls(filter).map((row) => row.id)
    assert.deepEqual(ids({}), ['c6', 'c5', 'c4', 'c3', 'c2', 'c1'])
    assert.deepEqual(ids({ limit: 2 }), ['c6', 'c5'])
    assert.deepEqual(ids({ sinceMs: noonMs + 5000 }), ['c6', 'c5'])
    assert.deepEqual(ids({ task: 'odd' }), ['c5', 'c3', 'c1'])
    assert.deepEqual(ids({ task: 'odd', sinceMs: noonMs + 2000, limit: 1 }), ['c5'])
  })

  it('finds every call since a time when the clock steps back and calls are reserved out of order', async () => {
    for (const [id, offsetMs] of [
      ['late', 60_000],
      ['stepped-back', -60_000],
      ['waited', 30_000],
      ['same', 60_000],
    ] as const) {
      await settledCall(sampleAsk({ callId: id, row: { receivedAtMs: noonMs + offsetMs } }))
    }
    assert.deepEqual(
      ledger.calls({ sinceMs: noonMs }).map((row) => row.id),
      ['same', 'waited', 'late'],
    )
    assert.equal(ledger.calls({ sinceMs: noonMs - 60_000 }).length, 4)
  })

  it('finds one call by its id, and nothing for another id or a later time', async () => {
    for (const callId of ['a', 'b', 'c']) await settledCall(sampleAsk({ callId }))
    const found = (filter: Parameters<Ledger['calls']>[0]) => ledger.calls(filter).map(({ id }) => id)
    assert.deepEqual(found({ call: 'b' }), ['b'])
    assert.deepEqual(found({ call: 'b', sinceMs: noonMs + 86_400_000 }), [])
    assert.deepEqual(found({ call: 'none' }), [])
  })

  describe('events', () => {
    it('come newest first, since a time and up to a limit, with their own fields', () => {
      ledger.recordEvent({ event: 'truncated', model: 'm', id: 'not the row', time: 'not the time' }, noonMs)
      ledger.recordEvent({ event: 'alert' }, noonMs + 1000)
      const rows = ledger.events({})
      assert.deepEqual(
        rows.map((row) => row.event),
        ['alert', 'truncated'],
      )
      assert.deepEqual(rows[1], { id: 1, time: '2026-11-30T12:00:00.000Z', event: 'truncated', model: 'm' })
      assert.equal(ledger.events({ sinceMs: noonMs + 1 }).length, 1)
      assert.equal(ledger.events({ limit: 1 })[0]?.event, 'alert')
    })

    it('are bounded: the newest 10,000 stay', () => {
      for (let event = 1; event <= 10_600; event += 1)
        ledger.recordEvent({ event: 'refused', event_number: event }, noonMs)
      const rows = ledger.events({ limit: 20_000 })
      assert.equal(rows.length, 10_000)
      assert.equal(rows[0]?.['event_number'], 10_600)
      assert.equal(rows.at(-1)?.['event_number'], 601)
      const file = new Database(join(folder.path, 'ledger.db'), { readonly: true })
      const kept = file.prepare<[], number>('SELECT count(*) FROM events').pluck().get()
      file.close()
      assert.ok(kept !== undefined && kept >= 10_000 && kept < 10_300, `${String(kept)} events in the file`)
    })
  })
})
