import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isDay, readReportQuery, spendReport } from '../../../daemon/control/report.ts'
import type { ReportFilter } from '../../../daemon/ledger/ledger.ts'

const today = '2026-11-30'

function query(parameters: Readonly<Record<string, string>>): ReturnType<typeof readReportQuery> {
  return readReportQuery((name) => parameters[name] ?? null, today)
}

describe('the parameters of a report', () => {
  it('are the last 30 days by model where nothing is said', () => {
    assert.deepEqual(query({}), { by: 'model', from: '2026-11-01', to: today, limit: 1000 })
  })

  it('name a range by two days, by its last day, or by a number of days', () => {
    assert.deepEqual(query({ by: 'day', from: '2026-03-29', to: '2026-03-29', limit: '5' }), {
      by: 'day',
      from: '2026-03-29',
      to: '2026-03-29',
      limit: 5,
    })
    const range = (parameters: Readonly<Record<string, string>>): unknown => {
      const read = query(parameters)
      return typeof read === 'string' ? read : [read.from, read.to]
    }
    assert.deepEqual(range({ from: '2026-10-25' }), ['2026-10-25', today])
    assert.deepEqual(range({ to: '2026-03-01' }), ['2026-01-31', '2026-03-01'])
    assert.deepEqual(range({ days: '1' }), [today, today])
    assert.deepEqual(range({ to: '2028-03-01', days: '2' }), ['2028-02-29', '2028-03-01'])
  })

  const mistakes: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ by: 'week' }, /^by must be one of model, task, project, day, user, client, upstream\.$/],
    [{ by: '' }, /^by must be/],
    [{ from: '2026-02-30' }, /^from must be a day such as/],
    [{ to: '30.11.2026' }, /^to must be a day/],
    [{ to: '' }, /^to must be a day/],
    [{ from: '2026-12-01' }, /^from must not be after today\.$/],
    [{ from: '2026-11-02', to: '2026-11-01' }, /^from must not be after to\.$/],
    [{ from: '2000-01-01' }, /^A report has at most 3660 days\.$/],
    [{ days: '0' }, /^days must be a whole number from 1 to 3660\.$/],
    [{ days: '1.5' }, /^days must be/],
    [{ days: '30', from: '2026-11-01' }, /^Give either from or days, not both\.$/],
    [{ limit: '0' }, /^limit must be a whole number from 1 to 10000\.$/],
    [{ limit: '10001' }, /^limit must be/],
  ]
  for (const [parameters, sentence] of mistakes) {
    it(`are refused with a sentence: ${JSON.stringify(parameters)}`, () => {
      const read = query(parameters)
      assert.ok(typeof read === 'string')
      assert.match(read, sentence)
    })
  }

  it('never throw, whatever they are', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('2026-11-01', '1000-01-01', '2999-12-31', '3660', '-1'))
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('by', 'from', 'to', 'days', 'limit'), value),
        (given) => void query(given),
      ),
    )
  })

  it('take a day of the calendar and nothing else', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2500-01-01'), noInvalidDate: true }),
        (date) => {
          assert.ok(isDay(date.toISOString().slice(0, 10)))
        },
      ),
    )
    for (const text of ['2026-11-31', '2027-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '2026-11-30T00:00', '']) {
      assert.ok(!isDay(text), text)
    }
  })
})

describe('the report of the control interface', () => {
  const sums = { calls: 2, unpricedCalls: 1, input: 10, cacheRead: 20, cacheWrite: 30, output: 40 }
  const config = { tenant: 'acme', timezone: 'Europe/Berlin', currency: { code: 'EUR', usdRate: 0.9, asOf: today } }

  function report(by: 'model' | 'task', nanoEur: number): ReturnType<typeof spendReport> {
    const asked: ReportFilter[] = []
    const ledger = {
      report: (filter: ReportFilter) => {
        asked.push(filter)
        const all = { ...sums, nanoEur, listNanoEur: 500 }
        const row = { name: 'one', sums: { ...all, nanoEur: nanoEur / 4 }, chargedNanoEur: 175_000_000 }
        return { rows: [row], omittedRows: 3, totals: all, callsKeptSince: '2026-01-01' }
      },
    }
    const result = spendReport(ledger, config, { by, from: '2026-11-01', to: today, limit: 7 })
    assert.deepEqual(asked, [{ by, fromDay: '2026-11-01', toDay: today, tenant: 'acme', mostRows: 7 }])
    return result
  }

  it('has decimal euros and shares of all euros', () => {
    assert.deepEqual(report('model', 4_000_000_000), {
      by: 'model',
      from: '2026-11-01',
      to: today,
      timezone: 'Europe/Berlin',
      currency: 'EUR',
      rows: [{ name: 'one', ...sums, eur: 1, listPriceEur: 5e-7, share: 0.25 }],
      omittedRows: 3,
      totals: { ...sums, eur: 4, listPriceEur: 5e-7 },
      callsKeptSince: '2026-01-01',
    })
  })

  it('has no share where nothing was spent, and charges by task only', () => {
    const [row] = report('task', 0).rows
    assert.deepEqual([row?.share, row?.chargedEur], [0, 0.175])
    assert.equal(report('model', 0).rows[0]?.chargedEur, undefined)
  })
})
