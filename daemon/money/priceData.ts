import type { ConditionalPrice, MatchLogic, ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices'
import type { PriceOverride } from '../../shared/config.ts'
import type { InstalledPrices } from './priceTable.ts'

/**
 * Reads a price list that a person brought: the data of `genai-prices`, or prices as the configuration writes them. The file
 * may be anything (E08: an error page, a list with all prices times a thousand), so that nothing is taken that is not
 * understood, and nothing is kept that is not needed.
 */

/** What was read, or why it cannot be used, in one sentence that names the place. */
export type PriceDataReading =
  | { readonly ok: true; readonly prices: InstalledPrices; readonly rows: number }
  | { readonly ok: false; readonly problem: string }

/** Rows of one file. The package itself has some 1,500. */
const mostRows = 20_000

/** Dollars per million tokens, or per thousand uses, beyond which a price is a mistake. */
const dearestUsd = 100_000

class Unusable extends Error {}

/** Reads parsed JSON. `asOf` is the date of the prices where the file does not say it itself. */
export function readPriceData(value: unknown, asOf: string): PriceDataReading {
  try {
    const data: Fields = Array.isArray(value) ? { providers: value as unknown[] } : fieldsOf(value, 'The file')
    const { providers = [], overrides = [] } = data
    const prices: InstalledPrices = {
      asOf: data['asOf'] === undefined ? asOf : dateOf(data['asOf'], 'asOf'),
      providers: listOf(providers, 'providers').map((each, at) => providerOf(each, `providers[${at}]`)),
      overrides: listOf(overrides, 'overrides').map((each, at) => overrideOf(each, `overrides[${at}]`)),
    }
    const rows = prices.providers.reduce((sum, { models }) => sum + models.length, prices.overrides.length)
    if (rows === 0) throw new Unusable('The file holds no prices: neither providers with models nor overrides.')
    if (rows > mostRows) throw new Unusable(`The file holds ${rows} prices, and at most ${mostRows} are read.`)
    return { ok: true, prices, rows }
  } catch (fault) {
    if (fault instanceof Unusable) return { ok: false, problem: fault.message }
    throw fault
  }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new Unusable(`${where} is no object.`)
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  throw new Unusable(`${where} is no list.`)
}

function textOf(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 256 && !/[\u0000-\u001f\u007f]/.test(value))
    return value
  throw new Unusable(`${where} is no text of 1 to 256 characters.`)
}

function dateOf(value: unknown, where: string): string {
  const date = textOf(value, where).slice(0, 10)
  if (/^\d{4}-\d\d-\d\d$/.test(date) && Number.isFinite(Date.parse(date))) return date
  throw new Unusable(`${where} is no date such as 2026-11-01.`)
}

function usdOf(value: unknown, where: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= dearestUsd) return value
  throw new Unusable(`${where} is no price from 0 to ${dearestUsd} dollars.`)
}

function providerOf(value: unknown, where: string): Provider {
  const fields = fieldsOf(value, where)
  const id = textOf(fields['id'], `${where}.id`)
  const fallbacks = fields['fallback_model_providers']
  return {
    id,
    name: typeof fields['name'] === 'string' ? fields['name'] : id,
    api_pattern: typeof fields['api_pattern'] === 'string' ? fields['api_pattern'] : '',
    ...(Array.isArray(fallbacks) ? { fallback_model_providers: fallbacks.map(String) } : {}),
    models: listOf(fields['models'], `${where}.models`).map((each, at) => rowOf(each, `${where}.models[${at}]`)),
  }
}

function rowOf(value: unknown, where: string): ModelInfo {
  const fields = fieldsOf(value, where)
  const id = textOf(fields['id'], `${where}.id`)
  const { prices } = fields
  return {
    id,
    match: fields['match'] === undefined ? { equals: id } : matchOf(fields['match'], `${where}.match`),
    prices: Array.isArray(prices)
      ? prices.map((each, at) => conditionalOf(each, `${where}.prices[${at}]`))
      : priceOf(prices, `${where}.prices`),
  }
}

/** Only exact names are ever used; what else a rule says is left out, so that it cannot match. */
function matchOf(value: unknown, where: string): MatchLogic {
  const fields = fieldsOf(value, where)
  if (typeof fields['equals'] === 'string') return { equals: textOf(fields['equals'], `${where}.equals`) }
  const any = fields['or']
  if (!Array.isArray(any)) return { or: [] }
  return {
    or: any.flatMap((each, at): MatchLogic[] => {
      const { equals } = fieldsOf(each, `${where}.or[${at}]`)
      return typeof equals === 'string' ? [{ equals: textOf(equals, `${where}.or[${at}].equals`) }] : []
    }),
  }
}

function conditionalOf(value: unknown, where: string): ConditionalPrice {
  const fields = fieldsOf(value, where)
  const prices = priceOf(fields['prices'], `${where}.prices`)
  const { constraint } = fields
  if (constraint === undefined || constraint === null) return { prices }
  const limits = fieldsOf(constraint, `${where}.constraint`)
  if (limits['start_date'] !== undefined) {
    const date = dateOf(limits['start_date'], `${where}.constraint.start_date`)
    return { constraint: { type: 'start_date', start_date: date }, prices }
  }
  const time = (name: 'start_time' | 'end_time'): string => {
    const text = textOf(limits[name], `${where}.constraint.${name}`)
    if (Number.isFinite(Date.parse(`1970-01-02T${text}`))) return text
    throw new Unusable(`${where}.constraint.${name} is no time such as 00:30:00Z.`)
  }
  return { constraint: { type: 'time_of_date', start_time: time('start_time'), end_time: time('end_time') }, prices }
}

/**
 * Prices by unit. A field whose name holds a threshold (`context_over_200k`) is refused: in most lists that have one, the
 * threshold is another than its name says (D08).
 */
function priceOf(value: unknown, where: string): ModelPrice {
  const prices: Record<string, unknown> = {}
  for (const [unit, price] of Object.entries(fieldsOf(value, where))) {
    const here = `${where}.${unit}`
    if (/over|above|\d+k(?:_|$)/.test(unit)) {
      throw new Unusable(
        `${here} has a threshold in its name: write it as tiers, { "base": …, "tiers": [{ "start": …, "price": … }] }.`,
      )
    }
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(unit))
      throw new Unusable(`${where} has a unit with a name that is not understood.`)
    if (price === null) continue
    prices[unit] = typeof price === 'object' ? tieredOf(price, here) : usdOf(price, here)
  }
  return prices as ModelPrice
}

/** A price by size of the prompt: what the package has a class for. */
interface Tiered {
  base: number
  tiers: { start: number; price: number }[]
}

function tieredOf(value: unknown, where: string): Tiered {
  const fields = fieldsOf(value, where)
  return {
    base: usdOf(fields['base'], `${where}.base`),
    tiers: listOf(fields['tiers'], `${where}.tiers`).map((each, at) => {
      const here = `${where}.tiers[${at}]`
      const { start, price } = fieldsOf(each, here)
      if (!Number.isSafeInteger(start) || Number(start) < 0) throw new Unusable(`${here}.start is no number of tokens.`)
      return { start: Number(start), price: usdOf(price, `${here}.price`) }
    }),
  }
}

const optionalUnits = ['cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok'] as const

function overrideOf(value: unknown, where: string): PriceOverride {
  const fields = fieldsOf(value, where)
  const prices = fieldsOf(fields['prices'], `${where}.prices`)
  const known: readonly string[] = ['input_mtok', 'output_mtok', ...optionalUnits]
  const stranger = Object.keys(prices).find((unit) => !known.includes(unit))
  if (stranger !== undefined)
    throw new Unusable(`${where}.prices.${stranger} is not understood: write ${known.join(', ')}.`)
  const provider = fields['provider'] ?? null
  return {
    provider: provider === null ? null : textOf(provider, `${where}.provider`),
    match: textOf(fields['match'], `${where}.match`),
    prices: {
      input_mtok: usdOf(prices['input_mtok'], `${where}.prices.input_mtok`),
      output_mtok: usdOf(prices['output_mtok'], `${where}.prices.output_mtok`),
      ...Object.fromEntries(
        optionalUnits.flatMap((unit) =>
          prices[unit] === undefined ? [] : [[unit, usdOf(prices[unit], `${where}.prices.${unit}`)]],
        ),
      ),
    },
  }
}
