import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../../../daemon/commands/arguments.ts'
import { runClientCommand } from '../../../daemon/commands/client.ts'
import type { ClientInvocation } from '../../../daemon/commands/client.ts'
import { reportCsv } from '../../../daemon/commands/report/reportCsv.ts'
import { reportText } from '../../../daemon/commands/report/reportText.ts'
import { openSqliteLedger } from '../../../daemon/ledger/sqlite.ts'
import type { Report, ReportRow, ReportSums } from '../../../shared/report.ts'
import { sampleAsk, sampleSettlement } from '../ledger/sample.ts'
import { FakeDaemon, recordedTerminal } from './fakeDaemon.ts'

const nothing: ReportSums = {
  calls: 0,
  unpricedCalls: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  eur: 0,
  listPriceEur: 0,
}

function row(name: string | null, changes: Partial<ReportRow> = {}): ReportRow {
  return { name, ...nothing, share: 0, ...changes }
}

function report(rows: readonly ReportRow[], changes: Partial<Report> = {}): Report {
  return {
    by: 'model',
    from: '2026-11-01',
    to: '2026-11-30',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    rows,
    omittedRows: 0,
    totals: nothing,
    callsKeptSince: null,
    ...changes,
  }
}

describe('the arguments of report', () => {
  it('have defaults', () => {
    assert.deepEqual(readArguments(['report']), {
      command: 'report',
      dataDir: null,
      ask: { by: 'model', from: null, to: null, days: null, limit: 50, format: 'table' },
    })
  })

  it('are read, and take all rows where a program reads', () => {
    const words = ['report', '--by', 'task', '--from', '2026-11-01', '--to=2026-11-30', '--csv', '--data-dir', 'd']
    assert.deepEqual(readArguments(words), {
      command: 'report',
      dataDir: 'd',
      ask: { by: 'task', from: '2026-11-01', to: '2026-11-30', days: null, limit: 10_000, format: 'csv' },
    })
    const asked = readArguments(['report', '--days', '7', '--limit', '3', '--json'])
    assert.deepEqual(asked, {
      command: 'report',
      dataDir: null,
      ask: { by: 'model', from: null, to: null, days: 7, limit: 3, format: 'json' },
    })
  })

  const mistakes: readonly (readonly [string, RegExp])[] = [
    ['--by week', /^--by must be one of model, task, project, day, user, client, upstream, not "week"\.$/],
    ['--from yesterday', /^--from must be a day such as 2026-11-30, not "yesterday"\.$/],
    ['--to 2026-02-30', /^--to must be a day/],
    ['--from 2026-11-02 --to 2026-11-01', /^--from must not be after --to\.$/],
    ['--days 0', /^--days must be a whole number from 1 to 3660, not "0"\.$/],
    ['--days 7 --from 2026-11-01', /^Give either --from or --days, not both\.$/],
    ['--limit all', /^--limit must be a whole number from 1 to 10000, not "all"\.$/],
    ['--csv --json', /^Give either --csv or --json, not both\.$/],
    ['model', /^report takes no "model"\./],
  ]
  for (const [words, sentence] of mistakes) {
    it(`are refused with a sentence: ${words}`, () => {
      const invocation = readArguments(['report', ...words.split(' ')])
      assert.ok(invocation.command === 'mistake')
      assert.match(invocation.problem, sentence)
    })
  }
})

describe('a report as CSV', () => {
  it('has a header, all digits of an amount, an empty name for none, and no total', () => {
    const rows = [
      row('gpt-5.5', {
        calls: 2,
        unpricedCalls: 1,
        input: 3,
        cacheRead: 4,
        cacheWrite: 5,
        output: 6,
        eur: 0.75,
        share: 1 / 3,
      }),
      row(null, { eur: 5e-7, listPriceEur: 12.5 }),
    ]
    assert.equal(
      reportCsv(report(rows)),
      'model,calls,unpricedCalls,input,cacheRead,cacheWrite,output,eur,listPriceEur,share\r\n' +
        'gpt-5.5,2,1,3,4,5,6,0.75,,0.333333\r\n' +
        ',0,0,0,0,0,0,0.0000005,12.5,0.000000\r\n',
    )
  })

  it('has no amount where no call has a known price', () => {
    const rows = [row('mystery', { calls: 2, unpricedCalls: 2 }), row('qwen3:4b', { calls: 2 })]
    const [, mystery, free] = reportCsv(report(rows)).split('\r\n')
    assert.equal(mystery, 'mystery,2,2,0,0,0,0,,,')
    assert.equal(free, 'qwen3:4b,2,0,0,0,0,0,0,0,0.000000')
  })

  it('has what was charged to tasks', () => {
    const [header, line] = reportCsv(report([row('t1', { chargedEur: 0.175 })], { by: 'task' })).split('\r\n')
    assert.match(header ?? '', /^task,.*,chargedEur$/)
    assert.match(line ?? '', /^t1,.*,0\.175$/)
  })

  it('is no formula in a spreadsheet', () => {
    for (const name of ['=1+1', '+a', '-a', '@SUM(A1)', ' =1', '＝1']) {
      const [, cells] = parse(reportCsv(report([row(name)])), { recordDelimiter: '\r\n' })
      assert.equal(cells?.[0], `'${name}`)
    }
    const [, cells] = parse(reportCsv(report([row('x;=1')])), { recordDelimiter: '\r\n' })
    assert.equal(cells?.[0], "x;'=1")
  })

  it('comes back from a CSV reader but for apostrophes, whatever the names are', () => {
    const anyName = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a"b', 'a,b', 'a\nb', 'a\r\nb', '"', ' a '))
    const anyRow = fc.record({ name: anyName, calls: fc.nat(), nano: fc.nat({ max: 2 ** 40 }) })
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 5 }), (rows) => {
        const text = reportCsv(report(rows.map(({ name, calls, nano }) => row(name, { calls, eur: nano / 1e9 }))))
        const read = parse<Record<string, string>>(text, { columns: true, recordDelimiter: '\r\n' })
        assert.deepEqual(
          read.map((cells) => [cells['model']?.replaceAll("'", ''), cells['calls'], cells['eur']]),
          rows.map(({ name, calls, nano }) => [
            name.replaceAll("'", ''),
            String(calls),
            String(BigInt(nano) / 10n ** 9n) + fraction(nano),
          ]),
        )
      }),
    )
  })
})

/** The digits behind the point of an amount, without zeros at the end. */
function fraction(nano: number): string {
  const digits = String(nano % 1e9)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}

describe('a report as a table', () => {
  it('has its names on the left, its numbers on the right, and the totals', () => {
    const rows = [
      row('claude-opus-5', { calls: 204, input: 1_200_000, eur: 21.4, share: 0.819 }),
      row('gpt-4o-mini', { calls: 1310, input: 900, eur: 4.73, share: 0.181 }),
    ]
    const totals = { ...nothing, calls: 1514, input: 1_200_900, eur: 26.13 }
    assert.equal(
      reportText(report(rows, { totals }), 'from the file x'),
      [
        'Spend by model, 2026-11-01 to 2026-11-30 Europe/Berlin, from the file x',
        '',
        'model          calls  input  cache read  cache write  output   spent   share',
        'claude-opus-5    204   1.2M           0            0       0  €21.40  81.9 %',
        'gpt-4o-mini     1310    900           0            0       0   €4.73  18.1 %',
        'total           1514   1.2M           0            0       0  €26.13',
        '',
      ].join('\n'),
    )
  })

  it('shows calls without a price, list prices and charges where there are any', () => {
    const plain = reportText(report([row('m')]), '')
    for (const title of ['unpriced', 'list price', 'charged']) assert.ok(!plain.includes(title), title)
    const totals = { ...nothing, unpricedCalls: 3, listPriceEur: 8 }
    const text = reportText(report([row(null, { chargedEur: 0.175 })], { by: 'task', totals }), '')
    assert.match(text, /unpriced .*list price +charged\n\(no task\)/)
    assert.match(text, /\ntotal .* €\? /)
    assert.match(text, /€0\.17\n|€0\.18\n/)
  })

  it('says what is left out, since when single calls are kept, and that there is nothing', () => {
    const text = reportText(report([row('t1')], { by: 'task', omittedRows: 12, callsKeptSince: '2026-01-01' }), '')
    assert.match(text, /\n12 more rows in the total: see --limit\.\n/)
    assert.match(text, /\nSingle calls are kept since 2026-01-01; the sums are complete\.\n$/)
    assert.match(reportText(report([]), ''), /\n\nNo calls\.\n$/)
  })

  it('shows no control characters of a name', () => {
    assert.ok(!reportText(report([row('a\u001b[31mb\n')]), '').includes('\u001b'))
  })
})

describe('tollgate report', () => {
  let daemon: FakeDaemon
  beforeEach(async () => {
    daemon = new FakeDaemon()
    await daemon.start()
  })
  afterEach(() => daemon.remove())

  async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const terminal = recordedTerminal()
    const invocation = readArguments(['report', ...words, '--data-dir', daemon.dataDir])
    const code = await runClientCommand(invocation as ClientInvocation, terminal)
    return { code, out: terminal.written(), err: terminal.complained() }
  }

  it('asks the daemon that runs, and says so', async () => {
    const body = report([row('m', { calls: 1 })], { omittedRows: 2 })
    daemon.answers['GET /api/report'] = { status: 200, body }
    const { code, out, err } = await run('--by', 'day', '--days', '7')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, new RegExp(`from the daemon at ${daemon.url}\\n`))
    assert.equal(daemon.seen.at(-1)?.route, 'GET /api/report?by=day&limit=50&days=7')
    const json = await run('--json', '--from', '2026-11-01')
    assert.deepEqual(JSON.parse(json.out), body)
    assert.equal(json.err, '2 more rows are left out: see --limit.\n')
    assert.equal(daemon.seen.at(-1)?.route, 'GET /api/report?by=model&limit=10000&from=2026-11-01')
  })

  it('repeats the sentence of a daemon that refuses', async () => {
    const error = { code: 'invalid_request', message: 'from must not be after today.' }
    daemon.answers['GET /api/report'] = { status: 400, body: { error } }
    assert.deepEqual(await run(), { code: 1, out: '', err: 'from must not be after today.\n' })
  })

  it('says that no daemon runs where there is no ledger either', async () => {
    await daemon.die()
    const { code, err } = await run()
    assert.equal(code, 1)
    assert.match(err, /is not running/)
  })

  it('names the field of a configuration that it cannot read the file with', async () => {
    await daemon.die()
    const ledger = openSqliteLedger({
      path: join(daemon.dataDir, 'ledger.db'),
      nowMs: Date.now,
      epoch: 'first',
      log: () => undefined,
    })
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.close()
    writeFileSync(join(daemon.dataDir, 'config.json'), '{"timezone":7}')
    const { code, err } = await run()
    assert.equal(code, 1)
    assert.match(err, /^timezone must be/)
  })
})
