import assert from 'node:assert/strict'
import fc from 'fast-check'
import { join } from 'node:path'
import { foldSeries, mostSeriesRows, readSeriesQuery, spendSeries } from '../../../daemon/control/series.ts'
import { spendReport } from '../../../daemon/control/report.ts'
import { dayKey, monthKey } from '../../../daemon/budget/windows.ts'
import type { Ledger, NewCallRow, Settlement } from '../../../daemon/ledger/ledger.ts'
import type { ReportSums } from '../../../shared/report.ts'
import type { Series, SeriesGroup, SeriesUnit } from '../../../shared/series.ts'
import { noUsage } from '../../../shared/usage.ts'
import { openLedger, sampleAsk, sampleSettlement, temporaryFolder } from '../ledger/sample.ts'

const today = '2026-11-30'
const currency = { code: 'EUR', usdRate: 0.92, asOf: '2026-11-01' } as const
const sumNames = [
  'calls',
  'unpricedCalls',
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'eur',
  'listPriceEur',
] as const

function query(parameters: Readonly<Record<string, string>>): ReturnType<typeof readSeriesQuery> {
  return readSeriesQuery((name) => parameters[name] ?? null, today)
}

describe('the parameters of a series', () => {
  it('are the last 30 days by model where nothing is said; today by hour, a year by month', () => {
    assert.deepEqual(query({}), { unit: 'day', by: 'model', from: '2026-11-01', to: today })
    assert.deepEqual(query({ unit: 'hour', by: 'project' }), { unit: 'hour', by: 'project', from: today, to: today })
    assert.deepEqual(query({ unit: 'month' }), { unit: 'month', by: 'model', from: '2025-12-01', to: today })
    assert.deepEqual(query({ days: '7' }), { unit: 'day', by: 'model', from: '2026-11-24', to: today })
  })

  const mistakes: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ unit: 'week' }, /^unit must be one of hour, day, month\.$/],
    [{ by: 'task' }, /^by must be one of model, project\.$/],
    [{ from: '2026-02-30' }, /^from must be a day such as/],
    [{ from: '2026-11-02', to: '2026-11-01' }, /^from must not be after to\.$/],
    [{ unit: 'hour', from: '2026-11-23' }, /^A series by hour has at most 7 days\.$/],
    [{ unit: 'day', days: '401' }, /^A series by day has at most 400 days\.$/],
    [{ unit: 'month', days: '3661' }, /^days must be/],
  ]
  for (const [parameters, sentence] of mistakes) {
    it(`are refused with a sentence: ${JSON.stringify(parameters)}`, () => {
      const read = query(parameters)
      assert.ok(typeof read === 'string')
      assert.match(read, sentence)
    })
  }

  it('allow exactly the longest period of each unit', () => {
    assert.ok(typeof query({ unit: 'hour', from: '2026-11-24' }) === 'object')
    assert.ok(typeof query({ unit: 'day', days: '400' }) === 'object')
  })

  it('never throw, whatever they are', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('2026-11-01', '1000-01-01', '2999-12-31', 'hour', '-1'))
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('unit', 'by', 'from', 'to', 'days'), value),
        (given) => void query(given),
      ),
    )
  })
})

describe('a series', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let ledger: Ledger
  const zone = 'Europe/Berlin'
  const nowMs = Date.parse('2026-11-30T18:30:00Z')

  beforeEach(() => {
    folder = temporaryFolder()
    ledger = openLedger(join(folder.path, 'ledger.db'))
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  async function call(atMs: number, row: Partial<NewCallRow> = {}, end: Partial<Settlement> = {}, timezone = zone) {
    const day = dayKey(atMs, timezone)
    const ask = sampleAsk({ row: { receivedAtMs: atMs, day, month: monthKey(atMs, timezone), ...row } })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, end))
  }

  function series(
    unit: SeriesUnit,
    range: { readonly from?: string; readonly to?: string; readonly by?: SeriesGroup; readonly timezone?: string } = {},
  ): Promise<Series> {
    const { from = '2026-11-24', to = today, by = 'model', timezone = zone } = range
    const config = { timezone, currency }
    return spendSeries({ ledger, config, nowMs }, { unit, by, from, to }, () => Promise.resolve())
  }

  /** Euro-nanos of a row's points by bucket. */
  function points({ buckets, rows }: Series, name: string | null): Readonly<Record<string, number>> {
    const row = rows.find((one) => one.name === name)
    return Object.fromEntries(row?.points.map(({ at, eur }) => [buckets[at]!, Math.round(eur * 1e9)]) ?? [])
  }

  it('adds up to the report of the same days, by whatever unit and name (property)', async () => {
    const calls = fc.array(
      fc.record({
        atMs: fc.integer({ min: Date.parse('2026-11-23T22:00:00Z'), max: nowMs }),
        model: fc.constantFrom('a', 'b', 'c'),
        project: fc.constantFrom('shop', 'docs', null),
        priced: fc.boolean(),
        nano: fc.nat(5_000_000),
        list: fc.nat(1000),
        input: fc.nat(9000),
        isReleased: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const own = temporaryFolder()
        ledger.close()
        ledger = openLedger(join(own.path, 'ledger.db'))
        try {
          // Reservations are made in the order of time.
          for (const one of made.toSorted((left, right) => left.atMs - right.atMs)) {
            const { model, project, priced } = one
            const usage = { ...noUsage, input: one.input, cacheRead: 7, cacheWrite5m: 3, output: 11 }
            const end = one.isReleased
              ? ({ settlement: 'released', usage: noUsage, costNanoEur: 0 } as const)
              : { usage, costNanoEur: one.nano, listNanoEur: one.list }
            await call(one.atMs, { model, project, priced }, end)
          }
          for (const by of ['model', 'project'] as const) {
            const report = spendReport(
              ledger,
              { tenant: 'acme', timezone: zone, currency },
              { by, from: '2026-11-24', to: today, limit: 100 },
            )
            for (const unit of ['hour', 'day', 'month'] as const) {
              const { rows, totals, callsKeptSince } = await series(unit, { by })
              assert.deepEqual(totals, report.totals, unit)
              assert.deepEqual(
                rows.map((row) => [row.name, row.totals]),
                report.rows.map(({ name, share: _share, ...sums }) => [name, sums]),
              )
              for (const row of rows) assert.deepEqual(added(row.points), row.totals)
              assert.equal(callsKeptSince, report.callsKeptSince)
            }
          }
        } finally {
          ledger.close()
          own.remove()
          ledger = openLedger(join(folder.path, 'ledger.db'))
        }
      }),
      { numRuns: 25 },
    )
  })

  it('puts calls into the hour of the zone in which they came, and lists every hour up to now', async () => {
    await call(Date.parse('2026-11-30T09:59:59.999Z'), {}, { costNanoEur: 1 })
    await call(Date.parse('2026-11-30T10:00:00Z'), {}, { costNanoEur: 2 })
    await call(Date.parse('2026-11-30T10:59:00Z'), {}, { costNanoEur: 4 })
    const found = await series('hour', { from: today })
    assert.equal(found.buckets.length, 20)
    assert.equal(found.buckets[0], '2026-11-30T00:00:00+01:00')
    assert.equal(found.buckets.at(-1), '2026-11-30T19:00:00+01:00')
    assert.deepEqual(points(found, 'gpt-test'), { '2026-11-30T10:00:00+01:00': 1, '2026-11-30T11:00:00+01:00': 6 })
  })

  it('M04: has the hour twice that the clock shows twice', async () => {
    await call(Date.parse('2026-10-25T00:30:00Z'), {}, { costNanoEur: 1 })
    await call(Date.parse('2026-10-25T01:30:00Z'), {}, { costNanoEur: 2 })
    const found = await series('hour', { from: '2026-10-25', to: '2026-10-25' })
    assert.equal(found.buckets.length, 25)
    assert.deepEqual(points(found, 'gpt-test'), { '2026-10-25T02:00:00+02:00': 1, '2026-10-25T02:00:00+01:00': 2 })
  })

  it('M03: begins the hours of a zone with 45 minutes in its offset where its clock does', async () => {
    const timezone = 'Asia/Kathmandu'
    await call(Date.parse('2026-11-30T06:14:00Z'), {}, { costNanoEur: 1 }, timezone)
    await call(Date.parse('2026-11-30T06:15:00Z'), {}, { costNanoEur: 2 }, timezone)
    const found = await series('hour', { from: today, timezone })
    assert.deepEqual(points(found, 'gpt-test'), { '2026-11-30T11:00:00+05:45': 1, '2026-11-30T12:00:00+05:45': 2 })
  })

  it('keeps a call that was counted for the next day, at the edge of that day', async () => {
    await call(Date.parse('2026-11-29T22:59:59.990Z'), { day: today, month: '2026-11' }, { costNanoEur: 3 })
    const found = await series('hour', { from: today })
    assert.deepEqual(points(found, 'gpt-test'), { '2026-11-30T00:00:00+01:00': 3 })
  })

  it('lists every day and month, those without calls too, and cuts months at the ends of the period', async () => {
    await call(Date.parse('2026-10-30T12:00:00Z'), {}, { costNanoEur: 1 })
    await call(Date.parse('2026-10-31T12:00:00Z'), {}, { costNanoEur: 2 })
    await call(Date.parse('2026-11-02T12:00:00Z'), { project: 'shop' }, { costNanoEur: 4 })
    const days = await series('day', { from: '2026-10-31', to: '2026-11-03' })
    assert.deepEqual(days.buckets, ['2026-10-31', '2026-11-01', '2026-11-02', '2026-11-03'])
    assert.deepEqual(points(days, 'gpt-test'), { '2026-10-31': 2, '2026-11-02': 4 })
    const months = await series('month', { from: '2026-10-31', to: '2026-11-03', by: 'project' })
    assert.deepEqual(months.buckets, ['2026-10', '2026-11'])
    assert.deepEqual(points(months, null), { '2026-10': 2 })
    assert.deepEqual(points(months, 'shop'), { '2026-11': 4 })
  })

  it('gives way between the days of a series by hour', async () => {
    let pauses = 0
    await spendSeries(
      { ledger, config: { timezone: zone, currency }, nowMs },
      { unit: 'hour', by: 'model', from: '2026-11-24', to: today },
      () => Promise.resolve((pauses += 1)),
    )
    assert.ok(pauses >= 7, `${pauses} pauses`)
  })

  it('M08: says that the ledger is away instead of a series of nothing', async () => {
    ledger.close()
    await assert.rejects(series('day'))
    await assert.rejects(series('hour'))
    ledger = openLedger(join(folder.path, 'ledger.db'))
  })
})

describe('the names of a series', () => {
  it('are the dearest; the others are one row, and nothing is lost', () => {
    const names = Array.from({ length: mostSeriesRows + 3 }, (_, index) => index)
    const sums = { calls: 1, unpricedCalls: 0, input: 10, cacheRead: 0, cacheWrite: 0, output: 1, listNanoEur: 0 }
    const { rows, others, totals } = foldSeries(
      names.flatMap((index) => [
        { at: 0, name: `model-${index}`, sums: { ...sums, nanoEur: index } },
        { at: 1, name: `model-${index}`, sums: { ...sums, nanoEur: 1 } },
      ]),
    )
    assert.equal(rows.length, mostSeriesRows)
    assert.equal(rows[0]!.name, `model-${mostSeriesRows + 2}`)
    assert.equal(others?.names, 3)
    assert.equal(others.totals.calls, 6)
    assert.deepEqual(
      others.points.map(({ at, calls }) => [at, calls]),
      [
        [0, 3],
        [1, 3],
      ],
    )
    const all = added([...rows.flatMap((row) => row.points), ...others.points])
    for (const name of sumNames) assert.ok(Math.abs(all[name] - totals[name]) < 1e-12, name)
  })

  it('have no others where there are few', () => {
    assert.deepEqual(foldSeries([]).others, null)
    assert.equal(foldSeries([]).totals.calls, 0)
  })
})

function added(points: readonly ReportSums[]): ReportSums {
  const sum = (name: (typeof sumNames)[number]): number => points.reduce((all, point) => all + point[name], 0)
  const euros = (name: 'eur' | 'listPriceEur'): number => Math.round(sum(name) * 1e9) / 1e9
  return {
    ...(Object.fromEntries(sumNames.map((name) => [name, sum(name)])) as unknown as ReportSums),
    eur: euros('eur'),
    listPriceEur: euros('listPriceEur'),
  }
}
