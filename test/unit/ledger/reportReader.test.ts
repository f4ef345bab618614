import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Ledger, NewCallRow, Settlement, SpendReport } from '../../../daemon/ledger/ledger.ts'
import type { ReportGroup } from '../../../shared/report.ts'
import { noUsage } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

const keepAll = { callsBeforeMs: null, eventsBeforeMs: null, mostRows: 1000 }

describe('the sums of a report', () => {
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

  async function call(row: Partial<NewCallRow>, end: Partial<Settlement> = {}): Promise<void> {
    const ask = sampleAsk({ row })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, end))
  }

  function report(by: ReportGroup, range: { from?: string; to?: string; mostRows?: number } = {}): SpendReport {
    const { from = '2026-11-01', to = '2026-11-30', mostRows = 100 } = range
    return ledger.report({ by, fromDay: from, toDay: to, tenant: 'acme', mostRows })
  }

  /** Names with their calls and nano-euro. */
  function short({ rows }: SpendReport): readonly (readonly [string | null, number, number])[] {
    return rows.map(({ name, sums }) => [name, sums.calls, sums.nanoEur])
  }

  it('has every bucket of tokens, calls without a price and list prices', async () => {
    const usage = { ...noUsage, input: 1, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 4, output: 5, reasoning: 5 }
    await call({}, { usage })
    await call({ priced: false }, { usage, costNanoEur: 0 })
    await call({ billing: 'subscription' }, { usage, costNanoEur: 0, listNanoEur: 800 })
    const sums = {
      calls: 3,
      unpricedCalls: 1,
      input: 3,
      cacheRead: 6,
      cacheWrite: 21,
      output: 15,
      nanoEur: 1200,
      listNanoEur: 800,
    }
    for (const by of ['model', 'day'] as const) {
      const { rows, totals } = report(by)
      assert.deepEqual(
        rows.map((row) => row.sums),
        [sums],
      )
      assert.deepEqual(totals, sums)
    }
  })

  it('groups by each name, the dearest first', async () => {
    await call({ model: 'small', project: 'shop', client: 'curl', upstream: 'groq', user: 'ada' }, { costNanoEur: 5 })
    await call({ model: 'large', project: null, client: 'sdk', upstream: 'openai', user: 'grace' }, { costNanoEur: 9 })
    await call({ model: 'small', project: 'shop', client: 'curl', upstream: 'groq', user: 'ada' }, { costNanoEur: 5 })
    const expected: Readonly<Partial<Record<ReportGroup, readonly [string | null, string | null]>>> = {
      model: ['small', 'large'],
      project: ['shop', null],
      client: ['curl', 'sdk'],
      upstream: ['groq', 'openai'],
      user: ['ada', 'grace'],
    }
    for (const [by, [dear, cheap]] of Object.entries(expected)) {
      assert.deepEqual(
        short(report(by as ReportGroup)),
        [
          [dear, 2, 10],
          [cheap, 1, 9],
        ],
        by,
      )
    }
  })

  it('tells users of the same name by their tenant', async () => {
    await call({ tenant: 'acme', user: 'ada' }, { costNanoEur: 2 })
    await call({ tenant: 'other', user: 'ada' }, { costNanoEur: 1 })
    assert.deepEqual(short(report('user')), [
      ['ada', 1, 2],
      ['other/ada', 1, 1],
    ])
  })

  it('has the days of the range only, the oldest first', async () => {
    for (const day of ['2026-11-30', '2026-11-28', '2026-11-29', '2026-11-27']) await call({ day })
    const days = report('day', { from: '2026-11-28', to: '2026-11-29' })
    assert.deepEqual(short(days), [
      ['2026-11-28', 1, 1200],
      ['2026-11-29', 1, 1200],
    ])
    assert.equal(days.totals.calls, 2)
    assert.deepEqual(report('day', { from: '2026-11-01', to: '2026-11-26' }).rows, [])
  })

  it('leaves out what never reached a provider or has not ended', async () => {
    await call({ task: 't1' }, { settlement: 'released', usage: noUsage, costNanoEur: 0 })
    await ledger.reserve(sampleAsk({ row: { task: 't1' } }))
    for (const by of ['model', 'task', 'day'] as const) assert.deepEqual(report(by).rows, [], by)
    assert.equal(report('task').totals.calls, 0)
  })

  it('names tasks, those of calls that upkeep has seen and of newer ones, and what has no task', async () => {
    await call({ task: 't1' }, { costNanoEur: 5 })
    await call({ task: null }, { costNanoEur: 1 })
    ledger.flush()
    assert.equal(ledger.upkeep(keepAll), 2)
    await call({ task: 't1', model: 'other' }, { costNanoEur: 5 })
    await call({ task: 't2', priced: false }, { costNanoEur: 0 })
    await call({ task: 't1', day: '2026-10-31' }, { costNanoEur: 100 })
    const { rows, totals } = report('task')
    assert.deepEqual(
      rows.map(({ name, sums }) => [name, sums.calls, sums.unpricedCalls, sums.nanoEur]),
      [
        ['t1', 2, 0, 10],
        [null, 1, 0, 1],
        ['t2', 1, 1, 0],
      ],
    )
    assert.deepEqual([totals.calls, totals.nanoEur], [4, 11])
  })

  it('has what was charged to a task beside its calls', async () => {
    await call({ task: 't1' })
    await call({ task: 't2' })
    const order = { scope: 'task', atMs: noonMs, stop: null, windowFromMs: null, pausedMs: 0 } as const
    ledger.saveTaskOrders([
      { ...order, ref: 't1', chargedNanoEur: 175, windowChargedNanoEur: 0 },
      { ...order, scope: 'session', ref: 't2', chargedNanoEur: 9, windowChargedNanoEur: 9 },
    ])
    const { rows, totals } = report('task')
    assert.deepEqual(
      rows.map(({ name, chargedNanoEur }) => [name, chargedNanoEur]),
      [
        ['t1', 175],
        ['t2', 0],
      ],
    )
    assert.equal(totals.nanoEur, 2400, 'and not in the sums')
  })

  it('M01: is read while another process holds the write lock', async () => {
    await call({ task: 't1' })
    ledger.flush()
    const other = new Database(join(folder.path, 'ledger.db'), { timeout: 0 })
    other.exec('BEGIN IMMEDIATE; UPDATE lines SET spent_nano = spent_nano + 1')
    assert.deepEqual(short(report('model')), [['gpt-test', 1, 1200]])
    assert.deepEqual(short(report('task')), [['t1', 1, 1200]])
    other.exec('ROLLBACK')
    other.close()
  })

  it('has no more rows than asked for, says how many are left out, and sums up all', async () => {
    for (let task = 1; task <= 5; task += 1) await call({ task: `t${task}`, model: `m${task}` }, { costNanoEur: task })
    for (const by of ['task', 'model'] as const) {
      const { rows, omittedRows, totals } = report(by, { mostRows: 2 })
      assert.deepEqual([rows.map((row) => row.sums.nanoEur), omittedRows, totals.nanoEur], [[5, 4], 3, 15], by)
    }
  })
})
