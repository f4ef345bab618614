import assert from 'node:assert/strict'
import { noUsage } from '../../../shared/usage.ts'
import { modelMaxOutput } from '../../../daemon/money/modelLimits.ts'
import { priceListOf, priceOf } from './priceListOf.ts'

const atMs = Date.parse('2026-11-30T12:00:00Z')
const anyUrl = 'http://127.0.0.1:9/v1'

async function entryOf(upstream: string, model: string, url = anyUrl): Promise<string | null> {
  return (await priceListOf()).find(upstream, url, model, atMs)?.entry ?? null
}

describe('price of a model name', () => {
  it('E02: does not know a name with a dot for a dash, and suggests the near one', async () => {
    const list = await priceListOf()
    assert.equal(list.find('anthropic', anyUrl, 'claude-opus-4.1', atMs), null)
    assert.equal(list.suggest('anthropic', 'claude-opus-4.1')[0], 'claude-opus-4-1')
  })

  it('E04: takes the exact name and its date, never the first prefix', async () => {
    assert.equal(await entryOf('openai', 'gpt-4o-mini-2024-07-18'), 'openai/gpt-4o-mini')
    assert.equal(await entryOf('openai', 'o1-mini-2024-09-12'), 'openai/o1-mini')
    assert.equal(await entryOf('openai', 'gpt-4o-2024-05-13'), 'openai/gpt-4o-2024-05-13')
    assert.equal(await entryOf('openai', 'gpt-4o-2024-12-31'), 'openai/gpt-4o')
    for (const stranger of ['gpt-4o-turbo', 'gpt-4o-mini-lite', 'gpt-4', 'gpt-5-nano-plus', 'o1-mini-2024-13-12']) {
      const entry = await entryOf('openai', stranger)
      assert.equal(entry, stranger === 'gpt-4' ? 'openai/gpt-4' : null, stranger)
    }
  })

  it('E06: lets no new suffix or version inherit the price of its neighbour', async () => {
    assert.equal(await entryOf('gemini', 'gemini-3.6-flash'), 'google/gemini-3.6-flash')
    assert.equal(await entryOf('gemini', 'gemini-3.6-flash-lite'), null)
    assert.equal(await entryOf('openai', 'gpt-5-micro'), null)
    assert.equal(await entryOf('anthropic', 'claude-sonnet-5'), 'anthropic/claude-sonnet-5')
    assert.equal(await entryOf('anthropic', 'claude-sonnet-5-7'), null)
    assert.equal(await entryOf('anthropic', 'claude-haiku-4-5-20251001'), 'anthropic/claude-haiku-4-5')
    assert.equal(await entryOf('anthropic', 'claude-opus-4-5@20251101'), 'anthropic/claude-opus-4-5')
    assert.equal(await entryOf('anthropic', 'claude-3-5-haiku-20241022'), 'anthropic/claude-3-5-haiku-latest')
    assert.equal(await entryOf('anthropic', 'claude-sonnet-4-20250514'), 'anthropic/claude-sonnet-4-0')
  })

  it('reads a name without the path and the label that clients put around it', async () => {
    assert.equal(await entryOf('openai', 'openai/gpt-4o'), 'openai/gpt-4o')
    assert.equal(await entryOf('gemini', 'models/gemini-2.5-pro'), 'google/gemini-2.5-pro')
    assert.equal(await entryOf('anthropic', 'claude-opus-5[1m]'), 'anthropic/claude-opus-5')
    assert.equal(await entryOf('openrouter', 'anthropic/claude-opus-4.6'), 'openrouter/anthropic/claude-opus-4.6')
  })

  it('finds the provider by base URL first, then by the name of the upstream', async () => {
    assert.equal(await entryOf('mine', 'grok-4', 'https://api.x.ai/v1'), 'x-ai/grok-4-0709')
    assert.equal(await entryOf('xai', 'grok-4'), 'x-ai/grok-4-0709')
    assert.equal(await entryOf('openai', 'claude-opus-5', 'https://api.anthropic.com'), 'anthropic/claude-opus-5')
    assert.equal(await entryOf('azure', 'gpt-4o', 'https://mine.openai.azure.com/openai/v1'), 'openai/gpt-4o')
  })

  it('takes the dearest exact match where the provider is unknown', async () => {
    assert.equal(
      await entryOf('company-gateway', 'anthropic/claude-opus-5', 'http://gateway.example/v1'),
      'anthropic/claude-opus-5',
    )
    assert.equal(await entryOf('company-gateway', 'no-such-model', 'http://gateway.example/v1'), null)
  })

  it('E01: has no price for an unknown model, and none for an entry without token prices', async () => {
    assert.equal(await entryOf('openai', 'deepinfra/DeepSeek-V9'), null)
    assert.equal(await entryOf('openai', 'whisper-1'), null)
    assert.equal(await entryOf('openai', 'moderation'), null)
  })

  it('E01: charges the dearest known rates for an unknown model under that policy', async () => {
    const list = await priceListOf({ unpriced: 'dearest' })
    const unknown = list.find('openai', anyUrl, 'gpt-99', atMs)
    const dear = list.find('openai', anyUrl, 'o1-pro', atMs)
    const usage = { ...noUsage, input: 1000, output: 1000 }
    assert.ok(unknown && dear)
    assert.ok(unknown.cost(usage, {}, atMs) >= dear.cost(usage, {}, atMs))
  })

  it('costs nothing where the table says that a model is free', async () => {
    const list = await priceListOf()
    const free = priceOf(list, 'openrouter', 'agentica-org/deepcoder-14b-preview:free')
    assert.equal(free.cost({ ...noUsage, input: 1_000_000, output: 1000 }, {}, atMs), 0)
  })
})

describe('prices of the configuration', () => {
  const million = { ...noUsage, input: 1_000_000 }

  it('go before the table, and only for their provider', async () => {
    const prices = { input_mtok: 3, output_mtok: 12, cache_read_mtok: 0.75 }
    const list = await priceListOf({ overrides: [{ provider: 'openai', match: 'my-ft:*', prices }] })
    assert.equal(priceOf(list, 'openai', 'my-ft:abc').cost(million, {}, atMs), 3_000_000_000)
    assert.equal(priceOf(list, 'openai', 'my-ft:abc').entry, 'override my-ft:*')
    assert.equal(list.find('groq', anyUrl, 'my-ft:abc', atMs), null)
    const everywhere = await priceListOf({ overrides: [{ provider: null, match: 'gpt-4o', prices }] })
    assert.equal(priceOf(everywhere, 'openai', 'gpt-4o').cost(million, {}, atMs), 3_000_000_000)
    assert.equal(priceOf(everywhere, 'openai', 'gpt-4o-mini').entry, 'openai/gpt-4o-mini')
  })

  it('charge what they leave out as dear as it can be', async () => {
    const prices = { input_mtok: 4, output_mtok: 20 }
    const list = await priceListOf({ overrides: [{ provider: null, match: '*', prices }] })
    const cached = { ...noUsage, cacheRead: 1_000_000 }
    const written = { ...noUsage, cacheWrite1h: 1_000_000 }
    assert.equal(priceOf(list, 'openai', 'x').cost(cached, {}, atMs), 4_000_000_000)
    assert.equal(priceOf(list, 'openai', 'x').cost(written, {}, atMs), 4_000_000_000)
    assert.equal(priceOf(list, 'anthropic', 'x').cost(written, {}, atMs), 8_000_000_000)
  })

  it('set factors, deny tiers and set fees', async () => {
    const list = await priceListOf({
      multipliers: { openai: { service_tier: { priority: 1.7, flex: 'deny' } } },
      toolFees: { openai: { web_search: 0.025 } },
    })
    const price = priceOf(list, 'openai', 'gpt-5')
    assert.equal(price.cost(million, { service_tier: 'priority' }, atMs), 1_250_000_000 * 1.7)
    assert.equal(price.cost({ ...noUsage, webSearches: 1 }, {}, atMs), 25_000_000)
    assert.equal(list.deniedTier('openai', anyUrl, { service_tier: 'flex' }), 'service_tier=flex')
    assert.equal(list.deniedTier('openai', anyUrl, { service_tier: 'ultrafast' }), 'service_tier=ultrafast')
    assert.equal(list.deniedTier('openai', anyUrl, { service_tier: 'priority' }), null)
  })
})

describe('most output of a model', () => {
  it('is known for well-known names and null for others', () => {
    assert.equal(modelMaxOutput('openai', 'gpt-4o-mini-2024-07-18'), 16_384)
    assert.equal(modelMaxOutput('openai', 'gpt-5.6-sol'), 128_000)
    assert.equal(modelMaxOutput('openai', 'o3'), 100_000)
    assert.equal(modelMaxOutput('openrouter', 'openai/gpt-4.1-nano'), 32_768)
    assert.equal(modelMaxOutput('anthropic', 'claude-opus-4-1-20250805'), 32_000)
    assert.equal(modelMaxOutput('anthropic', 'claude-opus-4-20250514'), 32_000)
    assert.equal(modelMaxOutput('anthropic', 'claude-opus-4-5-20251101'), 64_000)
    assert.equal(modelMaxOutput('anthropic', 'claude-opus-9'), null)
    assert.equal(modelMaxOutput('ollama', 'gpt-4o'), null)
  })
})
