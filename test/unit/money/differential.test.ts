import assert from 'node:assert/strict'
import { findProvider } from '@pydantic/genai-prices'
import type { ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices'
import fc from 'fast-check'
import type { AdmittedCall } from '../../../daemon/call.ts'
import type { TieredPriceList } from '../../../daemon/money/table.ts'
import { settleUsage } from '../../../daemon/settlement.ts'
import { settledCost } from '../../../daemon/stages/settledCost.ts'
import { readAnswer, smallestFacts } from '../dialects/builders.ts'
import { admittedCall } from '../tasks/calls.ts'
import { calls } from './differential/arbitraries.ts'
import type { Generated } from './differential/arbitraries.ts'
import { changesOf, hasUnit, oracleNanoUsd, thresholdsOf } from './differential/priceOracle.ts'
import { inTheirWords } from './differential/told.ts'
import type { Tellable } from './differential/told.ts'
import { ollamaWires, wires } from './differential/wires.ts'
import type { Wire } from './differential/wires.ts'
import { priceListOf } from './priceListOf.ts'

const numRuns = 500
const seed = 20_261_130
const baseUrl = 'http://127.0.0.1:9/v1'

/** What the gate settles for a call whose provider answers so: read, settled and priced as in the daemon, at one euro a dollar. */
function settledNanoUsd(
  wire: Pick<Wire, 'dialect' | 'answer' | 'producesOutput'>,
  upstreamName: string,
  prices: TieredPriceList,
  call: Generated,
): number {
  const { model, told, streamed, atMs } = call
  const { form, body } = wire.answer(told, model.id, streamed)
  const facts = { ...smallestFacts(wire.dialect, { upstreamName, upstreamBaseUrl: baseUrl }), model: model.id }
  const answer = readAnswer(wire.dialect, form, body, facts)
  const settled = settleUsage({
    ending: { kind: 'complete' },
    status: 200,
    streamed: form !== 'json',
    answer,
    estimatedInputTokens: 77,
    producesOutput: wire.producesOutput,
    reservedOutputTokens: 4096,
    billsAfterAbort: false,
  })
  assert.equal(settled.settlement, 'exact', body)
  const admitted: AdmittedCall = admittedCall({
    receivedAtMs: atMs,
    usdRate: 1,
    upstreamName,
    upstream: { baseUrl, dialect: 'openai', free: false },
    facts,
  })
  const price = prices.find(upstreamName, baseUrl, model.id, atMs)
  assert.ok(price !== null, `${model.id} has a price`)
  return settledCost({ price, prices }, admitted, settled, answer, answer.serviceTier).nanoEur
}

/** Counts what the generated calls covered, so that a generator that has gone quiet is noticed. */
class Coverage {
  readonly models = new Set<string>()
  readonly #seen = new Map<string, number>()

  see({ model, told, atMs }: Generated): void {
    this.models.add(model.id)
    for (const [name, value] of Object.entries(told)) if (value > 0) this.#count(name)
    for (const start of thresholdsOf(model)) this.#count(told.input > start ? 'above a threshold' : 'up to a threshold')
    for (const changeMs of changesOf(model)) this.#count(atMs < changeMs ? 'before a change' : 'after a change')
  }
  times(name: string): number {
    return this.#seen.get(name) ?? 0
  }
  #count(name: string): void {
    this.#seen.set(name, this.times(name) + 1)
  }
}

const cases: Readonly<Partial<Record<Tellable, string>>> = {
  cacheWrite5m: 'D01',
  cacheRead: 'D02',
  cacheWrite1h: 'D04',
  webSearches: 'D10',
  reasoning: 'D12',
  audioOutput: 'D15',
}

/** The cases of public reports that a wire format can run into, in brackets; prices by the size of a prompt among them. */
function casesOf({ tells }: Wire, models: readonly ModelInfo[]): string {
  const bySize = models.some((model) => thresholdsOf(model).length > 0) ? ['D07', 'D09'] : []
  const found = [...bySize, ...tells.flatMap((part) => cases[part] ?? [])].sort()
  return found.length === 0 ? '' : ` (${found.join(', ')})`
}

/** Models that the package knows by their own name and sells by the token; those of other makers that Google resells are left out. */
function modelsOf(provider: Provider, wire: Wire): readonly ModelInfo[] {
  return provider.models.filter(
    (model) =>
      hasUnit(model, 'input_mtok') &&
      hasUnit(model, 'output_mtok') === wire.producesOutput &&
      !(provider.id === 'google' && model.id.startsWith('claude')) &&
      oracleNanoUsd({ input_tokens: 1 }, provider, model, 0) !== null,
  )
}

describe('what a call settles at, beside the price package asked directly', () => {
  for (const wire of wires) {
    const provider = findProvider({ providerId: wire.provider })
    assert.ok(provider)
    const models = modelsOf(provider, wire)
    it(`${wire.name}: agrees to the nano-dollar for ${numRuns} calls${casesOf(wire, models)}`, async () => {
      const prices = await priceListOf()
      const covered = new Coverage()
      fc.assert(
        fc.property(calls(wire, models), (call) => {
          covered.see(call)
          const theirs = oracleNanoUsd(inTheirWords(call.told), provider, call.model, call.atMs)
          assert.equal(settledNanoUsd(wire, wire.upstream, prices, call), theirs)
        }),
        { numRuns, seed },
      )
      for (const part of wire.tells) assert.ok(covered.times(part) >= 20, `${part}: ${covered.times(part)}`)
      assert.ok(covered.models.size >= models.length * 0.9, `${covered.models.size} of ${models.length} models`)
      if (models.some((model) => thresholdsOf(model).length > 0)) {
        for (const side of ['up to a threshold', 'above a threshold']) assert.ok(covered.times(side) >= 10, side)
      }
      if (models.some((model) => changesOf(model).length > 0)) {
        for (const side of ['before a change', 'after a change']) assert.ok(covered.times(side) >= 3, side)
      }
    })
  }

  for (const wire of ollamaWires) {
    it(`${wire.name}: agrees to the nano-dollar for ${numRuns} calls that the user's own price is for`, async () => {
      const usd = fc.oneof(fc.integer({ min: 1, max: 100_000_000 }), fc.constantFrom(30_000, 150_000, 2_500_000))
      await fc.assert(
        fc.asyncProperty(fc.tuple(usd, usd), calls(wire, [ownModel(0, 0)]), async ([input, output], call) => {
          const prices = { input_mtok: input / 1_000_000, output_mtok: output / 1_000_000 }
          const model = ownModel(prices.input_mtok, prices.output_mtok)
          const provider: Provider = { id: 'own', name: 'own', api_pattern: '', models: [model] }
          const list = await priceListOf({ overrides: [{ provider: 'ollama', match: 'gemma*', prices }] })
          const theirs = oracleNanoUsd(inTheirWords(call.told), provider, model, call.atMs)
          assert.equal(settledNanoUsd(wire, 'ollama', list, { ...call, model }), theirs)
        }),
        { numRuns, seed },
      )
    })
  }
})

function ownModel(input: number, output: number): ModelInfo {
  const prices: ModelPrice = { input_mtok: input, output_mtok: output }
  return { id: 'gemma3:4b', match: { equals: 'gemma3:4b' }, prices }
}
