import assert from 'node:assert/strict'
import { servedPrice } from '../../../daemon/stages/servedPrice.ts'
import type { PriceConfig } from '../../../shared/config.ts'
import { priceListOf } from '../money/priceListOf.ts'

const receivedAtMs = Date.parse('2026-11-30T12:00:00Z')
const call = {
  upstreamName: 'openai',
  upstream: { baseUrl: 'http://127.0.0.1:9/v1', dialect: 'openai', free: false },
  receivedAtMs,
} as const

/** Entry of the price that a call for `asked` is settled at when `answeredBy` answered. */
async function entryFor(asked: string, answeredBy: string | null, config: Partial<PriceConfig> = {}) {
  const prices = await priceListOf(config)
  const price = prices.find('openai', call.upstream.baseUrl, asked, receivedAtMs)
  return servedPrice({ price, prices }, call, answeredBy)?.entry ?? null
}

describe('the price of the model that answered', () => {
  it('decides, where an alias stands for a dearer version', async () => {
    assert.equal(await entryFor('gpt-4o', 'gpt-4o-2024-05-13'), 'openai/gpt-4o-2024-05-13')
    assert.equal(await entryFor('gpt-5', 'gpt-5-mini-2025-08-07'), 'openai/gpt-5-mini')
  })

  it('is that of the asked model where the table does not know the name in the answer', async () => {
    assert.equal(await entryFor('gpt-5', 'gpt-5-internal-7'), 'openai/gpt-5')
    assert.equal(await entryFor('gpt-5', null), 'openai/gpt-5')
    assert.equal(await entryFor('gpt-5', 'gpt-5-internal-7', { unpriced: 'dearest' }), 'openai/gpt-5')
  })

  it("stays the user's own for the name that it was written for", async () => {
    const overrides = [{ provider: null, match: 'mine', prices: { input_mtok: 1, output_mtok: 2 } }]
    assert.equal(await entryFor('mine', 'gpt-5', { overrides }), 'override mine')
  })

  it('is none for a call without a price', async () => {
    assert.equal(await entryFor('nobody', 'gpt-5'), null)
  })
})
