import assert from 'node:assert/strict'
import type { ModelPrice } from '@pydantic/genai-prices'
import { moveBetween } from '../../../daemon/money/priceMoves.ts'
import type { PriceMove } from '../../../daemon/money/priceMoves.ts'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { tableWith } from '../../../daemon/money/priceTable.ts'
import { createPriceList } from '../../../daemon/money/table.ts'
import type { PricedModel } from '../../../daemon/money/price.ts'

const atMs = Date.parse('2026-11-30T12:00:00Z')

async function priced(prices: ModelPrice): Promise<PricedModel> {
  const config = { overrides: [], corrections: [], multipliers: {}, toolFees: {}, unpriced: 'refuse' } as const
  const models = [{ id: 'm', match: { equals: 'm' }, prices }]
  const installed = { asOf: '2026-11-30', providers: [{ id: 'x', name: 'x', api_pattern: '', models }], overrides: [] }
  const list = createPriceList(config, { usdRate: 1 }, tableWith(await loadBuiltInPrices(), installed))
  return list.find('x', 'http://127.0.0.1:9', 'm', atMs) ?? assert.fail('no price')
}

function tiered(base: number, price: number): ModelPrice {
  const prices: Record<string, unknown> = { input_mtok: { base, tiers: [{ start: 200_000, price }] }, output_mtok: 1 }
  return prices as ModelPrice
}

async function move(before: ModelPrice, after: ModelPrice): Promise<Partial<PriceMove> | null> {
  return moveBetween({ model: 'm', upstream: 'x' }, await priced(before), await priced(after), atMs)
}

describe('a price that moves', () => {
  it('E08: is believed up to ten times in either direction', async () => {
    assert.equal(await move({ input_mtok: 1, output_mtok: 1 }, { input_mtok: 10, output_mtok: 0.1 }), null)
    assert.deepEqual(await move({ input_mtok: 1, output_mtok: 1 }, { input_mtok: 1, output_mtok: 10.01 }), {
      model: 'm',
      upstream: 'x',
      kind: 'output',
      fromUsd: 1,
      toUsd: 10.01,
    })
  })

  it('E08: is looked at for short and for long prompts', async () => {
    assert.deepEqual((await move(tiered(1, 20), tiered(11, 20)))?.fromUsd, 1)
    assert.deepEqual((await move(tiered(1, 2), tiered(1, 21)))?.toUsd, 21)
    assert.equal(await move(tiered(1, 2), tiered(2, 4)), null)
  })

  it('E08: is looked at for cached input too, and from nothing and to nothing', async () => {
    const cached = (usd: number): ModelPrice => ({ input_mtok: 1, output_mtok: 1, cache_read_mtok: usd })
    assert.equal((await move(cached(0.5), cached(0.01)))?.kind, 'cacheRead')
    assert.equal((await move({ input_mtok: 0, output_mtok: 1 }, { input_mtok: 0.01, output_mtok: 1 }))?.kind, 'input')
    assert.equal(await move({ input_mtok: 0, output_mtok: 0 }, { input_mtok: 0, output_mtok: 0 }), null)
  })
})
