import assert from 'node:assert/strict'
import fc from 'fast-check'
import { csvOf } from '../../../../extension/dashboard/csv.ts'
import { pageOf, shownTask } from '../../../../extension/dashboard/pageOf.ts'
import type { DashboardState } from '../../../../extension/dashboard/pageOf.ts'
import type { ChartName, ChartPart, RowChart, StackedChart } from '../../../../extension/dashboard/page.ts'
import { defaultView } from '../../../../extension/dashboard/view.ts'
import { figures, status, task, text } from '../support.ts'
import { data, series, seriesRow, state, sums, turns } from './sample.ts'

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
    const unpriced = { ...seriesRow('mystery', [0]), totals: sums({ calls: 1, unpricedCalls: 1, output: 5 }) }
    const points = [{ at: 0, ...sums({ calls: 1, unpricedCalls: 1, output: 5 }) }]
    const found = series([seriesRow('a', [1]), { ...unpriced, points }])
    const page = pageOf(
      state({ data: data({ series: { ...found, totals: sums({ calls: 2, unpricedCalls: 1, eur: 1 }) } }) }),
      text,
    )
    assert.deepEqual(page.headline.slice(0, 2), ['≥ €1.00 spent', '2 calls'])
    assert.equal(page.headline.at(-1), '1 call without a known price')
    const cells = page.charts.spend.table.rows[0]!.map((cell) => cell.text)
    assert.deepEqual(cells, ['Sat, Nov 28, 2026', '€1.00', '€?', '≥ €1.00'])
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
    assert.equal(part('spend', { data: data({ series: null }) }).empty, 'Reading the figures…')
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
    })
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
    assert.equal(pageOf(state({ gate: 'off' }), text).notice?.action?.command, 'tollgate.openSettings')
    assert.equal(pageOf(state(), text).notice, null)
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
    for (const sign of ['=', '+', '-', '@']) assert.equal(named(`${sign}cmd`), `Time,'${sign}cmd,Total`)
  })

  it('writes small amounts without an exponent', () => {
    const found = series([seriesRow('a', [5e-7])])
    assert.match(csvOf(part('spend', { data: data({ series: found }) }).table), /2026-11-28,0\.0000005,0\.0000005/)
  })

  it('gives back what it was made of (property)', async () => {
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
        const plain = (name: string): string => (/^[=+\-@\t\r]/.test(name) ? `'${name}` : name)
        assert.deepEqual(
          read.slice(1),
          list.map(([name, amount]) => [plain(name), String(amount)]),
        )
      }),
    )
  })
})
