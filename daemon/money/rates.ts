import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices'
import type { PriceOverride } from '../../shared/config.ts'
import type { Usage } from '../../shared/usage.ts'
import { totalInput } from '../../shared/usage.ts'

/**
 * Prices as integers: pico-dollar per token, which is micro-dollar per million tokens. The table's own numbers have at most
 * six decimals per million, so that nothing is rounded before the sum is.
 */
export type PicoUsd = number

/** Pico-dollar per token of each kind. */
export interface TokenRates {
  readonly input: PicoUsd
  readonly cacheRead: PicoUsd
  readonly cacheWrite5m: PicoUsd
  readonly cacheWrite1h: PicoUsd
  readonly output: PicoUsd
  readonly reasoning: PicoUsd
  readonly audioInput: PicoUsd
  readonly audioCacheRead: PicoUsd
  readonly audioOutput: PicoUsd
  readonly imageInput: PicoUsd
  readonly imageOutput: PicoUsd
}

/** Kinds of tokens that a model may have no rate of its own for although they are dear. */
export type SpecialKind = 'audioInput' | 'audioOutput' | 'imageOutput'

/** Rates of a prompt size: they hold for the whole request once its input is larger than `aboveTokens` (D07). */
export interface RateTier {
  readonly aboveTokens: number
  readonly rates: TokenRates
}

/** Rates that hold from an instant, or at a time of day in UTC. */
export interface RatePeriod {
  readonly fromMs: number | null
  readonly daily: { readonly startSecond: number; readonly endSecond: number } | null
  /** By growing size, the first above -1. */
  readonly tiers: readonly RateTier[]
  /** Per use; null where the entry does not say. */
  readonly webSearch: PicoUsd | null
  readonly fileSearch: PicoUsd | null
  /** Per call, beside its tokens. */
  readonly perCall: PicoUsd
  /** Kinds that are charged at the text rate for want of a rate of their own: the figure is a floor (D15). */
  readonly atTextRate: readonly SpecialKind[]
}

/** Periods of a model, the first the default, later ones going before earlier ones. */
export type RatePeriods = readonly [RatePeriod, ...RatePeriod[]]

const picoPerUsd = 1_000_000_000_000
const picoPerUsdPerMillion = 1_000_000
/** Anthropic's write for an hour costs 2 times the input, that for five minutes 1.25 times. */
const hourWriteFactor = 2 / 1.25

/** Pico-dollar for an amount of dollars, rounded to the nearest. */
export function picoFromUsd(usd: number): PicoUsd {
  return Math.round(usd * picoPerUsd)
}

/** Rates of an entry of the table; null where it has no price per token. An entry ending in `:free` costs nothing. */
export function ratesOfEntry(entry: ModelInfo): RatePeriods | null {
  const conditional: readonly ConditionalPrice[] = Array.isArray(entry.prices)
    ? entry.prices
    : [{ prices: entry.prices }]
  const [first, ...later] = conditional
  if (first === undefined) return null
  const isFree = entry.id.endsWith(':free')
  if (!isFree && conditional.some(({ prices }) => prices['input_mtok'] === undefined)) return null
  const searches = searchFee(entry.id)
  const period = (price: ConditionalPrice): RatePeriod => {
    const rates = periodOf(price)
    return { ...rates, webSearch: rates.webSearch ?? searches }
  }
  return [period(first), ...later.map(period)]
}

/** From Gemini 3 on Google charges for each search, and less than for a whole grounded prompt before. The table has neither. */
function searchFee(model: string): PicoUsd | null {
  return /^gemini-(?:[3-9]|\d\d)/.test(model) ? picoFromUsd(0.014) : null
}

/**
 * Rates of a price of the user's own. What it leaves out is charged as dear as it can be: a cached token like an uncached
 * one, and a write with Anthropic's surcharge where the server is Anthropic's (`writesCostMore`).
 */
export function ratesOfOverride(override: PriceOverride, writesCostMore: boolean): RatePeriods {
  const { input_mtok: input, cache_write_mtok: write, cache_write_1h_mtok: hourWrite, ...others } = override.prices
  const cacheWrite = write ?? (writesCostMore ? input * 1.25 : input)
  const prices: ModelPrice = {
    ...others,
    input_mtok: input,
    cache_write_mtok: cacheWrite,
    cache_write_1h_mtok: hourWrite ?? (writesCostMore ? Math.max(cacheWrite, input * 2) : cacheWrite),
  }
  return [periodOf({ prices })]
}

/** The dearest of many models, bucket by bucket and whatever the size of the prompt. */
export function dearestRates(models: readonly RatePeriods[]): RatePeriods | null {
  const all = models.flat().flatMap((period) => period.tiers.map((tier) => tier.rates))
  const [first, ...others] = all
  if (first === undefined) return null
  const dearest = (pick: (period: RatePeriod) => PicoUsd | null): PicoUsd =>
    Math.max(...models.flat().map((period) => pick(period) ?? 0))
  return [
    {
      ...always,
      tiers: [{ aboveTokens: -1, rates: others.reduce(larger, first) }],
      webSearch: dearest((period) => period.webSearch),
      fileSearch: dearest((period) => period.fileSearch),
      perCall: dearest((period) => period.perCall),
      atTextRate: [],
    },
  ]
}

/** Bucket by bucket the larger rate. */
export function larger(one: TokenRates, other: TokenRates): TokenRates {
  return {
    input: Math.max(one.input, other.input),
    cacheRead: Math.max(one.cacheRead, other.cacheRead),
    cacheWrite5m: Math.max(one.cacheWrite5m, other.cacheWrite5m),
    cacheWrite1h: Math.max(one.cacheWrite1h, other.cacheWrite1h),
    output: Math.max(one.output, other.output),
    reasoning: Math.max(one.reasoning, other.reasoning),
    audioInput: Math.max(one.audioInput, other.audioInput),
    audioCacheRead: Math.max(one.audioCacheRead, other.audioCacheRead),
    audioOutput: Math.max(one.audioOutput, other.audioOutput),
    imageInput: Math.max(one.imageInput, other.imageInput),
    imageOutput: Math.max(one.imageOutput, other.imageOutput),
  }
}

/** The period that holds at an instant. */
export function periodAt(periods: RatePeriods, atMs: number): RatePeriod {
  const secondOfDay = (atMs / 1000) % 86_400
  for (let at = periods.length - 1; at > 0; at--) {
    const period = periods[at]
    if (period === undefined) continue
    const { fromMs, daily } = period
    if (fromMs !== null && atMs < fromMs) continue
    if (daily !== null && !within(secondOfDay, daily.startSecond, daily.endSecond)) continue
    return period
  }
  return periods[0]
}

/** The rates of a prompt of this many tokens. */
export function ratesFor(period: RatePeriod, inputTokens: number): TokenRates {
  let rates = period.tiers[0]?.rates ?? freeRates
  for (const tier of period.tiers) if (inputTokens > tier.aboveTokens) rates = tier.rates
  return rates
}

/** Price of all tokens of a usage. What lies inside a bucket is charged once, at its own rate; the rest at the bucket's. */
export function tokenCost(rates: TokenRates, usage: Usage): PicoUsd {
  const audioInput = Math.min(usage.audioInput, usage.input)
  const imageInput = Math.min(usage.imageInput, usage.input - audioInput)
  const audioCacheRead = Math.min(usage.audioCacheRead, usage.cacheRead)
  const audioOutput = Math.min(usage.audioOutput, usage.output)
  const imageOutput = Math.min(usage.imageOutput, usage.output - audioOutput)
  const reasoning = Math.min(usage.reasoning, usage.output - audioOutput - imageOutput)
  return (
    (usage.input - audioInput - imageInput) * rates.input +
    audioInput * rates.audioInput +
    imageInput * rates.imageInput +
    (usage.cacheRead - audioCacheRead) * rates.cacheRead +
    audioCacheRead * rates.audioCacheRead +
    usage.cacheWrite5m * rates.cacheWrite5m +
    usage.cacheWrite1h * rates.cacheWrite1h +
    (usage.output - audioOutput - imageOutput - reasoning) * rates.output +
    reasoning * rates.reasoning +
    audioOutput * rates.audioOutput +
    imageOutput * rates.imageOutput
  )
}

/** Price of a usage at the tier of its own size. */
export function usageCost(period: RatePeriod, usage: Usage): PicoUsd {
  return tokenCost(ratesFor(period, totalInput(usage)), usage)
}

const always = { fromMs: null, daily: null } as const

const freeRates: TokenRates = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioCacheRead: 0,
  audioOutput: 0,
  imageInput: 0,
  imageOutput: 0,
}

/** The field of an entry that holds the rate of a special kind. */
const specialFields: Readonly<Record<SpecialKind, string>> = {
  audioInput: 'input_audio_mtok',
  audioOutput: 'output_audio_mtok',
  imageOutput: 'output_image_mtok',
}

function periodOf({ constraint, prices }: ConditionalPrice): RatePeriod {
  const starts = new Set([-1])
  for (const price of Object.values(prices)) {
    if (typeof price === 'object') for (const tier of price.tiers) starts.add(tier.start)
  }
  const perUse = (key: string): PicoUsd | null => {
    const price = prices[key]
    return typeof price === 'number' ? picoFromUsd(price / 1000) : null
  }
  const kinds = Object.keys(specialFields) as SpecialKind[]
  return {
    fromMs: constraint?.type === 'start_date' ? Date.parse(constraint.start_date) : null,
    daily:
      constraint?.type === 'time_of_date'
        ? { startSecond: secondOf(constraint.start_time), endSecond: secondOf(constraint.end_time) }
        : null,
    tiers: [...starts]
      .sort((one, other) => one - other)
      .map((start) => ({ aboveTokens: start, rates: tierRates(prices, start) })),
    webSearch: perUse('web_searches_kcount'),
    fileSearch: perUse('storage_searches_kcount'),
    perCall: perUse('requests_kcount') ?? 0,
    atTextRate: kinds.filter((kind) => prices[specialFields[kind]] === undefined),
  }
}

/** Rates of prompts just above `start` tokens. A kind without a price of its own costs what the plain kind does. */
function tierRates(prices: ModelPrice, start: number): TokenRates {
  const rate = (key: string): PicoUsd | null => {
    const price = prices[key]
    if (price === undefined) return null
    if (typeof price === 'number') return Math.round(price * picoPerUsdPerMillion)
    let usd = price.base
    let reached = -1
    for (const tier of price.tiers) {
      if (start < tier.start || tier.start < reached) continue
      usd = tier.price
      reached = tier.start
    }
    return Math.round(usd * picoPerUsdPerMillion)
  }
  const input = rate('input_mtok') ?? 0
  const output = rate('output_mtok') ?? 0
  const cacheWrite5m = rate('cache_write_mtok') ?? input
  const hourWrite = cacheWrite5m > input ? Math.ceil(cacheWrite5m * hourWriteFactor) : cacheWrite5m
  const cacheRead = rate('cache_read_mtok') ?? input
  const audioInput = rate('input_audio_mtok') ?? input
  return {
    input,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: rate('cache_write_1h_mtok') ?? hourWrite,
    output,
    reasoning: rate('output_reasoning_mtok') ?? output,
    audioInput,
    // Where no cache has a price, what was cached costs what it is.
    audioCacheRead: rate('cache_audio_read_mtok') ?? rate('cache_read_mtok') ?? audioInput,
    audioOutput: rate('output_audio_mtok') ?? output,
    imageInput: rate('input_image_mtok') ?? input,
    imageOutput: rate('output_image_mtok') ?? output,
  }
}

/** Second of the day of `00:30:00Z` or `08:00:00+08:00`. */
function secondOf(time: string): number {
  const ms = Date.parse(`1970-01-02T${time}`)
  return (ms / 1000) % 86_400
}

function within(second: number, start: number, end: number): boolean {
  return end < start ? second >= start || second < end : second >= start && second < end
}
