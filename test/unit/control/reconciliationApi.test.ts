import assert from 'node:assert/strict'
import type { ReconciliationSummary } from '../../../shared/reconciliation.ts'
import {
  driftReadings,
  driftStatus,
  keepReconciliation,
  readReconciliation,
} from '../../../daemon/control/reconciliationApi.ts'
import { readDayRange } from '../../../daemon/control/usageByDay.ts'
import type { KeptReconciliation } from '../../../daemon/ledger/ledger.ts'

const summary: ReconciliationSummary = {
  provider: 'openai',
  format: 'OpenAI costs (JSON)',
  unit: 'usd',
  from: '2026-11-01',
  to: '2026-11-30',
  invoice: 45,
  local: 100,
  drift: 0.45,
  coverage: 1,
  models: [
    { model: 'gpt-5', tier: 'standard', invoice: 45, local: 100, ratio: 0.45, class: 'mismatch' },
    { model: 'o3', tier: null, invoice: 0, local: 0, ratio: null, class: 'matched' },
  ],
}

describe('POST /api/reconciliations', () => {
  it('takes a summary, and only the fields that it knows', () => {
    assert.deepEqual(readReconciliation({ ...summary, prompt: 'x' }), summary)
  })

  it('refuses what is no summary, with a sentence that names the field', () => {
    const [model] = summary.models
    const bad: readonly (readonly [object, RegExp])[] = [
      [{ provider: '' }, /^provider must/],
      [{ provider: 'x'.repeat(129) }, /^provider must/],
      [{ unit: 'eur' }, /^unit must be usd or tokens/],
      [{ from: '2026-11-31' }, /^from and to must be days/],
      [{ from: '2026-12-01' }, /^from must not be later/],
      [{ invoice: '45' }, /^invoice and local/],
      [{ drift: Number.NaN }, /^drift must/],
      [{ coverage: 1.2 }, /^coverage must/],
      [{ models: Array.from({ length: 201 }, () => model) }, /^models must be a list of at most 200/],
      [{ models: [{ ...model, class: 'fine' }] }, /^models\[0\] must have/],
      [{ models: [model, { ...model, ratio: 'much' }] }, /^models\[1\] must have/],
    ]
    for (const [change, problem] of bad) {
      const read = readReconciliation({ ...summary, ...change })
      assert.ok(typeof read === 'string', JSON.stringify(change))
      assert.match(read, problem)
    }
    assert.match(readReconciliation([]) as string, /must be a JSON object/)
  })

  it('says what is beyond tolerance once, and again when it says something else', () => {
    const kept: KeptReconciliation[] = []
    const said: unknown[] = []
    const parts = {
      nowMs: () => 5,
      ledger: {
        reconciliations: () => kept,
        saveReconciliation: (one: ReconciliationSummary, atMs: number) => kept.unshift({ summary: one, atMs }),
      },
      events: { emit: (_: string, fields: object) => said.push(fields) },
    } as unknown as Parameters<typeof keepReconciliation>[0]
    assert.deepEqual(keepReconciliation(parts, summary), { beyond: true, isNew: true })
    assert.deepEqual(keepReconciliation(parts, { ...summary }), { beyond: true, isNew: false })
    assert.deepEqual(keepReconciliation(parts, { ...summary, invoice: 100, drift: 1 }), { beyond: false, isNew: true })
    assert.deepEqual(keepReconciliation(parts, summary), { beyond: true, isNew: true })
    assert.equal(kept.length, 4)
    const fields = Object.fromEntries(Object.entries(summary).filter(([name]) => name !== 'format'))
    assert.deepEqual(said, Array(2).fill({ ...fields, models: summary.models.slice(0, 1) }))
  })
})

describe('the last reconciliations', () => {
  it('are in the status with what they say', () => {
    assert.deepEqual(driftStatus([{ atMs: 0, summary }]), [
      {
        time: '1970-01-01T00:00:00.000Z',
        provider: 'openai',
        unit: 'usd',
        from: '2026-11-01',
        to: '2026-11-30',
        drift: 0.45,
        coverage: 1,
        beyond: true,
      },
    ])
  })

  it('are readings of the metric, each series once, and none of tokens', () => {
    const twice = { ...summary, models: [...summary.models, ...summary.models] }
    const readings = driftReadings([
      { atMs: 0, summary: twice },
      { atMs: 0, summary: { ...summary, unit: 'tokens', provider: 'anthropic' } },
    ])
    assert.deepEqual(readings, [
      { value: 0.45, labels: { provider: 'openai', model: 'gpt-5', tier: 'standard' } },
      { value: Infinity, labels: { provider: 'openai', model: 'o3', tier: '' } },
    ])
  })
})

describe('the days of GET /api/usage-by-utc-day', () => {
  it('are two days that exist, in order, at most 400', () => {
    assert.deepEqual(readDayRange('2026-11-30', '2026-11-30'), { from: '2026-11-30', to: '2026-11-30' })
    for (const [from, to] of [
      [null, '2026-11-30'],
      ['2026-11-31', '2026-12-01'],
      ['2026-12-01', '2026-11-30'],
      ['2025-01-01', '2026-11-30'],
      ['yesterday', 'today'],
    ] as const) {
      assert.equal(typeof readDayRange(from, to), 'string')
    }
  })
})
