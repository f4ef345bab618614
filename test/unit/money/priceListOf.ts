import assert from 'node:assert/strict'
import type { PriceConfig } from '../../../shared/config.ts'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { createPriceList } from '../../../daemon/money/table.ts'
import type { PricedModel, PriceList } from '../../../daemon/money/price.ts'
import type { TieredPriceList } from '../../../daemon/money/table.ts'

/** A price list over the built-in table, at one euro per dollar unless the test says otherwise. */
export async function priceListOf(config: Partial<PriceConfig> = {}, usdRate = 1): Promise<TieredPriceList> {
  const whole: PriceConfig = {
    overrides: [],
    corrections: [],
    multipliers: {},
    toolFees: {},
    unpriced: 'refuse',
    ...config,
  }
  return createPriceList(whole, { usdRate }, await loadBuiltInPrices())
}

/** The price of a model that must have one. */
export function priceOf(list: PriceList, upstream: string, model: string): PricedModel {
  const price = list.find(upstream, 'http://127.0.0.1:9/v1', model, Date.parse('2026-11-30T12:00:00Z'))
  assert.ok(price, `${model} has a price at ${upstream}`)
  return price
}
