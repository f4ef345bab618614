import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { calcPrice } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { builtInPricesAsOf, builtInPricesVersion, loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import type { PricedModel, WorstCaseAsk } from '../../../daemon/money/price.ts'
import { unboundedToolUses } from '../../../daemon/money/tiers.ts'
import { noUsage, totalInput } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { priceListOf, priceOf } from './priceListOf.ts'

const atMs = Date.parse('2026-11-30T12:00:00Z')

/** Micro-dollar of a usage at a rate of one euro per dollar. */
async function microUsd(model: string, usage: Partial<Usage>, tier: Record<string, string> = {}): Promise<number> {
  const upstream = model.startsWith('claude') ? 'anthropic' : model.startsWith('gemini') ? 'gemini' : 'openai'
  const price = priceOf(await priceListOf(), upstream, model)
  return price.cost({ ...noUsage, ...usage }, tier, atMs) / 1000
}

describe('cost of a usage', () => {
  it('D01: charges a cache write once, at the write rate', async () => {
    const usage = { input: 3, cacheWrite5m: 12_304, output: 550 }
    assert.equal(await microUsd('claude-3-7-sonnet-20250219', usage), 54_399)
  })

  it('D02: charges the same money for cached tokens whichever convention the provider counts by', async () => {
    const split = { input: 20_212 - 16_298, cacheRead: 16_298, output: 931 }
    assert.equal(await microUsd('gpt-4o', split), 3914 * 2.5 + 16_298 * 1.25 + 9310)
    assert.equal(await microUsd('claude-opus-5', split), 3914 * 5 + 16_298 * 0.5 + 931 * 25)
  })

  it('D04: charges a one-hour cache write at twice the input rate', async () => {
    assert.equal(await microUsd('claude-opus-5', { cacheWrite1h: 3904 }), 39_040)
  })

  it('D07: puts the whole request at the long-context rate, and not yet at exactly the threshold', async () => {
    const premium = await microUsd('gemini-2.5-pro', { input: 250_000, output: 4000 })
    assert.equal(premium, 250_000 * 2.5 + 4000 * 15)
    assert.equal(await microUsd('gemini-2.5-pro', { input: 200_000 }), 200_000 * 1.25)
    assert.equal(await microUsd('gemini-2.5-pro', { input: 200_001 }), 200_001 * 2.5)
    const cached = { input: 1, cacheRead: 200_000 }
    assert.equal(await microUsd('gemini-2.5-pro', cached), 2.5 + 200_000 * 0.25, 'the cached part counts for the size')
  })

  it('D10: adds the fee of each web search', async () => {
    const without = await microUsd('claude-opus-5', { output: 10 })
    assert.equal((await microUsd('claude-opus-5', { output: 10, webSearches: 3 })) - without, 30_000)
    assert.equal(await microUsd('gpt-5', { webSearches: 2 }), 20_000)
  })

  it('D10: adds the fee of each search in files and of each container, the configured one first', async () => {
    assert.equal(await microUsd('gpt-5', { fileSearches: 4 }), 10_000)
    assert.equal(await microUsd('gpt-5', { codeContainers: 2 }), 60_000)
    const list = await priceListOf({ toolFees: { openai: { file_search: 0, code_interpreter: 0.06 } } })
    const usage = { ...noUsage, fileSearches: 4, codeContainers: 1 }
    assert.equal(priceOf(list, 'openai', 'gpt-5').cost(usage, {}, atMs), 60_000_000)
  })

  it('adds the fee of a call that did something, and none to one that did nothing', async () => {
    const list = await priceListOf()
    const price = list.find('perplexity', 'https://api.perplexity.ai', 'sonar', atMs)
    assert.ok(price)
    const perCall = price.at(atMs).perCall / 1000
    assert.ok(perCall > 0)
    const { input } = price.at(atMs).tiers[0]!.rates
    assert.equal(price.cost({ ...noUsage, input: 1000 }, {}, atMs), input + perCall)
    assert.equal(price.cost(noUsage, {}, atMs), 0)
    const ask = { inputTokens: 1000, outputTokens: 0, cacheWrite: 'none', tier: {}, serverTools: [], atMs } as const
    assert.ok(price.worstCase(ask) >= input + perCall)
  })

  it('D09: reads the tiers of the table', async () => {
    assert.equal(await microUsd('gemini-2.5-pro', { input: 300_000 }), 300_000 * 2.5)
  })

  it('D12: does not charge reasoning beside the output that contains it', async () => {
    assert.equal(await microUsd('gpt-5', { output: 28, reasoning: 18 }), 280)
  })

  it('D13: charges the tier that was served, and the dearest one for a tier that nobody knows', async () => {
    const usage = { input: 1000, output: 100 }
    const standard = await microUsd('gpt-5', usage, { service_tier: 'default' })
    assert.equal(await microUsd('gpt-5', usage, { service_tier: 'flex' }), standard / 2)
    assert.equal(await microUsd('gpt-5', usage, { service_tier: 'priority' }), standard * 2)
    assert.equal(await microUsd('gpt-5', usage, { service_tier: 'hyperspeed' }), standard * 2)
    assert.equal(await microUsd('gpt-5', usage, { service_tier: 'constructor' }), standard * 2)
  })

  it('D13: says of a tier that nobody knows that its price is a guess', async () => {
    const price = priceOf(await priceListOf(), 'openai', 'gpt-5')
    const usage = { ...noUsage, input: 1000 }
    assert.equal(price.isUncertain(usage, { service_tier: 'hyperspeed' }, atMs), true)
    assert.equal(price.isUncertain(usage, { service_tier: 'priority' }, atMs), false)
    assert.equal(price.isUncertain(usage, {}, atMs), false)
  })

  it('D15: charges audio at its own rate, and at the text rate where it has none', async () => {
    assert.equal(await microUsd('gpt-audio', { input: 15, output: 47, audioOutput: 34 }), 15 * 2.5 + 13 * 10 + 34 * 64)
    assert.equal(await microUsd('gpt-5', { output: 47, audioOutput: 34 }), 470)
  })

  it('D15: says of audio without a rate of its own that the text rate is a floor', async () => {
    const list = await priceListOf()
    const usage = { ...noUsage, output: 47, audioOutput: 34 }
    assert.equal(priceOf(list, 'openai', 'gpt-5').isUncertain(usage, {}, atMs), true)
    assert.equal(priceOf(list, 'openai', 'gpt-audio').isUncertain(usage, {}, atMs), false)
    assert.equal(priceOf(list, 'openai', 'gpt-5').isUncertain({ ...usage, audioOutput: 0 }, {}, atMs), false)
  })

  it('charges images and cached audio at their own rates', async () => {
    assert.equal(
      await microUsd('gemini-2.5-flash-image', { output: 1300, imageOutput: 1290 }),
      Math.round((10 * 2.5 + 1290 * 30) * 1000) / 1000,
    )
    const { tiers } = priceOf(await priceListOf(), 'gemini', 'gemini-2.5-flash').at(atMs)
    const { cacheRead, audioCacheRead } = tiers[0]!.rates
    assert.ok(audioCacheRead > cacheRead)
    assert.equal(
      await microUsd('gemini-2.5-flash', { cacheRead: 1000, audioCacheRead: 400 }),
      (600 * cacheRead + 400 * audioCacheRead) / 1_000_000,
    )
  })

  it('takes the price of the day of the call', async () => {
    const price = priceOf(await priceListOf(), 'openai', 'o3')
    const usage = { ...noUsage, input: 1_000_000 }
    assert.equal(price.cost(usage, {}, Date.parse('2025-06-09T23:59:59Z')), 10_000_000_000)
    assert.equal(price.cost(usage, {}, Date.parse('2025-06-10T00:00:00Z')), 2_000_000_000)
  })

  it('takes the price of the hour where a provider has peak hours', async () => {
    const price = priceOf(await priceListOf(), 'deepseek', 'deepseek-v4-pro')
    const usage = { ...noUsage, input: 1_000_000 }
    assert.equal(price.cost(usage, {}, Date.parse('2026-11-30T02:00:00Z')), 1_320_000_000)
    assert.ok(price.cost(usage, {}, Date.parse('2026-11-30T05:00:00Z')) < 1_320_000_000)
  })

  it('converts with the configured rate and rounds to the nearest nano-euro', async () => {
    const price = priceOf(await priceListOf({}, 0.92), 'openai', 'gpt-4o-mini')
    assert.equal(price.cost({ ...noUsage, input: 1 }, {}, atMs), 138)
    assert.equal(price.cost({ ...noUsage, input: 7 }, {}, atMs), Math.round(1050 * 0.92))
  })

  it('agrees with the package itself for every model of the large providers', async () => {
    const table = await loadBuiltInPrices()
    const list = await priceListOf()
    const usage: Usage = { ...noUsage, input: 150_000, cacheRead: 60_000, cacheWrite5m: 30_000, output: 5000 }
    let compared = 0
    for (const [id, upstream] of [
      ['openai', 'openai'],
      ['anthropic', 'anthropic'],
      ['google', 'gemini'],
    ] as const) {
      const provider = table.byId(id)
      assert.ok(provider)
      for (const model of provider.models) {
        const price = list.find(upstream, '', model.id, atMs)
        const theirs = calcPrice(
          {
            input_tokens: totalInput(usage),
            cache_read_tokens: 60_000,
            cache_write_tokens: 30_000,
            output_tokens: 5000,
          },
          model.id,
          { provider: { ...provider, models: [{ ...model, match: { equals: model.id } }] }, timestamp: new Date(atMs) },
        )
        if (price === null || theirs === null) continue
        const ours = price.cost(usage, {}, atMs) / 1e9
        assert.ok(Math.abs(ours - theirs.total_price) < 1e-8, `${model.id}: ${ours} and ${theirs.total_price}`)
        compared++
      }
    }
    assert.ok(compared > 120, `${compared} models were compared`)
  })

  it('names the date of the table that is installed', () => {
    const main = createRequire(import.meta.url).resolve('@pydantic/genai-prices')
    const { version } = JSON.parse(readFileSync(join(main, '../../package.json'), 'utf8')) as { version: string }
    assert.equal(version, builtInPricesVersion, 'a newer table needs its own date in builtInPrices.ts')
    assert.match(builtInPricesAsOf, /^2026-\d\d-\d\d$/)
  })
})

describe('worst case of a call', () => {
  const ask: WorstCaseAsk = {
    inputTokens: 300_000,
    outputTokens: 1000,
    cacheWrite: 'none',
    tier: {},
    serverTools: [],
    atMs,
  }

  it('A10: reserves a long prompt at the tier that it can reach, as the settlement will', async () => {
    const price = priceOf(await priceListOf(), 'openai', 'gpt-5.5')
    assert.equal(price.worstCase(ask), 300_000 * 10_000 + 1000 * 45_000)
    assert.equal(price.cost({ ...noUsage, input: 300_000, output: 1000 }, {}, atMs), price.worstCase(ask))
    assert.equal(price.worstCase({ ...ask, inputTokens: 200_000 }), 200_000 * 5000 + 1000 * 30_000)
  })

  it('A10: reserves a flex call at the flex rate and an unknown tier at the dearest', async () => {
    const price = priceOf(await priceListOf(), 'openai', 'gpt-5')
    const standard = price.worstCase(ask)
    assert.equal(price.worstCase({ ...ask, tier: { service_tier: 'flex' } }), standard / 2)
    assert.equal(price.worstCase({ ...ask, tier: { service_tier: 'unheard-of' } }), standard * 2)
  })

  it('D10: reserves the most uses of a server tool, and a bound where there is none', async () => {
    const price = priceOf(await priceListOf(), 'anthropic', 'claude-opus-5')
    const bare = price.worstCase(ask)
    const search = (maxUses: number | null): number =>
      price.worstCase({ ...ask, serverTools: [{ name: 'web_search_20250305', maxUses }] }) - bare
    assert.equal(search(5), 50_000_000)
    assert.equal(search(null), unboundedToolUses * 10_000_000)
  })

  it('knows no fee of a tool that is called like something every object has', async () => {
    const price = priceOf(await priceListOf(), 'anthropic', 'claude-opus-5')
    assert.equal(price.worstCase({ ...ask, serverTools: [{ name: 'constructor', maxUses: 1 }] }), price.worstCase(ask))
  })

  it('covers a provider that writes its cache unasked', async () => {
    const price = priceOf(await priceListOf(), 'openai', 'gpt-6-sol')
    const written = { ...noUsage, cacheWrite5m: 1000 }
    assert.ok(price.worstCase({ ...ask, inputTokens: 1000, outputTokens: 0 }) >= price.cost(written, {}, atMs))
  })

  it('is never below the cost of any usage within its bounds', async () => {
    const list = await priceListOf({}, 0.917)
    const names: readonly (readonly [string, string])[] = [
      ['openai', 'gpt-5.5'],
      ['openai', 'gpt-6-astra'],
      ['openai', 'gpt-4o-mini'],
      ['openai', 'gpt-audio'],
      ['openai', 'text-embedding-3-small'],
      ['anthropic', 'claude-opus-5'],
      ['anthropic', 'claude-sonnet-4-5'],
      ['gemini', 'gemini-2.5-flash'],
      ['gemini', 'gemini-2.5-pro'],
      ['gemini', 'gemini-2.5-flash-image'],
      ['deepseek', 'deepseek-v4-pro'],
    ]
    const prices: readonly PricedModel[] = names.map(([upstream, model]) => priceOf(list, upstream, model))
    const tokens = fc.oneof(fc.nat(2000), fc.nat(600_000), fc.constantFrom(200_000, 271_999, 272_000))
    const tiers = fc.constantFrom<Record<string, string>>(
      {},
      { service_tier: 'flex' },
      { service_tier: 'priority' },
      { speed: 'fast' },
      { service_tier: '?' },
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...prices),
        fc.array(tokens, { minLength: 6, maxLength: 6 }),
        fc.constantFrom('none' as const, '5m' as const, '1h' as const),
        tiers,
        fc.record({
          slackIn: fc.nat(500),
          slackOut: fc.nat(500),
          audio: fc.double({ min: 0, max: 1, noNaN: true }),
          searches: fc.nat(3),
        }),
        fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-06-01') }),
        (
          price,
          [input = 0, cacheRead = 0, five = 0, hour = 0, output = 0, reasoning = 0],
          cacheWrite,
          tier,
          more,
          at,
        ) => {
          const usage: Usage = {
            ...noUsage,
            input,
            cacheRead,
            cacheWrite5m: cacheWrite === 'none' ? 0 : five,
            cacheWrite1h: cacheWrite === '1h' ? hour : 0,
            output,
            reasoning: Math.min(reasoning, output),
            audioInput: Math.floor(input * more.audio),
            audioOutput: Math.floor(output * more.audio),
            audioCacheRead: Math.floor(cacheRead * more.audio),
            imageInput: Math.floor(input * (1 - more.audio)),
            imageOutput: Math.floor(output * (1 - more.audio)),
            webSearches: more.searches,
          }
          const reserved = price.worstCase({
            inputTokens: totalInput(usage) + more.slackIn,
            outputTokens: output + more.slackOut,
            cacheWrite,
            tier,
            serverTools: [{ name: 'web_search', maxUses: more.searches }],
            atMs: at,
          })
          assert.ok(reserved >= price.cost(usage, tier, at))
          assert.ok(Number.isSafeInteger(reserved))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
