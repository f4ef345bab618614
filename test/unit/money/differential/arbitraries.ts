import fc from 'fast-check'
import type { ModelInfo } from '@pydantic/genai-prices'
import { changesOf, hasUnit, thresholdsOf } from './priceOracle.ts'
import type { Told } from './told.ts'
import type { Wire } from './wires.ts'

/** One generated call. */
export interface Generated {
  readonly model: ModelInfo
  readonly told: Told
  readonly streamed: boolean
  readonly atMs: number
}

const inputParts = ['cacheRead', 'audioCacheRead', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'] as const
const outputParts = ['reasoning', 'audioOutput', 'imageOutput'] as const

/** Mostly nothing, often everything: a part of a call is rarely a third of it. */
const weight = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(100))

/** Sizes of prompts: usual ones, one token, just at and around the thresholds of a price, and far beyond any window. */
function inputTokens(model: ModelInfo): fc.Arbitrary<number> {
  const around = thresholdsOf(model).flatMap((start) => [start - 1, start, start + 1, start + 70_000])
  const usual = [
    fc.integer({ min: 1, max: 4000 }),
    fc.integer({ min: 1, max: 300_000 }),
    fc.integer({ min: 1, max: 20_000_000 }),
  ]
  return around.length === 0 ? fc.oneof(...usual) : fc.oneof(fc.constantFrom(...around), ...usual)
}

/** Times: any of four years, and the last and first millisecond around each day on which a price of the model changed. */
function times(model: ModelInfo): fc.Arbitrary<number> {
  const any = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2027-12-31') })
  const around = changesOf(model).flatMap((changeMs) => [changeMs - 1, changeMs, changeMs + 1])
  return around.length === 0 ? any : fc.oneof(fc.constantFrom(...around), any)
}

/**
 * Calls of a wire format to the given models. What the price package has no words or no price for is left out: service
 * tiers, speeds and regions; web and file searches of models without a fee there (Google's, and Anthropic's oldest ones);
 * code containers; video; charges that a provider reports itself.
 */
export function calls(
  wire: Pick<Wire, 'tells' | 'producesOutput'>,
  models: readonly ModelInfo[],
): fc.Arbitrary<Generated> {
  return fc.constantFrom(...models).chain((model) =>
    fc
      .record({
        input: inputTokens(model),
        output: wire.producesOutput ? fc.oneof(fc.nat(3), fc.nat(8000), fc.nat(2_000_000)) : fc.constant(0),
        inputWeights: fc.tuple(weight, weight, weight, weight, weight, weight, weight),
        outputWeights: fc.tuple(weight, weight, weight, weight),
        webSearches: fc.oneof(fc.constant(0), fc.nat(40)),
        fileSearches: fc.oneof(fc.constant(0), fc.nat(40)),
        streamed: fc.boolean(),
        atMs: times(model),
      })
      .map(({ input, output, inputWeights, outputWeights, webSearches, fileSearches, streamed, atMs }) => ({
        model,
        streamed,
        atMs,
        told: {
          input,
          output,
          ...split(input, inputParts, inputWeights, wire.tells),
          ...split(output, outputParts, outputWeights, wire.tells),
          webSearches: wire.tells.includes('webSearches') && hasUnit(model, 'web_searches_kcount') ? webSearches : 0,
          fileSearches:
            wire.tells.includes('fileSearches') && hasUnit(model, 'storage_searches_kcount') ? fileSearches : 0,
        },
      })),
  )
}

/** Parts of a whole by their weights; the last weight is of what belongs to no part. Parts without words get nothing. */
function split<Name extends keyof Told>(
  whole: number,
  names: readonly Name[],
  weights: readonly number[],
  tells: readonly string[],
): Record<Name, number> {
  const told = names.map((name, at) => (tells.includes(name) ? (weights[at] ?? 0) : 0))
  const all = told.reduce((left, right) => left + right, weights.at(-1) ?? 0)
  return Object.fromEntries(
    names.map((name, at) => [name, all === 0 ? 0 : Math.floor((whole * (told[at] ?? 0)) / all)]),
  ) as Record<Name, number>
}
