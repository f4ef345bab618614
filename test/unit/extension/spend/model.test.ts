import assert from 'node:assert/strict'
import { createFigures } from '../../../../extension/ui/figures.ts'
import { noCaps } from '../../../../extension/ui/exhaustedCaps.ts'
import { noEvents } from '../../../../extension/ui/spendEvents.ts'
import { spendMessage, spendNodes } from '../../../../extension/ui/spendModel.ts'
import type { ModelStatus } from '../../../../shared/status.ts'
import { figures, spend, status, task, text } from '../support.ts'
import { allOf, drawn, event, nothing, nowMs, read, report, row } from './parts.ts'

const model = (name: string, changes: Partial<ModelStatus> = {}): ModelStatus => ({
  model: name,
  calls: 3,
  eur: 0.5,
  listPriceEur: 0,
  billing: 'metered',
  ...changes,
})

describe('the Spend view', () => {
  it('has its sections in one order, and leaves out those without rows', () => {
    assert.deepEqual(
      drawn().map(({ id }) => id),
      ['today', 'month'],
    )
    const full = drawn({ tasks: [task()] }, [
      event('truncated', { model: 'qwen3:4b', estimated: 12_920, reported: 2051 }),
      event('refused', { code: 'killed' }),
    ])
    assert.deepEqual(
      full.map(({ id }) => id),
      ['today', 'month', 'tasks', 'blocked', 'warnings'],
    )
  })

  it('is empty while the gate is not up and before anything happened, so that the welcome is shown', () => {
    for (const gate of [
      { kind: 'off' },
      { kind: 'starting' },
      { kind: 'down', reason: 'It ended.', gaveUp: false },
    ] as const) {
      assert.deepEqual(
        spendNodes({ gate, events: noEvents, byProject: null, byModel: null, gateSinceMs: 0, nowMs }, text, figures),
        [],
      )
    }
    assert.deepEqual(drawn(nothing), [])
  })

  it('is not empty on a new day, nor with a first call that runs or was refused', () => {
    assert.equal(row(drawn({ today: nothing.today }), 'month').description, '€31.20 of €150.00 · 21%')
    const inFlight = [{ call: 'a', task: null, model: 'gpt-5', elapsedMs: 10, outputTokens: 0 }]
    assert.equal(drawn({ ...nothing, inFlight })[0]?.id, 'today')
    assert.equal(drawn({ ...nothing, killed: true })[0]?.id, 'today')
    assert.ok(row(drawn(nothing, [event('refused', { code: 'invalid_key' })]), 'blocked'))
  })

  it('tells every row to a screen reader, under an id of its own', () => {
    const nodes = drawn(
      { tasks: [task(), task({ id: 'b', state: 'halted' })], models: [model('a'), model('b')] },
      [
        event('refused', { code: 'killed', message: 'All model calls are stopped by the Tollgate kill switch.' }),
        event('empty_answer', { model: 'o4', outputTokens: 256 }),
      ],
      { byProject: report('project', [{ name: null }, { name: 'shop' }]) },
    )
    const all = allOf(nodes)
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
    for (const node of all) {
      assert.ok(node.spoken !== '' && node.label !== '' && node.tooltip !== '', node.id)
      assert.equal(node.open === 'leaf', node.children.length === 0, node.id)
    }
  })

  it('keeps the ids when only figures move', () => {
    const ids = (eur: number): readonly string[] =>
      allOf(
        drawn(
          { today: spend({ spentEur: eur }), models: [model('a', { eur })], tasks: [task({ eur, iterations: 8 })] },
          [event('refused', { code: 'velocity', scope: 'task', scopeRef: 'shop-3', message: `spent ${eur}` })],
          { byProject: report('project', [{ name: 'shop', eur }]) },
        ),
      ).map(({ id }) => id)
    assert.deepEqual(ids(2), ids(1))
  })
})

describe('today in the Spend view', () => {
  it('says what was spent of the cap, and what is held', () => {
    const today = row(drawn({ today: spend({ reservedEur: 0.02 }) }), 'today')
    assert.equal(today.description, '€1.84 of €10.00 · 18%')
    assert.match(today.tooltip, /120,000 new input tokens\n90,000 cached input tokens\n8,000 output tokens/)
    assert.match(today.tooltip, /€0\.02 held for running calls/)
    assert.equal(today.spoken, 'Today: €1.84 of €10.00, 18%, 41 calls.')
  })

  it('names no cap where there is none, and token caps where there are', () => {
    assert.equal(row(drawn({ today: spend({ capEur: null }) }), 'today').description, '€1.84')
    const capped = drawn({ today: spend({ capEur: 0, capTokens: 1_000_000 }) })
    assert.equal(row(capped, 'today').description, '€1.84 of €0.00 · 218k/1M tokens')
  })

  it('E01: never shows a cost that is not known as nothing', () => {
    const unpriced = drawn(
      { today: spend({ spentEur: 0, unpricedCalls: 2 }), models: [model('new', { eur: 0 })] },
      [],
      {
        byModel: report('model', [{ name: 'new', unpricedCalls: 2 }]),
      },
    )
    assert.equal(row(unpriced, 'today').description, '€? of €10.00')
    assert.equal(row(unpriced, 'model/new').description, '€? · 3 calls')
    const partly = drawn({ models: [model('new')] }, [], {
      byModel: report('model', [{ name: 'new', unpricedCalls: 1 }]),
    })
    assert.equal(row(partly, 'model/new').description, '≥ €0.50 · 3 calls')
  })

  it('lists models and projects with the dearest first, at list price where a subscription pays', () => {
    const nodes = drawn(
      {
        models: [
          model('cheap', { eur: 0.002, calls: 1 }),
          model('sub', { eur: 0, listPriceEur: 3 }),
          model('dear', { eur: 1.2 }),
          model('b', { eur: 0, calls: 9 }),
          model('a', { eur: 0, calls: 9 }),
        ],
      },
      [],
      {
        byProject: report('project', [
          { name: 'shop', eur: 0.2, calls: 1200 },
          { name: null, eur: 0.9, calls: 2 },
        ]),
      },
    )
    assert.deepEqual(read(row(nodes, 'today/models').children), [
      'sub | €3.00 list · 3 calls',
      'dear | €1.20 · 3 calls',
      'cheap | €0.0020 · 1 call',
      'a | €0.00 · 9 calls',
      'b | €0.00 · 9 calls',
    ])
    assert.deepEqual(read(row(nodes, 'today/projects').children), [
      'no project | €0.90 · 2 calls',
      'shop | €0.20 · 1,200 calls',
    ])
  })

  it('tells a project that is called like the row for none from that row', () => {
    const named = report('project', [{ name: null }, { name: 'no project' }, { name: '' }])
    const rows = row(drawn({}, [], { byProject: named }), 'today/projects').children
    assert.equal(new Set(rows.map(({ id }) => id)).size, 3)
  })

  it('leaves out a report of yesterday, after midnight', () => {
    const yesterday = { ...report('project', [{ name: 'shop' }]), to: '2026-11-29' }
    const nodes = drawn({}, [], { byProject: yesterday })
    assert.ok(!allOf(nodes).some(({ id }) => id === 'today/projects'))
  })

  it('keeps long lists short, with the others behind a closed row', () => {
    const models = Array.from({ length: 300 }, (_, index) => model(`m${index}`, { eur: 300 - index }))
    const { children } = row(drawn({ models }), 'today/models')
    assert.equal(children.length, 13)
    const more = children.at(-1)!
    assert.deepEqual([more.label, more.open, more.children.length], ['288 more', 'closed', 200])
    assert.equal(more.children[0]?.label, 'm12')
  })

  it('shows names from outside as one short line', () => {
    const nodes = drawn({ models: [model(`a\u202eb\n${'c'.repeat(200)}`)] })
    const { label } = row(nodes, 'today/models').children[0]!
    assert.match(label, /^a b c+…$/)
    assert.ok(label.length <= 80)
  })

  it('shows at a cap that it may be raised, and what is allowed on top until when', () => {
    const plain = drawn()
    assert.deepEqual([row(plain, 'today').menu, row(plain, 'month').menu], [['raise'], ['raise']])
    const grantedUntil = '2026-12-01T00:00:00+01:00'
    const today = spend({ spentEur: 10.8, grantedEur: 2, grantedUntil })
    const month = spend({ capEur: null, capTokens: 100_000, grantedTokens: 50_000, grantedUntil })
    const when = figures.when(grantedUntil, nowMs)
    const nodes = drawn({ today, month })
    assert.equal(row(nodes, 'today').description, '€10.80 of €12.00 · 90%')
    const [first] = row(nodes, 'today').children
    assert.deepEqual([first?.id, first?.label, first?.menu], ['today/allowed', `+€2.00 until ${when}`, ['takeBack']])
    assert.equal(first?.spoken, `Today: €2.00 allowed on top of the cap until ${when}`)
    assert.equal(row(nodes, 'month/allowed').label, `+50k tokens until ${when}`)
    assert.match(row(nodes, 'month').description, / · 218k\/150k tokens$/)
    assert.deepEqual(row(drawn({ today: spend({ capEur: null }) }), 'today').menu, [])
  })

  it('says how much of what is allowed on top ends when, where that is not all at once', () => {
    const [evening, midnight] = ['2026-11-30T18:00:00+01:00', '2026-12-01T00:00:00+01:00'] as const
    const today = spend({
      grantedEur: 3,
      grantedTokens: 50_000,
      grantedUntil: evening,
      granted: [
        { eur: 2, tokens: 0, until: evening },
        { eur: 1, tokens: 50_000, until: midnight },
      ],
    })
    const [first, last] = [figures.when(evening, nowMs), figures.when(midnight, nowMs)]
    const allowed = row(drawn({ today }), 'today/allowed')
    const parts = `€2.00 until ${first}, €1.00 + 50k tokens until ${last}`
    assert.equal(allowed.label, `+€3.00 + 50k tokens: ${parts}`)
    const says = `Today: €3.00 + 50k tokens allowed on top of the cap (${parts})`
    assert.deepEqual([allowed.tooltip, allowed.spoken], [says, says])
    // Two ends that read alike are one, and so is a single one.
    const until = '2026-11-30T18:00:20+01:00'
    const twice = spend({
      grantedEur: 3,
      grantedUntil: evening,
      granted: [
        { eur: 2, tokens: 0, until: evening },
        { eur: 1, tokens: 0, until },
      ],
    })
    assert.equal(row(drawn({ today: twice }), 'today/allowed').label, `+€3.00 until ${first}`)
  })

  it('counts what was refused before the gate was started as the least that it can be', () => {
    const refused = [event('refused', { code: 'killed' }), event('refused', { code: 'killed' })]
    const startedMs = Date.parse('2026-11-30T11:45:00.000Z')
    assert.equal(row(drawn({}, refused), 'blocked').description, '2 calls')
    const nodes = drawn({}, refused, { gateSinceMs: startedMs })
    assert.deepEqual(
      [row(nodes, 'blocked').description, row(nodes, 'blocked/killed').description],
      ['2+ calls', '2+ calls'],
    )
  })

  it("is written in the user's format", () => {
    const gate = { kind: 'up', status: status({ models: [model('a')] }), exhausted: noCaps } as const
    const state = { gate, events: noEvents, byProject: null, byModel: null, gateSinceMs: 0, nowMs }
    const nodes = spendNodes(state, text, createFigures('de'))
    assert.equal(row(nodes, 'today').description.replaceAll('\u00a0', ' '), '1,84 € of 10,00 € · 18 %')
  })
})

describe('the line above the Spend view', () => {
  const gate = { kind: 'up', status: status(), exhausted: noCaps } as const

  it('says what keeps every call from passing, and nothing while calls pass', () => {
    const says = (changes: Parameters<typeof status>[0]): string | undefined =>
      spendMessage({ ...gate, status: status(changes) }, text, figures)
    assert.equal(says({}), undefined)
    assert.equal(says({ killed: true }), 'Tollgate has stopped all model calls.')
    assert.match(says({ today: spend({ spentEur: 10 }) }) ?? '', /^Tollgate cap reached: €10\.00\./)
    assert.match(says({ integrity: { ...status().integrity, ledgerAvailable: false } }) ?? '', /ledger is unavailable/)
  })

  it('says nothing of the cap of one project that refused a call', () => {
    const owner = { scope: 'project', ref: 'shop', tenant: null, window: 'day', isOwn: false } as const
    const exhausted = [{ unit: 'eur', limit: 0.1, resetsAtMs: null, ...owner }] as const
    assert.equal(spendMessage({ ...gate, exhausted }, text, figures), undefined)
  })

  it('is empty while the gate is not up, where the welcome speaks', () => {
    assert.equal(spendMessage({ kind: 'off' }, text, figures), undefined)
  })
})
