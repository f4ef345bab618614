import assert from 'node:assert/strict'
import { extractUsage, calcPrice, findProvider } from '@pydantic/genai-prices'
import fc from 'fast-check'
import type { AnswerFacts, JsonObject } from '../../../daemon/dialects/dialect.ts'
import { noUsage, totalInput } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { priceListOf, priceOf } from '../money/priceListOf.ts'
import { dataEvents, describeRequest, readAnswer } from './builders.ts'

function candidate(parts: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...fields }] }
}

const stop = { finishReason: 'STOP' }

function events(...chunks: readonly JsonObject[]): AnswerFacts {
  return readAnswer('gemini-generate', 'sse', dataEvents(...chunks))
}

/** The usage that is settled for a document with this `usageMetadata`. */
function usageOf(usageMetadata: JsonObject): Partial<Usage> {
  const { usage } = readAnswer(
    'gemini-generate',
    'json',
    JSON.stringify({ ...candidate([{ text: 'x' }], stop), usageMetadata }),
  )
  assert.ok(usage !== null)
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => (tokens as number) !== 0))
}

describe('usage of a Gemini answer', () => {
  it('D02: takes the cached part out of the prompt and puts what tools brought in', () => {
    assert.deepEqual(
      usageOf({
        promptTokenCount: 264,
        cachedContentTokenCount: 100,
        toolUsePromptTokenCount: 30,
        candidatesTokenCount: 20,
      }),
      { input: 194, cacheRead: 100, output: 20 },
    )
  })
  it('D12: adds the thoughts to the candidates, once', () => {
    const usage = { promptTokenCount: 264, candidatesTokenCount: 20, thoughtsTokenCount: 120, totalTokenCount: 404 }
    assert.deepEqual(usageOf(usage), { input: 264, output: 140, reasoning: 120 })
    assert.deepEqual(usageOf({ ...usage, totalTokenCount: null }), { input: 264, output: 140, reasoning: 120 })
    // A server that counts them inside says so by its total.
    const inside = { promptTokenCount: 264, candidatesTokenCount: 140, thoughtsTokenCount: 120, totalTokenCount: 404 }
    assert.deepEqual(usageOf(inside), { input: 264, output: 140, reasoning: 120 })
  })
  it('takes the count of the candidates for 0 where it is left out beside thoughts', () => {
    assert.deepEqual(usageOf({ promptTokenCount: 9, thoughtsTokenCount: 50, totalTokenCount: 59 }), {
      input: 9,
      output: 50,
      reasoning: 50,
    })
  })
  it('D15: tells sounds and pictures apart, cached ones and those that were made', () => {
    const parts = (modality: string, tokenCount: number): JsonObject => ({ modality, tokenCount })
    assert.deepEqual(
      usageOf({
        promptTokenCount: 1000,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 1400,
        promptTokensDetails: [parts('TEXT', 100), parts('AUDIO', 500), parts('IMAGE', 258), parts('DOCUMENT', 142)],
        cacheTokensDetails: [parts('AUDIO', 200), parts('DOCUMENT', 100)],
        candidatesTokensDetails: [parts('TEXT', 60), parts('IMAGE', 1290), parts('AUDIO', 50)],
      }),
      {
        input: 700,
        cacheRead: 300,
        output: 1400,
        audioInput: 300,
        audioCacheRead: 200,
        audioOutput: 50,
        imageInput: 300,
        imageOutput: 1290,
      },
    )
  })
  it('B03: takes the latest of cumulative blocks and never adds them up', () => {
    const block = (candidatesTokenCount: number): JsonObject => ({
      usageMetadata: { promptTokenCount: 50, candidatesTokenCount, totalTokenCount: 50 + candidatesTokenCount },
    })
    const { usage } = events(
      { ...candidate([{ text: 'a' }]), ...block(4) },
      { ...candidate([{ text: 'b' }]), ...block(9) },
      { ...candidate([], stop), ...block(12) },
    )
    assert.deepEqual(usage, { ...noUsage, input: 50, output: 12 })
  })
  it('B04: takes zeros and a missing block for unknown', () => {
    const zeros = events({
      ...candidate([{ text: 'a' }], stop),
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0 },
    })
    assert.deepEqual([zeros.inputKnown, zeros.outputKnown, zeros.terminal], [false, false, true])
    const none = events(candidate([{ text: 'a' }], stop))
    assert.deepEqual([none.usage, none.inputKnown, none.outputKnown], [null, false, false])
  })
  it('D13: knows the tier that was served, by the Gemini API’s name and by Vertex’s', () => {
    const tier = (usageMetadata: JsonObject): unknown => events({ ...candidate([], stop), usageMetadata }).serviceTier
    assert.deepEqual(tier({ promptTokenCount: 1, serviceTier: 'PRIORITY' }), { service_tier: 'priority' })
    assert.deepEqual(tier({ promptTokenCount: 1, trafficType: 'ON_DEMAND_FLEX' }), { service_tier: 'flex' })
    assert.deepEqual(tier({ promptTokenCount: 1, trafficType: 'ON_DEMAND' }), { service_tier: 'standard' })
    assert.deepEqual(tier({ promptTokenCount: 1, trafficType: 'toString' }), {})
  })
  it('D10: charges a grounded answer once up to Gemini 2.5, and each different search from 3 on', () => {
    const grounded = (...webSearchQueries: readonly string[]): JsonObject =>
      candidate([{ text: 'a' }], { ...stop, groundingMetadata: { webSearchQueries } })
    const searches = (model: string, ...chunks: readonly JsonObject[]): number => {
      const { facts } = describeRequest(
        'gemini-generate',
        { contents: [] },
        { path: `/v1beta/models/${model}:generateContent` },
      )
      return readAnswer('gemini-generate', 'sse', dataEvents(...chunks), facts).usage?.webSearches ?? 0
    }
    const stream = [grounded('one', 'two'), grounded('one', 'two', 'three', '')]
    assert.equal(searches('gemini-2.5-pro', ...stream), 1)
    assert.equal(searches('gemini-3.6-flash', ...stream), 3)
    assert.equal(searches('gemini-2.5-pro', candidate([{ text: 'a' }], stop)), 0)
    const maps = candidate([], { ...stop, groundingMetadata: { groundingChunks: [{ maps: { uri: 'x' } }] } })
    assert.equal(searches('gemini-3.6-flash', maps), 1)
    const stored = candidate([], { ...stop, groundingMetadata: { groundingChunks: [{ retrievedContext: {} }] } })
    assert.equal(searches('gemini-3.6-flash', stored), 0)
  })
})

describe('the end of a Gemini answer', () => {
  it('F06: is a finish reason of every candidate that began', () => {
    assert.equal(events(candidate([{ text: 'a' }])).terminal, false)
    assert.equal(events(candidate([{ text: 'a' }]), candidate([], stop)).terminal, true)
    const second = { candidates: [{ content: { parts: [{ text: 'b' }] }, index: 1 }] }
    assert.equal(events(candidate([{ text: 'a' }], stop), second).terminal, false)
    assert.equal(
      events(second, candidate([], stop), { candidates: [{ finishReason: 'MAX_TOKENS', index: 1 }] }).terminal,
      true,
    )
    assert.equal(events(candidate([], { finishReason: 'FINISH_REASON_UNSPECIFIED' })).terminal, false)
  })
  it('F06, B13: is also the bracket of an array, and its usage counts although it was cut there', () => {
    const body = JSON.stringify([
      candidate([{ text: 'a' }]),
      { ...candidate([], stop), usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } },
    ])
    const whole = readAnswer('gemini-generate', 'json-array', body)
    assert.deepEqual([whole.terminal, whole.usageIsFinal], [true, true])
    const cut = readAnswer('gemini-generate', 'json-array', `${body.slice(0, -1)},`)
    assert.deepEqual([cut.terminal, cut.usageIsFinal, cut.usage?.output], [false, true, 2])
    const early = readAnswer('gemini-generate', 'json-array', body.slice(0, 40))
    assert.deepEqual([early.terminal, early.usageIsFinal], [false, false])
  })
  it('is a blocked prompt, whose input is billed', () => {
    const facts = events({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 31, totalTokenCount: 31 },
    })
    assert.deepEqual(
      [facts.terminal, facts.finish, facts.inputKnown, facts.outputKnown, facts.usage?.input],
      [true, 'PROHIBITED_CONTENT', true, true, 31],
    )
  })
  it('F07: may be an error inside a 200 stream, with its class and never its text', () => {
    const error = { code: 503, message: 'quotes the prompt', status: 'UNAVAILABLE' }
    const facts = events(candidate([{ text: 'a' }]), { error })
    assert.deepEqual([facts.terminal, facts.streamError], [false, 'UNAVAILABLE'])
    const array = readAnswer('gemini-generate', 'json-array', JSON.stringify([candidate([{ text: 'a' }]), { error }]))
    assert.deepEqual([array.terminal, array.streamError], [false, 'UNAVAILABLE'])
    assert.equal(events({ error: { code: 500 } }).streamError, '500')
  })
  it('keeps any finish reason as it came', () => {
    for (const finishReason of ['MAX_TOKENS', 'SAFETY', 'MALFORMED_FUNCTION_CALL', 'CONTINUATION', 'SOMETHING_NEW']) {
      assert.equal(events(candidate([], { finishReason })).finish, finishReason)
    }
  })
})

describe('what a Gemini answer delivered', () => {
  it('A9: tells thoughts from what can be read', () => {
    const { visibleChars, deliveredChars } = events(
      candidate([{ text: 'thinking', thought: true }, { text: 'said' }], { finishReason: 'MAX_TOKENS' }),
    )
    assert.deepEqual([visibleChars, deliveredChars], [4, 12])
    const onlyThoughts = events(candidate([{ text: 'thinking', thought: true }], { finishReason: 'MAX_TOKENS' }))
    assert.equal(onlyThoughts.visibleChars, 0)
  })
  it('counts calls, code and pictures as something', () => {
    const calls = events(
      candidate([{ functionCall: { name: 'f', args: { a: 1 } } }, { functionCall: { name: 'g' } }]),
      candidate([{ functionCall: { partialArgs: [{ stringValue: 'more' }], willContinue: true } }], stop),
    )
    assert.equal(calls.toolCalls, 2)
    assert.ok(calls.deliveredChars >= 10)
    assert.ok(events(candidate([{ executableCode: { code: 'print(1)' } }], stop)).visibleChars > 0)
    const picture = events(candidate([{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(9000) } }], stop))
    assert.equal(picture.visibleChars, 1)
    assert.ok(picture.deliveredChars > 0 && picture.deliveredChars < 9000)
  })
  it('finds the usage behind a picture that is too large to be parsed', () => {
    const large = {
      ...candidate([{ inlineData: { data: 'A'.repeat(9 * 1024 * 1024) } }], stop),
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1290 },
      modelVersion: 'gemini-x',
    }
    for (const [form, body] of [
      ['sse', dataEvents(large)],
      ['json-array', JSON.stringify([large])],
    ] as const) {
      const facts = readAnswer('gemini-generate', form, body)
      assert.deepEqual([facts.usage?.output, facts.finish, facts.model], [1290, 'STOP', 'gemini-x'], form)
    }
  })
  it('is nothing where a batch of vectors came, which may lack a usage block', () => {
    const vectors = (usageMetadata: JsonObject): AnswerFacts =>
      readAnswer('gemini-embed', 'json', JSON.stringify({ embeddings: [{ values: [0.1, 0.2] }], ...usageMetadata }))
    assert.equal(vectors({}).inputKnown, false)
    const known = vectors({ usageMetadata: { promptTokenCount: 12 } })
    assert.deepEqual([known.inputKnown, known.outputKnown, known.usage?.input], [true, true, 12])
  })
})

describe('the price of a Gemini answer', () => {
  const atMs = Date.parse('2026-11-30T12:00:00Z')

  it('D09: puts 300,000 tokens of Gemini 2.5 Pro at 2.50 per million', async () => {
    const usage = usageOf({ promptTokenCount: 300_000, candidatesTokenCount: 1000, totalTokenCount: 301_000 })
    const price = priceOf(await priceListOf(), 'gemini', 'gemini-2.5-pro')
    assert.equal(price.cost({ ...noUsage, ...usage }, {}, atMs) / 1000, 300_000 * 2.5 + 1000 * 15)
  })

  it('D07: counts the cached part for the size of the prompt', async () => {
    const price = priceOf(await priceListOf(), 'gemini', 'gemini-3.1-pro-preview')
    const micro = (promptTokenCount: number): number =>
      price.cost({ ...noUsage, ...usageOf({ promptTokenCount, cachedContentTokenCount: 150_000 }) }, {}, atMs) / 1000
    assert.equal(micro(200_000), 50_000 * 2 + 150_000 * 0.2)
    assert.equal(micro(200_001), 50_001 * 4 + 150_000 * 0.4)
  })

  it('D10: adds 35 dollars for a thousand grounded prompts of Gemini 2.5, and 14 for a thousand searches of Gemini 3', async () => {
    const list = await priceListOf()
    const micro = (model: string, webSearches: number): number =>
      priceOf(list, 'gemini', model).cost({ ...noUsage, webSearches }, {}, atMs) / 1000
    assert.equal(micro('gemini-2.5-flash', 1), 35_000)
    assert.equal(micro('gemini-3.6-flash', 3), 42_000)
  })

  it('agrees with the price table’s own reading of 500 generated answers, to the nano-dollar', async () => {
    const provider = findProvider({ providerId: 'google' })
    assert.ok(provider)
    const list = await priceListOf()
    const models = provider.models
      .map(({ id }) => id)
      .filter((id) => id.startsWith('gemini') && list.find('gemini', '', id, atMs) !== null)
    assert.ok(models.length > 20)
    const tokens = fc.oneof(fc.nat(3000), fc.nat(400_000), fc.constantFrom(128_000, 200_000))
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        tokens,
        share,
        share,
        share,
        tokens,
        share,
        share,
        tokens,
        tokens,
        (id, prompt, cached, audio, image, candidates, sound, picture, thoughts, toolUse) => {
          const cachedTokens = Math.floor(prompt * cached)
          const audioTokens = Math.floor(prompt * audio * 0.5)
          const cachedAudio = Math.floor(Math.min(audioTokens, cachedTokens) * cached)
          const pictures = Math.floor(candidates * picture * 0.5)
          const sounds = Math.floor(candidates * sound * 0.5)
          // What is cached without being sound is text here.
          const freshImages = Math.floor(Math.max(0, prompt - audioTokens - cachedTokens) * image)
          const body = {
            modelVersion: id,
            ...candidate([{ text: 'x' }], stop),
            usageMetadata: {
              promptTokenCount: prompt,
              cachedContentTokenCount: cachedTokens,
              candidatesTokenCount: candidates,
              thoughtsTokenCount: thoughts,
              toolUsePromptTokenCount: toolUse,
              totalTokenCount: prompt + candidates + thoughts + toolUse,
              promptTokensDetails: [
                { modality: 'AUDIO', tokenCount: audioTokens },
                { modality: 'IMAGE', tokenCount: freshImages },
              ],
              cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: cachedAudio }],
              candidatesTokensDetails: [
                { modality: 'IMAGE', tokenCount: pictures },
                { modality: 'AUDIO', tokenCount: sounds },
              ],
            },
          }
          const { usage } = readAnswer('gemini-generate', 'json', JSON.stringify(body))
          assert.ok(usage !== null)
          assert.equal(totalInput(usage), prompt + toolUse)
          const ours = priceOf(list, 'gemini', id).cost(usage, {}, atMs)
          const theirs = calcPrice(extractUsage(provider, body, 'default').usage, id, {
            provider: {
              ...provider,
              models: provider.models
                .filter((model) => model.id === id)
                .map((model) => ({ ...model, match: { equals: id } })),
            },
            timestamp: new Date(atMs),
          })
          assert.ok(theirs)
          assert.ok(Math.abs(ours - theirs.total_price * 1e9) <= 1, `${id}: ${ours} and ${theirs.total_price * 1e9}`)
        },
      ),
      { numRuns: 500 },
    )
  })
})
