import assert from 'node:assert/strict'
import { isBeyond } from '../../../shared/reconciliation.ts'
import type { UsageOfDay } from '../../../shared/reconciliation.ts'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { compare, summaryOf } from '../../../daemon/reconcile/compare.ts'
import type { Comparison } from '../../../daemon/reconcile/compare.ts'
import type { Invoice, InvoiceRow } from '../../../daemon/reconcile/invoice.ts'
import { createModelKeys } from '../../../daemon/reconcile/modelKeys.ts'
import type { ModelKey } from '../../../daemon/reconcile/modelKeys.ts'
import { usageOf } from './usage.ts'

const usd = 1_000_000_000

function invoiceOf(rows: readonly Partial<InvoiceRow>[], changes: Partial<Invoice> = {}): Invoice {
  return {
    format: 'a test',
    provider: 'openai',
    unit: 'usd',
    tiers: 'none',
    itemizesTools: false,
    rows: rows.map((row) => ({ day: '2026-11-02', model: 'gpt-5-mini', item: null, tier: null, amount: usd, ...row })),
    period: { from: '2026-11-02', to: '2026-11-03' },
    notes: [],
    ...changes,
  }
}

describe('a comparison', () => {
  let openai: (model: string) => ModelKey
  let anthropic: (model: string) => ModelKey
  let openrouter: (model: string) => ModelKey
  before(async () => {
    const table = await loadBuiltInPrices()
    openai = createModelKeys(table.byId('openai'))
    anthropic = createModelKeys(table.byId('anthropic'))
    openrouter = createModelKeys(table.byId('openrouter'))
  })

  function compared(invoice: Invoice, usage: readonly UsageOfDay[], keyOf = openai): Comparison {
    return compare({ invoice, usage, from: '2026-11-02', to: '2026-11-03', keyOf })
  }
  const classes = (comparison: Comparison): unknown[] =>
    comparison.models.map(({ model, tier, class: agreed }) => [model, tier, agreed])
  const beyond = (comparison: Comparison, invoice = invoiceOf([])): boolean =>
    isBeyond(summaryOf(comparison, invoice, { provider: 'openai', from: '2026-11-02', to: '2026-11-03' }))

  it('matches within a cent or within one percent, and not beyond', () => {
    for (const [amount, local, agreed] of [
      [0.005, 0.0151, 'mismatch'],
      [0.005, 0.015, 'matched'],
      [100, 100.9, 'matched'],
      [100, 101.1, 'mismatch'],
      [101.1, 100, 'mismatch'],
    ] as const) {
      const { models, rows } = compared(invoiceOf([{ amount: amount * usd }]), [usageOf({ usd: local })])
      assert.deepEqual([models[0]?.class, rows[0]?.class], [agreed, agreed], `${amount} and ${local}`)
    }
  })

  it('puts the names of one model together, and not those of its neighbours (E04)', () => {
    const same = (keyOf: (model: string) => ModelKey, ...names: string[]): void => {
      assert.deepEqual([...new Set(names.map((name) => keyOf(name).key))].length, 1, names.join())
    }
    same(anthropic, 'Claude Haiku 4.5', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5', 'anthropic/claude-4.5-haiku')
    same(anthropic, 'claude-sonnet-4-20250514', 'claude-sonnet-4-0', 'Claude Sonnet 4')
    same(anthropic, 'Claude Fable 9.1', 'claude-fable-9-1')
    same(openai, 'gpt-4o-mini-2024-07-18', 'gpt-4o-mini', 'openai/gpt-4o-mini', 'GPT-4o-mini')
    same(openrouter, 'anthropic/claude-4.5-haiku-20251001', 'anthropic/claude-haiku-4.5')
    for (const [keyOf, one, other] of [
      [openai, 'gpt-4o', 'gpt-4o-mini'],
      [openai, 'gpt-5', 'gpt-5-nano'],
      [anthropic, 'Claude Opus 4', 'Claude Opus 4.5'],
    ] as const) {
      assert.notEqual(keyOf(one).key, keyOf(other).key)
    }
  })

  it('counts a call under the name that the provider gave it, or the one that was asked for where the invoice has only that', () => {
    const alias = usageOf({ model: 'fast-alias', responseModel: 'gpt-5-mini-2025-08-07' })
    assert.deepEqual(classes(compared(invoiceOf([{}]), [alias])), [['gpt-5-mini', null, 'matched']])
    assert.deepEqual(classes(compared(invoiceOf([{ model: 'fast-alias' }]), [alias])), [
      ['fast-alias', null, 'matched'],
    ])
  })

  it('classes what only one side has, and shows each day of it', () => {
    const comparison = compared(invoiceOf([{}, { day: '2026-11-03' }, { model: 'o3' }]), [
      usageOf(),
      usageOf({ model: 'gpt-4o', responseModel: null, usd: 0.3 }),
    ])
    assert.deepEqual(classes(comparison), [
      ['gpt-5-mini', null, 'mismatch'],
      ['o3', null, 'provider_only'],
      ['gpt-4o', null, 'local_only'],
    ])
    assert.deepEqual(
      comparison.rows.map(({ day, model, class: agreed }) => [day, model, agreed]),
      [
        ['2026-11-02', 'gpt-4o', 'local_only'],
        ['2026-11-02', 'gpt-5-mini', 'matched'],
        ['2026-11-02', 'o3', 'provider_only'],
        ['2026-11-03', 'gpt-5-mini', 'provider_only'],
      ],
    )
    assert.deepEqual([comparison.models[0]?.days, comparison.models[0]?.daysApart], [2, 1])
  })

  it('D17: shows 0.45 of our figure as the ratio of that model and tier', () => {
    const invoice = invoiceOf(
      [
        { model: 'claude-opus-4-5', tier: 'standard', amount: 4.5 * usd },
        { model: 'claude-opus-4-5', tier: 'batch', amount: 2 * usd },
      ],
      { provider: 'anthropic', tiers: 'all' },
    )
    const mine = {
      upstream: 'anthropic',
      provider: 'anthropic',
      model: 'claude-opus-4-5',
      responseModel: 'claude-opus-4-5-20251101',
    }
    const comparison = compared(
      invoice,
      [usageOf({ ...mine, usd: 10 }), usageOf({ ...mine, tier: 'batch', usd: 2 })],
      anthropic,
    )
    const { models } = summaryOf(comparison, invoice, { provider: 'anthropic', from: '2026-11-02', to: '2026-11-03' })
    assert.deepEqual(models, [
      { model: 'claude-opus-4-5', tier: 'standard', invoice: 4.5, local: 10, ratio: 0.45, class: 'mismatch' },
      { model: 'claude-opus-4-5', tier: 'batch', invoice: 2, local: 2, ratio: 1, class: 'matched' },
    ])
    assert.equal(comparison.coverage, 1)
    assert.ok(beyond(comparison))
  })

  it('D18: 499.74 of 8,389.32 seen is a coverage of 6 %, whatever else agrees', () => {
    const comparison = compared(
      invoiceOf([{ amount: 499.74 * usd }, { model: 'gemini-3-pro', amount: 7889.58 * usd }]),
      [usageOf({ usd: 499.74 })],
    )
    assert.deepEqual(classes(comparison)[0], ['gemini-3-pro', null, 'provider_only'])
    assert.equal(comparison.coverage?.toFixed(4), '0.0596')
    assert.equal(comparison.drift?.toFixed(2), '16.79')
    assert.ok(beyond(comparison))
  })

  it('is beyond tolerance where a model that we overstate hides one that we missed', () => {
    const comparison = compared(invoiceOf([{}, { model: 'o3' }]), [usageOf({ usd: 2 })])
    assert.equal(comparison.drift, 1)
    assert.equal(comparison.coverage, 0.5)
    assert.ok(beyond(comparison))
  })

  it('tolerates a drift of 3 % and no more, and any share of a cent', () => {
    const drift = (local: number, amount: number): boolean =>
      beyond(compared(invoiceOf([{ amount: amount * usd }]), [usageOf({ usd: local })]))
    assert.deepEqual([drift(100, 103), drift(100, 103.1), drift(100, 97), drift(100, 96.9)], [false, true, false, true])
    assert.deepEqual([drift(0.001, 0.009), drift(0.001, 0.012)], [false, true])
  })

  it('leaves credits without a model out of drift and coverage, and keeps those of a model', () => {
    const comparison = compared(
      invoiceOf([
        { amount: 1.5 * usd },
        { amount: -0.5 * usd },
        { model: null, item: 'credit', amount: -20 * usd },
        { model: null, amount: -5 * usd },
      ]),
      [usageOf()],
    )
    assert.equal(comparison.credits, -25 * usd)
    assert.deepEqual([comparison.invoice, comparison.drift, comparison.coverage], [usd, 1, 1])
    assert.equal(beyond(comparison), false)
  })

  it('takes tool fees out of the model where the invoice has them as lines of their own', () => {
    const usage = [usageOf({ usd: 1.3, toolUsd: { 'web search': 0.3 } })]
    const rows = [{}, { model: null, item: 'web search', amount: 0.3 * usd }]
    assert.deepEqual(classes(compared(invoiceOf(rows, { itemizesTools: true }), usage)), [
      ['gpt-5-mini', null, 'matched'],
      ['web search', null, 'matched'],
    ])
    assert.deepEqual(classes(compared(invoiceOf([{ amount: 1.3 * usd }]), usage)), [['gpt-5-mini', null, 'matched']])
  })

  it('counts a tier that the invoice never names with its ordinary rows', () => {
    const usage = [usageOf(), usageOf({ tier: 'priority' }), usageOf({ tier: 'flex' })]
    const named = invoiceOf([{ tier: 'standard', amount: 2 * usd }, { tier: 'priority' }], { tiers: 'named' })
    assert.deepEqual(classes(compared(named, usage)), [
      ['gpt-5-mini', 'standard', 'matched'],
      ['gpt-5-mini', 'priority', 'matched'],
    ])
    assert.deepEqual(classes(compared({ ...named, tiers: 'all' }, usage))[2], ['gpt-5-mini', 'flex', 'local_only'])
  })

  it('compares totals of days where the invoice names no model', () => {
    const comparison = compared(invoiceOf([{ model: null, amount: 3 * usd }]), [
      usageOf(),
      usageOf({ model: 'o3', responseModel: null, usd: 2 }),
    ])
    assert.deepEqual(classes(comparison), [['all models', null, 'matched']])
  })

  it('leaves out what lies beside the period', () => {
    const comparison = compared(invoiceOf([{}, { day: '2026-11-04' }]), [usageOf(), usageOf({ day: '2026-11-01' })])
    assert.deepEqual([comparison.invoice, comparison.local], [usd, usd])
  })

  it('compares tokens where the export has no money', () => {
    const comparison = compared(invoiceOf([{ amount: 110_000 }], { unit: 'tokens' }), [
      usageOf({ inputTokens: 90_000, outputTokens: 10_000, usd: 7 }),
    ])
    assert.deepEqual(
      [comparison.invoice, comparison.local, comparison.models[0]?.class],
      [110_000, 100_000, 'mismatch'],
    )
  })

  it('has no drift where we have nothing, and no coverage where nothing was invoiced', () => {
    assert.equal(compared(invoiceOf([{}]), []).drift, null)
    assert.ok(beyond(compared(invoiceOf([{}]), [])))
    const nothing = compared(invoiceOf([]), [])
    assert.deepEqual([nothing.drift, nothing.coverage, beyond(nothing)], [null, null, false])
  })
})
