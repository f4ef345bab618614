import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseRefused, parseSeries, parseTasks, parseTurns } from '../../../../extension/dashboard/data.ts'
import { documentOf } from '../../../../extension/dashboard/document.ts'
import { parseFromPage, parseState, parseToPage } from '../../../../extension/dashboard/messages.ts'
import { pageOf } from '../../../../extension/dashboard/pageOf.ts'
import { defaultView, periods, readView, unitsOf } from '../../../../extension/dashboard/view.ts'
import { text } from '../support.ts'
import { series, seriesRow, state } from './sample.ts'

describe('messages between the dashboard and its page', () => {
  const drawn = {
    type: 'drawn',
    theme: 'dark',
    view: defaultView,
    loads: 1,
    charts: Object.fromEntries(
      ['spend', 'turns', 'residual', 'refusals', 'drift'].map((name) => [name, { names: [], bars: 0, linePoints: 0 }]),
    ),
  }

  it('are taken as they are meant', () => {
    for (const message of [
      { type: 'ready' },
      { type: 'view', view: defaultView },
      { type: 'export', chart: 'turns' },
      { type: 'run', command: 'tollgate.restartDaemon' },
      drawn,
    ]) {
      assert.deepEqual(parseFromPage(message), message)
    }
    const show = { type: 'show', page: pageOf(state(), text), setsView: true }
    assert.deepEqual(parseToPage(structuredClone(show)), show)
  })

  it('run no other command, export no other chart and set no other view', () => {
    for (const message of [
      { type: 'run', command: 'workbench.action.terminal.new' },
      { type: 'export', chart: '../etc' },
      { type: 'view', view: { ...defaultView, unit: 'second' } },
      { type: 'view' },
      { type: 'show', page: null },
      null,
      'ready',
      [],
    ]) {
      assert.equal(parseFromPage(message), undefined, JSON.stringify(message))
    }
  })

  it('never throw, whatever arrives', () => {
    const types = fc.constantFrom('ready', 'view', 'export', 'run', 'drawn', 'show')
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ type: types, view: fc.anything(), page: fc.anything() })),
        (message) => {
          parseFromPage(message)
          parseToPage(message)
          parseState(message)
        },
      ),
    )
  })

  it('keep of a state what can be read', () => {
    assert.deepEqual(parseState(undefined), { view: null, open: [], loads: 0 })
    assert.deepEqual(parseState({ view: { period: 'ever' }, open: ['turns'], loads: 2 }), {
      view: null,
      open: ['turns'],
      loads: 2,
    })
    assert.deepEqual(parseState({ view: defaultView, open: ['nothing'], loads: 'many' }), {
      view: defaultView,
      open: [],
      loads: 0,
    })
  })
})

describe('the view of the dashboard', () => {
  it('takes from outside what is a choice, and keeps the rest', () => {
    assert.deepEqual(readView(undefined), defaultView)
    const given = { period: 'week', unit: 'hour', by: 'project', measure: 'calls', task: 't1' }
    assert.deepEqual(readView(given), given)
    assert.deepEqual(readView({ task: 'shop-3', label: 'a row of the tree' }), { ...defaultView, task: 'shop-3' })
    assert.deepEqual(readView({ period: 'ever', by: 1, task: '' }), defaultView)
    assert.deepEqual(readView({ task: null }, { ...defaultView, task: 't1' }), defaultView)
  })

  it('always has a unit that its period has (property)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), fc.anything(), (period, unit) => {
        const view = readView({ period, unit })
        assert.ok(unitsOf(period).includes(view.unit))
      }),
    )
  })
})

describe('answers of the daemon', () => {
  it('are read as they are documented', () => {
    const answer = series([seriesRow('a', [1, 2, 3])])
    assert.deepEqual(parseSeries(structuredClone(answer)), answer)
    assert.deepEqual(
      parseTasks({
        rows: [
          { name: 't1', calls: 3, eur: 1 },
          { name: null, calls: 9 },
        ],
      }),
      [{ name: 't1', calls: 3 }],
    )
    const events = [
      { id: 1, event: 'refused', time: 'now', code: 'killed' },
      { id: 2, event: 'killed', time: 'now' },
    ]
    assert.deepEqual(parseRefused({ events }), [{ code: 'killed', time: 'now' }])
  })

  it('give the turns of a task, the oldest first, without calls that reached nobody or have not ended', () => {
    const usage = { input: 5, cacheRead: 70, cacheWrite5m: 2, cacheWrite1h: 1, output: 9, reasoning: 4 }
    const call = (time: string, settlement: string | null, warnings: readonly string[] = []) => ({
      time,
      model: 'm',
      settlement,
      usage,
      eur: 0.5,
      listPriceEur: 0,
      warnings,
    })
    const calls = [call('4', null), call('3', 'exact'), call('2', 'released'), call('1', 'partial')]
    const { turns, isCut } = parseTurns({ calls }, 't1')
    assert.deepEqual(
      turns.map(({ time }) => time),
      ['1', '3'],
    )
    assert.deepEqual(turns[0], {
      time: '1',
      model: 'm',
      cachedInput: 70,
      newInput: 8,
      output: 9,
      eur: 0.5,
      listPriceEur: 0,
      isUnpriced: false,
    })
    assert.ok(!isCut)
    const warned = [['truncated'], ['unpriced_call'], ['unpriced_call', 'price_reported']]
    assert.deepEqual(
      parseTurns({ calls: warned.map((warnings) => call('1', 'exact', warnings)).reverse() }, 't1').turns.map(
        ({ isUnpriced }) => isUnpriced,
      ),
      [false, true, false],
    )
    assert.ok(parseTurns({ calls: Array.from({ length: 500 }, () => call('1', 'exact')) }, 't1').isCut)
  })

  it('that are none are an error, never zeros', () => {
    const answer = series([seriesRow('a', [1])])
    for (const broken of [
      undefined,
      {},
      { ...answer, totals: { ...answer.totals, eur: 'much' } },
      { ...answer, rows: 1 },
    ]) {
      assert.throws(() => parseSeries(broken))
    }
    assert.throws(() => parseTurns({ calls: [{}] }, 't1'))
    assert.throws(() => parseTasks(undefined))
    assert.throws(() => parseRefused([]))
  })
})

describe('the document of the dashboard', () => {
  const html = documentOf({
    nonce: 'n0nce',
    scriptUri: 'https://host/dist/dashboard.js?a=1&b="',
    styleUri: 'https://host/dist/dashboard.css',
    language: 'en',
    title: 'A <b>',
    loading: 'Reading…',
  })

  it('allows one script and one style sheet by a nonce, and nothing else', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1]?.replaceAll('&#39;', "'")
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'",
    )
    assert.equal(html.match(/nonce="n0nce"/g)?.length, 2)
    assert.doesNotMatch(html, /<style|\son\w+=|javascript:|\sstyle=|unsafe/)
  })

  it('escapes what is put into it', () => {
    assert.match(html, /<title>A &lt;b&gt;<\/title>/)
    assert.match(html, /src="https:\/\/host\/dist\/dashboard\.js\?a=1&amp;b=&quot;"/)
  })
})
