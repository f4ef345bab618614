import assert from 'node:assert/strict'
import fc from 'fast-check'
import { noUsage } from '../../../shared/usage.ts'
import { corrected, correctionOf } from '../../../daemon/money/corrections.ts'
import { priceListOf, priceOf } from './priceListOf.ts'

const at = (time: string): number => Date.parse(time)
const september = { provider: 'openai', match: 'gpt-5*', factor: 1.12, from: '2026-09-01' }

describe('a correction', () => {
  it('holds for its models and provider from its day in UTC on', () => {
    const factor = correctionOf([september], ['work', 'openai'], ['gpt-5-mini'])
    assert.equal(factor(at('2026-08-31T23:59:59.999Z')), 1)
    assert.equal(factor(at('2026-09-01T00:00:00Z')), 1.12)
    assert.equal(correctionOf([september], ['anthropic'], ['gpt-5'])(at('2026-12-01')), 1)
    assert.equal(correctionOf([{ ...september, provider: null }], ['anthropic'], ['gpt-5'])(at('2026-12-01')), 1.12)
    assert.equal(correctionOf([september], ['openai'], ['gpt-4o'])(at('2026-12-01')), 1)
  })

  it('gives way to a later one, wherever it is written, and of two of a day to the later entry', () => {
    const december = { ...september, factor: 0.9, from: '2026-12-01' }
    for (const list of [
      [september, december],
      [december, september],
      [{ ...december, factor: 3 }, december],
    ]) {
      assert.equal(correctionOf(list, ['openai'], ['gpt-5'])(at('2026-12-24')), 0.9)
    }
    assert.equal(correctionOf([december, september], ['openai'], ['gpt-5'])(at('2026-11-30')), 1.12)
  })

  it('is whole and never below the exact product', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 1, max: 100_000 }), (pico, tenThousandths) => {
        const product = corrected(pico, tenThousandths / 10_000)
        assert.ok(Number.isInteger(product))
        const exact = BigInt(pico) * BigInt(tenThousandths)
        const above = BigInt(product) * 10_000n - exact
        // The product of two doubles is off by at most one part in 2^52.
        assert.ok(above >= -1n * (exact / 2n ** 51n) && above <= 10_000n + exact / 2n ** 51n, String(above))
      }),
    )
  })

  it('is on the tokens of reservation and settlement alike, and on no fee', async () => {
    const plain = priceOf(await priceListOf(), 'openai', 'gpt-5-mini-2025-08-07')
    const list = await priceListOf({
      corrections: [{ provider: 'openai', match: 'gpt-5-mini', factor: 1.5, from: '2026-11-30' }],
    })
    const price = priceOf(list, 'openai', 'gpt-5-mini-2025-08-07')
    const [before, after] = [at('2026-11-29T23:59:59Z'), at('2026-11-30T00:00:00Z')]
    const usage = { ...noUsage, input: 1_000_000, output: 200_000, webSearches: 3 }
    const fees = plain.cost({ ...noUsage, webSearches: 3 }, {}, after)
    assert.ok(fees > 0)
    assert.equal(price.cost(usage, {}, before), plain.cost(usage, {}, before))
    assert.equal(price.cost(usage, {}, after), (plain.cost(usage, {}, after) - fees) * 1.5 + fees)
    const ask = { inputTokens: 1000, outputTokens: 500, cacheWrite: 'none', tier: {}, serverTools: [] } as const
    assert.equal(price.worstCase({ ...ask, atMs: before }), plain.worstCase({ ...ask, atMs: before }))
    assert.equal(price.worstCase({ ...ask, atMs: after }), plain.worstCase({ ...ask, atMs: after }) * 1.5)
    assert.match(price.provenance(after), / × 1\.5\)$/)
    assert.equal(price.provenance(before), plain.provenance(before))
  })

  it('is on a price of the user as well', async () => {
    const overrides = [{ provider: null, match: 'mine-*', prices: { input_mtok: 1, output_mtok: 10 } }]
    const corrections = [{ provider: null, match: 'mine-1', factor: 0.45, from: '2026-01-01' }]
    const list = await priceListOf({ overrides, corrections })
    const usage = { ...noUsage, output: 1_000_000 }
    assert.equal(priceOf(list, 'openai', 'mine-1').cost(usage, {}, at('2026-11-30')), 4_500_000_000)
    assert.equal(priceOf(list, 'openai', 'mine-2').cost(usage, {}, at('2026-11-30')), 10_000_000_000)
  })
})
