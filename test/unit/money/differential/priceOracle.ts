import assert from 'node:assert/strict'
import { calcPrice, TieredPrices } from '@pydantic/genai-prices'
import type { ConditionalPrice, ModelInfo, ModelPrice, Provider, Usage } from '@pydantic/genai-prices'

/**
 * What a usage costs by the price package itself, to the last digit. The package multiplies dollars as binary fractions; so
 * that its rounding does not stand in the way, it is asked a second time with every price times a million. Those are whole
 * numbers and all sums stay exact, while its own rules still choose the period, the tier and the part of each unit.
 */
export function oracleNanoUsd(usage: Usage, provider: Provider, model: ModelInfo, atMs: number): number | null {
  const timestamp = new Date(atMs)
  const published = calcPrice(usage, model.id, { provider, timestamp })
  if (published === null || published.model.id !== model.id) return null
  const whole = calcPrice(usage, model.id, { provider: wholePrices(provider, model), timestamp })
  assert.ok(whole !== null)
  const picoUsd = Math.round(whole.total_price * 1_000_000)
  assert.ok(Number.isSafeInteger(picoUsd), `${model.id}: an amount that can be told exactly`)
  const publishedPicoUsd = published.total_price * 1e12
  const floatErrorPicoUsd = 0.01 + picoUsd * 1e-14
  assert.ok(
    Math.abs(publishedPicoUsd - picoUsd) <= floatErrorPicoUsd,
    `${model.id}: ${publishedPicoUsd} and, with whole prices, ${picoUsd}`,
  )
  return Math.round(picoUsd / 1000)
}

function wholePrices(provider: Provider, model: ModelInfo): Provider {
  const prices = Array.isArray(model.prices)
    ? model.prices.map((each): ConditionalPrice => ({ ...each, prices: wholePrice(each.prices) }))
    : wholePrice(model.prices)
  return { ...provider, models: [{ ...model, match: { equals: model.id }, prices }] }
}

function wholePrice(prices: ModelPrice): ModelPrice {
  return Object.fromEntries(
    Object.entries(prices).map(([unit, price]): [string, ModelPrice[string]] => {
      if (price === undefined) return [unit, price]
      if (typeof price === 'number') return [unit, whole(price)]
      const tiers = price.tiers.map((tier) => ({ start: tier.start, price: whole(tier.price) }))
      return [unit, new TieredPrices({ base: whole(price.base), tiers })]
    }),
  )
}

function whole(usd: number): number {
  const millionfold = Math.round(usd * 1_000_000)
  assert.ok(Math.abs(millionfold - usd * 1_000_000) < 1e-6, `${usd} has at most six decimals`)
  return millionfold
}

/** Prices of a model by their start dates; only the first one where they never changed. */
export function pricesOf(model: ModelInfo): readonly ModelPrice[] {
  return Array.isArray(model.prices) ? model.prices.map((each) => each.prices) : [model.prices]
}

/** Dates from which another price holds, milliseconds since the epoch. */
export function changesOf(model: ModelInfo): readonly number[] {
  if (!Array.isArray(model.prices)) return []
  return model.prices.flatMap(({ constraint }) =>
    constraint?.type === 'start_date' ? [Date.parse(`${constraint.start_date.slice(0, 10)}T00:00:00Z`)] : [],
  )
}

/** Sizes of a prompt from which on another rate holds, in tokens. */
export function thresholdsOf(model: ModelInfo): readonly number[] {
  const starts = pricesOf(model).flatMap((prices) =>
    Object.values(prices).flatMap((price) =>
      typeof price === 'object' ? price.tiers.map((tier: { readonly start: number }) => tier.start) : [],
    ),
  )
  return [...new Set(starts)]
}

/** True where every price of the model has this unit, `web_searches_kcount` for example. */
export function hasUnit(model: ModelInfo, unit: string): boolean {
  return pricesOf(model).every((prices) => prices[unit] !== undefined)
}
