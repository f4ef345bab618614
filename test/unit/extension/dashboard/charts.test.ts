import assert from 'node:assert/strict'
import fc from 'fast-check'
import { csvOf } from '../../../../extension/dashboard/csv.ts'
import { noData } from '../../../../extension/dashboard/data.ts'
import { pageOf, shownTask } from '../../../../extension/dashboard/pageOf.ts'
import type { DashboardState } from '../../../../extension/dashboard/pageOf.ts'
import type { ChartName, ChartPart, RowChart, StackedChart } from '../../../../extension/dashboard/page.ts'
import { defaultView } from '../../../../extension/dashboard/view.ts'
import { figures, status, task, text } from '../support.ts'
import { data, series, seriesRow, state, sums, turns, unpricedRow } from './sample.ts'

function part(name: ChartName, changes: Partial<DashboardState> = {}): ChartPart {
  return pageOf(state(changes), text).charts[name]
}

function stacked(name: ChartName, changes: Partial<DashboardState> = {}): StackedChart {
  const { chart } = part(name, changes)
  assert.ok(chart?.kind === 'stacked')
  return chart
}

function rows(name: ChartName, changes: Partial<DashboardState> = {}): RowChart {
  const { chart } = part(name, changes)
  assert.ok(chart?.kind === 'rows')
  return chart
}

describe('the chart of spend over time', () => {
  it('has a value per bucket and name, the dearest name first, also where nothing was spent', () => {
    const chart = stacked('spend')
    assert.deepEqual(
      chart.series.map(({ name, total, values }) => [name, total, values]),
      [
        ['claude-sonnet-5', '€1.75', [1.5, 0, 0.25]],
        ['gpt-5.5', '€0.75', [0.5, 0.25, 0]],
      ],
    )
    assert.deepEqual(chart.labels, ['Sat, Nov 28, 2026', 'Sun, Nov 29, 2026', 'Mon, Nov 30, 2026'])
    assert.deepEqual(chart.ticks, ['Nov 28', 'Nov 29', 'Nov 30'])
    assert.equal(part('spend').summary, 'Cost by Model: €2.50 in all.')
  })

  it('is ordered by what is shown, tokens and calls as well as euros', () => {
    const twice = seriesRow('gpt-5.5', [0.1, 0.1, 0.1])
    const view = { ...defaultView, measure: 'tokens' } as const
    const found = data({ series: series([seriesRow('claude-sonnet-5', [1.5, 0, 0]), twice]) })
    const chart = stacked('spend', { view, data: found })
    assert.equal(chart.numbers, 'tokens')
    assert.deepEqual(
      chart.series.map(({ name, total, values }) => [name, total, values]),
      [
        ['gpt-5.5', '3k', [1000, 1000, 1000]],
        ['claude-sonnet-5', '1k', [1000, 0, 0]],
      ],
    )
  })

  it('puts what is beyond seven names into one part, and loses nothing (property)', () => {
    const euros = fc.array(fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100)), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(euros, fc.boolean(), (lists, hasOthers) => {
        const all = lists.map((list, at) => seriesRow(`m${at}`, list))
        const rest = seriesRow('rest', [1, 2, 3])
        const changes = hasOthers ? { others: { names: 5, totals: rest.totals, points: rest.points } } : {}
        const found = series([...all, ...(hasOthers ? [rest] : [])], { rows: all, ...changes })
        const shown = part('spend', { data: data({ series: found }) })
        if (shown.chart?.kind !== 'stacked') return assert.equal(found.totals.eur, 0)
        assert.ok(shown.chart.series.length <= 7)
        for (const at of [0, 1, 2]) {
          const own = shown.chart.series.reduce((sum, { values }) => sum + values[at]!, 0)
          const expected = lists.reduce((sum, list) => sum + list[at]!, 0) + (hasOthers ? at + 1 : 0)
          assert.ok(Math.abs(own - expected) < 1e-9)
          assert.ok(Math.abs(Number(shown.table.rows[at]!.at(-1)!.raw) - expected) < 1e-9)
        }
      }),
    )
    const many = series(Array.from({ length: 9 }, (_, at) => seriesRow(`m${at}`, [9 - at])))
    assert.deepEqual(stacked('spend', { data: data({ series: many }) }).series.at(-1)?.name, '3 others')
  })

  it('writes hours in the zone of the gate, and the date where a day begins', () => {
    const buckets = ['2026-11-30T00:00:00+01:00', '2026-11-30T01:00:00+01:00']
    const found = series([seriesRow('a', [1, 1])], { unit: 'hour', buckets })
    const chart = stacked('spend', { data: data({ series: found }) })
    assert.deepEqual(chart.ticks, ['Nov 30', '01:00'])
    assert.deepEqual(chart.labels, ['Mon, Nov 30, 00:00', 'Mon, Nov 30, 01:00'])
  })

  it('writes euros, dates and names of buckets as the language does', () => {
    const chart = stacked('spend', { language: 'de' })
    assert.equal(chart.series[0]?.total.replace(/\s/g, ' '), '1,75 €')
    assert.deepEqual(chart.ticks, ['28. Nov.', '29. Nov.', '30. Nov.'])
  })

  it('never calls a price that is not known nothing', () => {
    const found = series([seriesRow('a', [1]), unpricedRow('mystery', [0])])
    const page = pageOf(state({ data: data({ series: found }) }), text)
    assert.deepEqual(page.headline.slice(0, 2), ['≥ €1.00 spent', '2 calls'])
    assert.equal(page.headline.at(-1), '1 call without a known price')
    const { chart, table, summary } = page.charts.spend
    assert.deepEqual(
      table.rows[0]!.map((cell) => cell.text),
      ['Sat, Nov 28, 2026', '€1.00', '€?', '≥ €1.00', '1'],
    )
    assert.equal(summary, 'Cost by Model: ≥ €1.00 in all.')
    assert.ok(chart?.kind === 'stacked')
    assert.deepEqual(
      chart.series.map(({ name, total, said }) => [name, total, said]),
      [
        ['a', '€1.00', []],
        ['mystery', '€?', [{ at: 0, text: '€?' }]],
      ],
    )
    assert.deepEqual(chart.said, [{ at: 0, text: '≥ €1.00' }])
  })

  it('says that it is not known what calls cost where none has a price, and not that they cost nothing', () => {
    const only = series([unpricedRow('mystery', [0, 2])])
    for (const measure of ['eur', 'listPriceEur'] as const) {
      const shown = part('spend', { view: { ...defaultView, measure }, data: data({ series: only }) })
      assert.equal(shown.chart, null)
      assert.match(
        shown.empty,
        /^What was spent in this period is not known: 2 calls without a known price\. Add prices to prices\.overrides/,
      )
      assert.deepEqual(
        shown.table.rows.map((row) => row.map((cell) => cell.text).slice(1)),
        [
          ['€?', '€?', '1'],
          ['–', '–', '–'],
          ['€?', '€?', '1'],
        ],
      )
    }
    assert.equal(pageOf(state({ data: data({ series: only }) }), text).headline[0], '€? spent')
    const tokens = stacked('spend', { view: { ...defaultView, measure: 'tokens' }, data: data({ series: only }) })
    assert.deepEqual(tokens.series[0]?.values, [5, 0, 5])
    assert.deepEqual([tokens.said, tokens.series.map(({ said }) => said)], [[], [[]]])
  })

  it('keeps a model without a known price among the others', () => {
    const many = Array.from({ length: 7 }, (_, at) => seriesRow(`m${at}`, [9 - at]))
    const chart = stacked('spend', { data: data({ series: series([...many, unpricedRow('mystery', [0])]) }) })
    assert.deepEqual([chart.series.at(-1)?.name, chart.series.at(-1)?.total], ['2 others', '≥ €3.00'])
  })

  it('says what to do where there is nothing to draw', () => {
    const none = part('spend', { data: data({ series: series([]) }) })
    assert.equal(none.chart, null)
    assert.match(none.empty, /^No model call was counted in this period\. Run an agent/)
    const free = { ...seriesRow('qwen3:4b', []), totals: sums({ calls: 3, output: 9 }) }
    const nothing = part('spend', { data: data({ series: series([free]) }) })
    assert.match(nothing.empty, /^3 calls in this period, and none of them cost anything\. Choose “New tokens”/)
    const listed = part('spend', { view: { ...defaultView, measure: 'listPriceEur' } })
    assert.match(listed.empty, /^No call of a subscription/)
  })

  it('says where hours are missing because single calls were removed', () => {
    const found = series([seriesRow('a', [1])], { unit: 'hour', callsKeptSince: '2026-11-29' })
    assert.deepEqual(part('spend', { data: data({ series: found }) }).about, [
      'Single calls are kept since Sun, Nov 29, 2026: hours before are empty.',
    ])
    assert.deepEqual(part('spend', { data: data({ series: { ...found, callsKeptSince: '2026-11-28' } }) }).about, [])
  })
})

describe('the chart of the turns of a task', () => {
  it('stacks cached, new and output tokens, and sums up what was spent', () => {
    const chart = stacked('turns')
    assert.deepEqual(
      chart.series.map(({ name, values }) => [name, values.slice(0, 3)]),
      [
        ['Cached input', [0, 1000, 2000]],
        ['New input', [1000, 1000, 1000]],
        ['Output', [200, 200, 200]],
      ],
    )
    assert.deepEqual(chart.line?.values.slice(0, 3), [0.01, 0.021, 0.033])
    assert.equal(chart.line.total, '€0.19')
    assert.match(chart.labels[1]!, /^Turn 2, Nov 30, 11:00:20, claude-sonnet-5$/)
    assert.match(part('turns').summary, /^12 turns\. The first read 1k tokens, the last 12k\.$/)
  })

  it('shows the list price of a subscription where nothing was billed', () => {
    const found = turns(2).map((turn) => ({ ...turn, eur: 0, listPriceEur: 0.5 }))
    const changed = { data: data({ turns: { task: 'shop-3', turns: found, isCut: false } }) }
    assert.deepEqual(stacked('turns', changed).line, {
      name: 'List price so far',
      total: '€1.00',
      numbers: 'eur',
      values: [0.5, 1],
      said: [],
    })
  })

  it('shows no unknown price as nothing, in the text, the table and the sums so far', () => {
    const found = turns(3).map((turn, at) => (at === 1 ? { ...turn, eur: 0, isUnpriced: true } : turn))
    const changed = { data: data({ turns: { task: 'shop-3', turns: found, isCut: false } }) }
    const shown = part('turns', changed)
    assert.equal(shown.about[0], 'shop-3: 3 turns, ≥ €0.02 · 1 call without a known price')
    assert.deepEqual(
      shown.table.rows.map((row) => row.slice(-2).map((cell) => [cell.text, cell.raw])),
      [
        [
          ['€0.01', 0.01],
          ['€0.01', 0.01],
        ],
        [
          ['€?', ''],
          ['≥ €0.01', 0.01],
        ],
        [
          ['€0.01', 0.012],
          ['≥ €0.02', 0.022],
        ],
      ],
    )
    const { line } = stacked('turns', changed)
    assert.equal(line?.total, '≥ €0.02')
    assert.deepEqual(line.said, [
      { at: 1, text: '≥ €0.01' },
      { at: 2, text: '≥ €0.02' },
    ])
  })

  it('has no line where no price is known, and says €? for the sum', () => {
    const found = turns(2).map((turn) => ({ ...turn, eur: 0, isUnpriced: true }))
    const changed = { data: data({ turns: { task: 'shop-3', turns: found, isCut: false } }) }
    assert.equal(part('turns', changed).about[0], 'shop-3: 2 turns, €? · 2 calls without a known price')
    assert.equal(stacked('turns', changed).line, null)
    assert.match(csvOf(part('turns', changed).table), /\r\n1,[^,]+,claude-sonnet-5,0,1000,200,,\r\n2,.*,,\r\n$/)
  })

  it('has no line where nothing costs anything', () => {
    const found = turns(2).map((turn) => ({ ...turn, eur: 0 }))
    assert.equal(stacked('turns', { data: data({ turns: { task: 'shop-3', turns: found, isCut: true } }) }).line, null)
  })

  it('follows the task of the last call until a task is chosen', () => {
    assert.equal(shownTask(state()), 'shop-3')
    assert.equal(shownTask(state({ view: { ...defaultView, task: 'other' } })), 'other')
    assert.equal(shownTask(state({ status: null, data: data({ tasks: [{ name: 'dear', calls: 1 }] }) })), 'dear')
    assert.equal(shownTask(state({ status: null, data: data({ tasks: [] }) })), null)
  })

  it('says what to do where there are no turns, and which are missing', () => {
    const nobody = { status: status(), data: data({ tasks: [], turns: null }) }
    assert.match(part('turns', nobody).empty, /^No task made calls in this period\. Run an agent/)
    const none = data({ turns: { task: 'shop-3', turns: [], isCut: false } })
    assert.match(part('turns', { data: none }).empty, /^No finished call of shop-3 is kept/)
    const cut = data({ turns: { task: 'shop-3', turns: turns(500), isCut: true } })
    assert.equal(part('turns', { data: cut }).about.at(-1), 'Only the newest 500 turns are shown.')
  })
})

describe('the charts of quality', () => {
  it('show how far each model is from its estimate, the furthest first', () => {
    const chart = rows('residual')
    assert.deepEqual(
      chart.rows.map(({ name, text: shown }) => [name, shown]),
      [
        ['anthropic/claude-sonnet-5', '+18%'],
        ['openai/gpt-5.5', '+1.2%'],
      ],
    )
    assert.ok(chart.domain[0] < 0 && chart.domain[1] >= 0.179)
    assert.match(part('residual', { status: status() }).empty, /^No provider has reported/)
  })

  it('count refusals since the start, and listed ones from before', () => {
    const startedAtMs = Date.parse('2026-11-30T09:00:00Z')
    const refused = [
      { code: 'budget_exhausted', time: '2026-11-30T08:59:59.999Z' },
      { code: 'budget_exhausted', time: '2026-11-30T09:00:00.000Z' },
      { code: 'killed', time: '2026-11-29T09:00:00.000Z' },
      { code: 'truncated', time: '2026-11-30T10:00:00.000Z' },
    ]
    const counted = status({ counters: { budget_exhausted: 4, killed: 0, truncated: 9, output_limit: 3 } })
    const changes = { data: data({ refused }), status: counted, startedAtMs }
    assert.deepEqual(
      rows('refusals', changes).rows.map(({ name, text: shown, values }) => [name, shown, values]),
      [
        ['Budget used up', '5', [4, 1]],
        ['Stopped by a person', '1', [0, 1]],
        ['Prompt cut by the provider', '1', [0, 1]],
      ],
    )
    assert.match(part('refusals', { data: data({ refused: [] }), status: status() }).empty, /^Nothing was refused/)
  })

  it('show an unknown code of a newer gate by its name', () => {
    const refused = [{ code: 'brand_new', time: '2026-11-29T09:00:00.000Z' }]
    const chart = rows('refusals', { data: data({ refused }), status: status() })
    assert.deepEqual(chart.rows[0]?.name, 'brand_new')
  })

  it('tell an invoice that needs a look from one within tolerance, and mark the tolerance', () => {
    const [one] = state().status!.integrity.drift
    const drift = [one!, { ...one!, provider: 'openai', drift: 0.998, beyond: false }, { ...one!, drift: null }]
    const changed = status({ integrity: { ...status().integrity, drift } })
    const chart = rows('drift', { status: changed })
    assert.deepEqual(chart.band, [-0.03, 0.03])
    assert.deepEqual(
      chart.rows.map(({ text: shown, values }) => [shown, values.map((value) => value.toFixed(3))]),
      [
        ['+4.1%', ['0.000', '0.041']],
        ['-0.2%', ['-0.002', '0.000']],
        ['–', ['0.000', '0.000']],
      ],
    )
    assert.match(part('drift', { status: status() }).empty, /^No invoice was compared yet\. Run “tollgate reconcile”/)
  })
})

describe('the page', () => {
  it('offers units that the period has, and running tasks before those of the period', () => {
    const view = { ...defaultView, period: 'week', task: 'kept' } as const
    const { choices } = pageOf(state({ view, data: data({ tasks: [{ name: 'old', calls: 1 }] }) }), text)
    assert.deepEqual(
      choices.unit.map(({ value }) => value),
      ['day', 'hour'],
    )
    assert.deepEqual(
      choices.task.map(({ value, label }) => [value, label]),
      [
        ['', 'Latest task'],
        ['kept', 'kept'],
        ['shop-3', 'shop-3 · claude-cli/2.1'],
        ['old', 'old'],
      ],
    )
  })

  it('calls a task without a name by who calls and since when, in the list and above its turns', () => {
    const made = task({ id: 's239c2ce0cd000002-1', named: false, client: 'OpenAI/JS' })
    const page = pageOf(
      state({
        status: status({ tasks: [made] }),
        data: data({ tasks: [], turns: { task: made.id, turns: turns(2), isCut: false } }),
      }),
      text,
    )
    const label = `OpenAI/JS, ${figures.when(made.startedAt, Date.parse(status().time))}`
    assert.deepEqual(page.choices.task[1], { value: made.id, label })
    assert.ok(page.charts.turns.about[0]?.startsWith(`${label}: 2 turns, `))
  })

  it('says what is the matter, with the next step, and keeps the figures', () => {
    const down = pageOf(state({ gate: 'down' }), text)
    assert.match(down.notice?.text ?? '', /not running/)
    assert.deepEqual(down.notice?.action, { label: 'Restart', command: 'tollgate.restartDaemon' })
    assert.ok(down.charts.spend.chart !== null)
    const failed = pageOf(state({ data: data({ problem: 'HTTP 503' }) }), text)
    assert.deepEqual(failed.notice, {
      text: 'The figures could not be read: HTTP 503',
      action: { label: 'Show Log', command: 'tollgate.showLog' },
    })
    for (const [gate, command] of [
      ['newer', 'tollgate.showExtension'],
      ['older', 'tollgate.showLog'],
    ] as const) {
      const { notice } = pageOf(state({ gate }), text)
      assert.deepEqual([notice?.text, notice?.action?.command], [text.unfollowed, command])
    }
    assert.equal(pageOf(state({ gate: 'off' }), text).notice?.action?.command, 'tollgate.openSettings')
    assert.equal(pageOf(state(), text).notice, null)
  })

  const emptyTexts = (changes: Partial<DashboardState>): Set<string> => {
    const { charts } = pageOf(state(changes), text)
    return new Set(Object.values(charts).map((one) => JSON.stringify([one.chart, one.table.rows.length, one.empty])))
  }
  const nothingRead = { data: noData, status: null } as const
  const notKnown = new Set(['[null,0,"Not known now. It is shown as soon as it can be read."]'])

  it('claims nothing where nothing was read, and waits for nothing while the gate is away', () => {
    for (const gate of ['down', 'off', 'newer', 'older'] as const)
      assert.deepEqual(emptyTexts({ gate, ...nothingRead }), notKnown)
    for (const gate of ['up', 'starting'] as const) {
      assert.deepEqual(emptyTexts({ gate, ...nothingRead }), new Set(['[null,0,"Reading the figures…"]']))
    }
    const down = pageOf(state({ gate: 'down', ...nothingRead }), text)
    assert.equal(down.notice?.text, 'The gate is not running, so nothing is counted now.')
    assert.deepEqual(down.headline, [])
    assert.match(pageOf(state({ gate: 'down' }), text).notice?.text ?? '', /What is shown was counted before\.$/)
  })

  it('claims nothing where the first reading failed', () => {
    const failed = { ...noData, problem: 'HTTP 503' }
    assert.deepEqual(emptyTexts({ data: failed, status: null }), notKnown)
    const { charts } = pageOf(state({ data: failed, status: status({ counters: {} }) }), text)
    assert.deepEqual(
      [charts.spend, charts.turns, charts.refusals].map(({ empty }) => empty.slice(0, 13)),
      Array.from({ length: 3 }, () => 'Not known now'),
    )
  })

  it('claims nothing about a period or a task that could not be read', () => {
    const view = { ...defaultView, period: 'today', unit: 'hour', task: 'other' } as const
    for (const changes of [{ gate: 'down' }, { data: data({ problem: 'HTTP 503' }) }] as const) {
      const page = pageOf(state({ view, ...changes }), text)
      assert.deepEqual(page.headline, [])
      for (const { chart, empty } of [page.charts.spend, page.charts.turns]) {
        assert.equal(chart, null)
        assert.match(empty, /^Not known now/)
      }
      assert.ok(page.charts.refusals.chart !== null)
    }
    const loading = pageOf(state({ view }), text)
    assert.ok(loading.charts.spend.chart !== null)
    assert.equal(loading.charts.turns.empty, 'Reading the figures…')
  })

  it('does not say that no invoice was compared while the ledger cannot be read', () => {
    const away = status({ integrity: { ...status().integrity, ledgerAvailable: false } })
    assert.match(part('drift', { status: away }).empty, /^Not known now/)
  })

  it('has as many cells in each row of each table as it has columns', () => {
    const { charts } = pageOf(state({ status: { ...state().status!, tasks: [task()] } }), text)
    for (const [name, { table }] of Object.entries(charts)) {
      assert.ok(table.rows.length > 0, name)
      for (const row of table.rows) assert.equal(row.length, table.columns.length, name)
    }
  })
})

describe('a table as CSV', () => {
  it('has raw numbers and times, whatever the language, and a line per row', () => {
    const expected =
      'Time,claude-sonnet-5,gpt-5.5,Total\r\n2026-11-28,1.5,0.5,2\r\n2026-11-29,0,0.25,0.25\r\n2026-11-30,0.25,0,0.25\r\n'
    assert.equal(csvOf(part('spend').table), expected)
    assert.equal(csvOf(part('spend', { language: 'tr' }).table), expected)
    assert.match(
      csvOf(part('turns').table),
      /\r\n2,2026-11-30T10:00:20\.000Z,claude-sonnet-5,1000,1000,200,0\.011,0\.021\r\n/,
    )
  })

  it('quotes what has to be quoted, and lets no name be a formula', () => {
    const named = (name: string): string => {
      const found = series([seriesRow(name, [1])])
      return csvOf(part('spend', { data: data({ series: found }) }).table).split('\r\n2026')[0]!
    }
    assert.equal(named('a,b'), 'Time,"a,b",Total')
    assert.equal(named('say "hi"'), 'Time,"say ""hi""",Total')
    assert.equal(named('two\nlines'), 'Time,"two\nlines",Total')
    for (const sign of ['=', '+', '-', '@', '＝']) assert.equal(named(`${sign}cmd`), `Time,'${sign}cmd,Total`)
    assert.equal(named('x;=1'), `Time,"x;'=1",Total`)
  })

  it('leaves the cell of an unknown price empty, and says how many calls a floor lacks', () => {
    const found = series([seriesRow('a', [1]), unpricedRow('mystery', [0, 1])])
    assert.equal(
      csvOf(part('spend', { data: data({ series: found }) }).table),
      'Time,a,mystery,Total,Unpriced calls\r\n' + '2026-11-28,1,,1,1\r\n2026-11-29,0,,,1\r\n2026-11-30,0,0,0,0\r\n',
    )
  })

  it('writes small amounts without an exponent', () => {
    const found = series([seriesRow('a', [5e-7])])
    assert.match(csvOf(part('spend', { data: data({ series: found }) }).table), /2026-11-28,0\.0000005,0\.0000005/)
  })

  it('gives back what it was made of, but for apostrophes (property)', async () => {
    const { parse } = await import('csv-parse/sync')
    const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', '"', '\r\n', '=1', ' x '))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, fc.integer()), { minLength: 1 }), (list) => {
        const columns = [
          { name: 'Name', isNumber: false },
          { name: 'Amount', isNumber: true },
        ]
        const table = {
          columns,
          rows: list.map(([name, amount]) => [
            { text: '', raw: name },
            { text: '', raw: amount },
          ]),
        }
        const read: string[][] = parse(csvOf(table))
        const plain = (name = ''): string => name.replaceAll("'", '')
        assert.deepEqual(
          read.slice(1).map(([name, amount]) => [plain(name), amount]),
          list.map(([name, amount]) => [plain(name), String(amount)]),
        )
      }),
    )
  })
})
