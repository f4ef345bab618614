import assert from 'node:assert/strict'
import type { CallFacts, DialectName } from '../../../daemon/call.ts'
import type { AnswerFacts, DescribeContext, JsonObject } from '../../../daemon/dialects/dialect.ts'
import { isOpenaiHost, vendorNamed, vendorOf } from '../../../daemon/dialects/vendors.ts'
import { noUsage } from '../../../shared/usage.ts'
import { dataEvents, describeRequest, readAnswer } from './builders.ts'

const named = (upstreamName: string): Partial<DescribeContext> => ({
  upstreamName,
  upstreamBaseUrl: 'http://127.0.0.1:9/v1',
})
const ask = { model: 'm', messages: [], stream: true }

function factsAt(upstreamName: string, body: JsonObject = ask, dialect: DialectName = 'openai-chat'): CallFacts {
  return describeRequest(dialect, body, named(upstreamName)).facts
}

/** The last chunk of an upstream's stream, or its whole document. */
function read(upstreamName: string, chunk: object, dialect: DialectName = 'openai-chat'): AnswerFacts {
  const stream = dataEvents({ choices: [{ index: 0, delta: { content: 'Hi' } }] }, chunk, '[DONE]')
  return readAnswer(dialect, 'sse', stream, factsAt(upstreamName, { ...ask, input: 'x', prompt: 'x' }, dialect))
}
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

describe('who answers at an upstream', () => {
  const who = (upstreamName: string, upstreamBaseUrl: string): string =>
    vendorOf({ upstreamName, upstreamBaseUrl }).name

  it('is told by the host, whatever the user calls it', () => {
    assert.equal(who('work', 'https://openrouter.ai/api/v1'), 'openrouter')
    assert.equal(who('openai', 'https://my-resource.openai.azure.com/openai/v1'), 'azure')
    assert.equal(who('x', 'https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1'), 'bedrock')
    assert.equal(who('x', 'HTTPS://API.X.AI:443/v1'), 'xai')
  })
  it('is told by the name where the host says nothing', () => {
    assert.equal(who('groq', 'http://127.0.0.1:8080/v1'), 'groq')
    assert.equal(who('lmstudio', 'http://192.168.1.7:1234/v1'), 'lmstudio')
  })
  it('is not told by a host that only looks like one', () => {
    assert.equal(who('x', 'https://openrouter.ai.example/v1'), 'other')
    assert.equal(who('x', 'https://notopenrouter.ai/v1'), 'other')
    assert.equal(who('x', 'https://elb.amazonaws.com/v1'), 'other')
  })
  it('may be anybody under the name of OpenAI at another address: the older ceiling, and writes of the cache', () => {
    const vendor = vendorOf({ upstreamName: 'openai', upstreamBaseUrl: 'http://127.0.0.1:9/v1' })
    assert.deepEqual([vendor.addedCeiling, vendor.writesCacheUnasked], ['max_tokens', true])
  })
  it('is Ollama behind each of its emulations', () => {
    assert.equal(vendorOf({ upstreamName: 'box', upstreamBaseUrl: 'http://box', ollamaEmulation: true }).name, 'ollama')
  })
  it('knows OpenAI’s own hosts and Azure’s', () => {
    assert.equal(isOpenaiHost('https://api.openai.com/v1'), true)
    assert.equal(isOpenaiHost('https://r.openai.azure.com/openai/v1'), true)
    assert.equal(isOpenaiHost('https://api.openai.com.example/v1'), false)
  })
  it('is looked for everywhere where nobody is known', () => {
    const other = vendorNamed(undefined)
    assert.deepEqual(other.usageIn, ['x_groq', 'choice'])
    assert.ok(other.cachedIn.includes('prompt_cache_hit_tokens'))
    assert.equal(other.cost, null, 'a figure of an unknown unit is no price')
  })
})

describe('what a vendor is sent', () => {
  it('H07: puts the ceiling into the field that it reads, and takes the other for none', () => {
    for (const name of ['mistral', 'deepseek', 'together', 'llamacpp', 'lmstudio']) {
      const facts = factsAt(name, { ...ask, max_completion_tokens: 9 })
      assert.deepEqual(
        [facts.outputField, facts.requestedOutputTokens, facts.ignoredOutputTokens],
        [['max_tokens'], null, 9],
      )
    }
    for (const name of ['groq', 'openrouter', 'xai', 'vllm', 'someone']) {
      assert.equal(factsAt(name, { ...ask, max_completion_tokens: 9 }).requestedOutputTokens, 9)
      assert.deepEqual(factsAt(name).outputField, ['max_tokens'])
    }
  })
  it('B01: asks for usage only where it does not come by itself', () => {
    for (const name of ['openrouter', 'mistral']) assert.equal(factsAt(name).includeUsage, 'not-applicable')
    for (const name of ['groq', 'deepseek', 'xai', 'vllm', 'llamacpp', 'lmstudio', 'someone']) {
      assert.equal(factsAt(name).includeUsage, 'inject')
    }
  })
  it('reads the models that OpenRouter may fall back on, and takes the field for nothing elsewhere', () => {
    const models = { ...ask, models: ['a/b', 'c/d'] }
    assert.deepEqual(factsAt('openrouter', models).otherModels, ['a/b', 'c/d'])
    assert.deepEqual(factsAt('groq', models).otherModels, [])
    assert.throws(() => factsAt('openrouter', { ...ask, models: Array(33).fill('a/b') }), /more than 32/)
    assert.throws(() => factsAt('openrouter', { ...ask, models: [7] }), /model/)
  })
})

describe('the usage of a vendor', () => {
  it('Groq: in its own object on the last chunk', () => {
    const chunk = { ...stop, x_groq: { id: 'r', usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } } }
    assert.deepEqual(read('groq', chunk).usage, { ...noUsage, input: 9, output: 2 })
  })
  it('Moonshot: inside the last choice', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, cached_tokens: 4 }
    const chunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }
    assert.deepEqual(read('moonshot', chunk).usage, { ...noUsage, input: 5, cacheRead: 4, output: 2 })
  })
  it('D02: DeepSeek: the cached part under its own name, inside the prompt', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 2,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    }
    assert.deepEqual(read('deepseek', { ...stop, usage }).usage, { ...noUsage, input: 36, cacheRead: 64, output: 2 })
  })
  it('D12: xAI: reasoning beside the completion, by the total where there is one', () => {
    const usage = (more: object): object => ({
      ...stop,
      usage: { prompt_tokens: 119, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 98 }, ...more },
    })
    assert.equal(read('xai', usage({ total_tokens: 226 })).usage?.output, 107)
    assert.equal(read('xai', usage({})).usage?.output, 107)
    assert.equal(read('xai', usage({ total_tokens: 128 })).usage?.output, 9)
    assert.equal(read('groq', usage({})).usage?.output, 9)
  })
  it('D15: audio and images in their own buckets', () => {
    const usage = {
      prompt_tokens: 15,
      prompt_tokens_details: { audio_tokens: 4, image_tokens: 5 },
      completion_tokens: 47,
      completion_tokens_details: { audio_tokens: 34, image_tokens: 3 },
    }
    const found = { input: 15, audioInput: 4, imageInput: 5, output: 47, audioOutput: 34, imageOutput: 3 }
    assert.deepEqual(read('someone', { ...stop, usage }).usage, { ...noUsage, ...found })
  })
  it('llama.cpp: timings where no usage came', () => {
    const chunk = { ...stop, timings: { prompt_n: 3, cache_n: 6, predicted_n: 2 } }
    assert.deepEqual(read('llamacpp', chunk).usage, { ...noUsage, input: 3, cacheRead: 6, output: 2 })
    assert.equal(read('groq', chunk).usage, null)
  })
  it('B13: legacy completions with usage on the last text', () => {
    const chunk = { choices: [{ text: '', finish_reason: 'stop' }], usage: { prompt_tokens: 9, completion_tokens: 2 } }
    assert.deepEqual(read('mistral', chunk, 'openai-completions').usage, { ...noUsage, input: 9, output: 2 })
  })
})

describe('what a vendor says it charged', () => {
  const cost = (name: string, usage: object, dialect?: DialectName): number | null =>
    read(name, { ...stop, usage: { prompt_tokens: 9, completion_tokens: 2, ...usage } }, dialect).reportedNanoUsd

  it('OpenRouter: dollars', () => {
    assert.equal(cost('openrouter', { cost: 0.00014 }), 140_000)
    assert.equal(cost('openrouter', { cost: 0.00014 }, 'openai-completions'), 140_000)
    assert.equal(cost('openrouter', { cost: 0.95, cost_details: { upstream_inference_cost: 0.94 } }), 950_000_000)
  })
  it('OpenRouter with a key of the user’s own: its fee, and what the provider behind it takes', () => {
    const own = { is_byok: true, cost: 0.95, cost_details: { upstream_inference_cost: 19 } }
    assert.equal(cost('openrouter', own), 19_950_000_000)
    assert.equal(cost('openrouter', { is_byok: true, cost: 0.95 }), 950_000_000)
  })
  it('xAI: ten billion ticks to a dollar', () =>
    assert.equal(cost('xai', { cost_in_usd_ticks: 37_756_000 }), 3_775_600))
  it('rounds a part of a nano-dollar up, and a hair of a binary fraction away', () => {
    assert.equal(cost('openrouter', { cost: 0.0000000001 }), 1)
    assert.equal(cost('openrouter', { cost: 0.1 + 0.2 }), 300_000_000)
    assert.equal(cost('xai', { cost_in_usd_ticks: 11 }), 2)
  })
  it('ignores what is no amount', () => {
    for (const none of [-1, Number.MAX_VALUE, '0.5', null, {}]) assert.equal(cost('openrouter', { cost: none }), null)
  })
  it('B12: is nobody else’s to say', () => assert.equal(cost('groq', { cost: 0.5 }), null))
  it('is read from Responses and messages alike', () => {
    const response = { status: 'completed', usage: { input_tokens: 9, output_tokens: 2, cost: 0.5 } }
    const facts = factsAt('openrouter', { model: 'm', input: 'x' }, 'openai-responses')
    assert.equal(readAnswer('openai-responses', 'json', JSON.stringify(response), facts).reportedNanoUsd, 500_000_000)
    const message = { content: [], stop_reason: 'end_turn', usage: { input_tokens: 9, output_tokens: 2, cost: 0.5 } }
    const asked = factsAt('openrouter', { model: 'm', messages: [], max_tokens: 9 }, 'anthropic-messages')
    assert.equal(readAnswer('anthropic-messages', 'json', JSON.stringify(message), asked).reportedNanoUsd, 500_000_000)
  })
})
