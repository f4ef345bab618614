import assert from 'node:assert/strict'
import type { PriceCorrection } from '../../../../shared/config.ts'
import type { UsageOfDay } from '../../../../shared/reconciliation.ts'
import { factorsOf, withCorrections } from '../../../../daemon/commands/reconcile/factors.ts'
import type { Factors } from '../../../../daemon/commands/reconcile/factors.ts'
import { loadConfig } from '../../../../daemon/config/load.ts'
import { loadBuiltInPrices } from '../../../../daemon/money/builtInPrices.ts'
import { compare } from '../../../../daemon/reconcile/compare.ts'
import { createModelKeys } from '../../../../daemon/reconcile/modelKeys.ts'
import { usageOf } from '../../reconcile/usage.ts'

const load = (text: string) => loadConfig({ text, env: {}, systemTimezone: 'UTC' })

describe('the factors of a reconciliation', () => {
  async function factors(
    invoiced: Readonly<Record<string, number>>,
    usage: readonly UsageOfDay[],
    inForce: readonly PriceCorrection[] = [],
  ): Promise<Factors> {
    const keyOf = createModelKeys((await loadBuiltInPrices()).byId('openai'))
    const rows = Object.entries(invoiced).map(([model, usd]) => ({
      day: '2026-11-02',
      model,
      item: null,
      tier: null,
      amount: usd * 1e9,
    }))
    const comparison = compare({
      invoice: {
        format: '',
        provider: 'openai',
        unit: 'usd',
        tiers: 'none',
        itemizesTools: true,
        rows,
        period: null,
        notes: [],
      },
      usage,
      from: '2026-11-01',
      to: '2026-11-30',
      keyOf,
    })
    return factorsOf({ comparison, usage, provider: 'openai', from: '2026-12-01', keyOf, inForce })
  }

  it('are invoice by ours, rounded up to four digits, by the name of the table (D17)', async () => {
    const { corrections } = await factors({ 'gpt-5-mini-2025-08-07': 4.5, 'gpt-4o': 1 }, [
      usageOf({ usd: 10 }),
      usageOf({ model: 'gpt-4o', responseModel: null, usd: 0.97 }),
    ])
    assert.deepEqual(corrections, [
      { provider: 'openai', match: 'gpt-5-mini', factor: 0.45, from: '2026-12-01' },
      { provider: 'openai', match: 'gpt-4o', factor: 1.031, from: '2026-12-01' },
    ])
  })

  it('are none for what agrees, for what one side lacks (D18), and for line items', async () => {
    const { corrections, notes } = await factors({ 'gpt-5-mini': 1.005, o3: 9 }, [
      usageOf({ toolUsd: { 'web search': 0.5 }, usd: 1.5 }),
      usageOf({ model: 'gpt-4o', responseModel: null }),
    ])
    assert.deepEqual([corrections, notes], [[], []])
  })

  it('are none beyond ten times, and that is said', async () => {
    const { corrections, notes } = await factors({ 'gpt-5-mini': 16.8 }, [usageOf()])
    assert.deepEqual(corrections, [])
    assert.match(notes.join(), /^gpt-5-mini differs more than 10 times/)
  })

  it('name an alias that the table does not know as this model', async () => {
    const { corrections } = await factors({ 'gpt-5-mini': 3 }, [usageOf(), usageOf({ model: 'fast-alias' })])
    assert.deepEqual(
      corrections.map(({ match, factor }) => [match, factor]),
      [
        ['fast-alias', 1.5],
        ['gpt-5-mini', 1.5],
      ],
    )
  })

  it('take out what a correction in force did to our figures, day by day', async () => {
    const inForce = [{ provider: 'openai', match: 'gpt-5-mini', factor: 1.2, from: '2026-11-10' }]
    const usage = [usageOf({ usd: 10 }), usageOf({ day: '2026-11-10', usd: 12 })]
    // 20 at the price of the table; 25 invoiced.
    const { corrections } = await factors({ 'gpt-5-mini': 25 }, usage, inForce)
    assert.deepEqual(corrections, [{ provider: 'openai', match: 'gpt-5-mini', factor: 1.25, from: '2026-12-01' }])
    assert.deepEqual((await factors({ 'gpt-5-mini': 24 }, usage, inForce)).corrections, [])
  })
})

describe('corrections in a configuration text', () => {
  const correction = { provider: 'openai', match: 'gpt-5', factor: 1.12, from: '2026-12-01' }

  it('are added behind the others, each on a line, and leave comments where they are', () => {
    const text = `{
  "prices": {
    "corrections": [
      { "match": "o3", "factor": 2, "from": "2026-01-01" } // agreed with sales
    ]
  }
}
`
    const edit = withCorrections(text, [correction, { ...correction, match: 'gpt-4o' }], load)
    assert.ok(edit.ok)
    assert.equal(
      edit.text,
      text.replace(
        '} // agreed with sales\n',
        `}, // agreed with sales
      { "provider": "openai", "match": "gpt-5", "factor": 1.12, "from": "2026-12-01" },
      { "provider": "openai", "match": "gpt-4o", "factor": 1.12, "from": "2026-12-01" }
`,
      ),
    )
  })

  it('take the place of one of the same day, and stand in a file that had none', () => {
    const first = withCorrections('{}\n', [correction], load)
    assert.ok(first.ok)
    const second = withCorrections(
      first.text,
      [
        { ...correction, factor: 1.3 },
        { ...correction, from: '2026-12-02' },
      ],
      load,
    )
    assert.ok(second.ok)
    const loaded = load(second.text)
    assert.ok(loaded.ok)
    assert.deepEqual(loaded.config.prices.corrections, [
      { ...correction, factor: 1.3 },
      { ...correction, from: '2026-12-02' },
    ])
  })

  it('are not written into a file that is not valid', () => {
    assert.deepEqual(
      withCorrections(
        '{"prices": {"corrections": [{"match": "a", "factor": 0, "from": "2026-12-01"}]}}',
        [correction],
        load,
      ),
      {
        ok: false,
        problems: ['prices.corrections[0].factor must be a number > 0, not 0.'],
      },
    )
  })
})
