import assert from 'node:assert/strict'
import fc from 'fast-check'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { readPriceData } from '../../../daemon/money/priceData.ts'
import { tableWith } from '../../../daemon/money/priceTable.ts'
import type { InstalledPrices } from '../../../daemon/money/priceTable.ts'
import { createPriceList } from '../../../daemon/money/table.ts'
import type { TieredPriceList } from '../../../daemon/money/table.ts'
import { noUsage } from '../../../shared/usage.ts'

const atMs = Date.parse('2026-11-30T12:00:00Z')
const anyUrl = 'http://127.0.0.1:9/v1'
const asOf = '2026-11-29'

function provider(id: string, ...models: readonly object[]): object {
  return { id, name: id, api_pattern: 'x', models }
}

function read(value: unknown): InstalledPrices {
  const reading = readPriceData(value, asOf)
  return reading.ok ? reading.prices : assert.fail(reading.problem)
}

function problemOf(value: unknown): string {
  const reading = readPriceData(value, asOf)
  return reading.ok ? assert.fail('it was read') : reading.problem
}

async function listWith(value: unknown): Promise<TieredPriceList> {
  const config = { overrides: [], corrections: [], multipliers: {}, toolFees: {}, unpriced: 'refuse' } as const
  return createPriceList(config, { usdRate: 1 }, tableWith(await loadBuiltInPrices(), read(value)))
}

function inputUsd(list: TieredPriceList, upstream: string, model: string, inputTokens = 1_000_000): number | null {
  const nano = list.find(upstream, anyUrl, model, atMs)?.cost({ ...noUsage, input: inputTokens }, {}, atMs)
  return nano === undefined ? null : nano / 1e9
}

describe('a price list that a person brings', () => {
  it('is read in the form of the package, with tiers, dates and hours', async () => {
    const list = await listWith([
      provider('openai', {
        id: 'gpt-9',
        match: { or: [{ equals: 'gpt-9-latest' }, { starts_with: 'gpt-9' }] },
        prices: [
          { prices: { input_mtok: 1, output_mtok: 2 } },
          {
            constraint: { start_date: '2026-01-01' },
            prices: { input_mtok: { base: 3, tiers: [{ start: 200_000, price: 6 }] }, output_mtok: 9 },
          },
        ],
      }),
    ])
    assert.equal(inputUsd(list, 'openai', 'gpt-9', 100_000), 0.3)
    assert.equal(inputUsd(list, 'openai', 'gpt-9-latest', 300_000), 1.8)
    assert.equal(
      inputUsd(list, 'openai', 'gpt-9-mini'),
      null,
      'a rule on the beginning of a name is not followed (E06)',
    )
    assert.equal(list.asOf, asOf)
    assert.equal(
      list.find('openai', anyUrl, 'gpt-9', atMs)?.provenance(atMs),
      'openai/gpt-9 (update of 2026-11-29; 3/9)',
    )
  })

  it('is read in the form of the configuration, with its own date', async () => {
    const value = {
      asOf: '2026-11-20',
      overrides: [{ provider: 'openai', match: 'mine-*', prices: { input_mtok: 4, output_mtok: 8 } }],
    }
    const list = await listWith(value)
    assert.equal(inputUsd(list, 'openai', 'mine-1'), 4)
    assert.equal(inputUsd(list, 'groq', 'mine-1'), null)
    assert.equal(list.asOf, '2026-11-20')
    assert.equal(
      list.find('openai', anyUrl, 'mine-1', atMs)?.provenance(atMs),
      'update mine-* (update of 2026-11-20; 4/8)',
    )
  })

  it('E09: gives each model one source: a row of the file replaces the built-in one as a whole', async () => {
    const list = await listWith([provider('openai', { id: 'gpt-5.5', prices: { input_mtok: 5, output_mtok: 30 } })])
    assert.equal(inputUsd(list, 'openai', 'gpt-5.5', 300_000), 1.5, 'without the threshold of the other source')
    const price = list.find('openai', anyUrl, 'gpt-5.5', atMs)!
    assert.equal(price.cost({ ...noUsage, cacheRead: 1_000_000 }, {}, atMs), 5e9, 'and without its cache price')
    assert.equal(price.source.kind, 'update')
    assert.equal(list.find('openai', anyUrl, 'gpt-5', atMs)?.source.kind, 'table', 'other rows stay')
  })

  it('E09: lets an alias of the file win over the built-in row of that name', async () => {
    const row = { id: 'gpt-5-renamed', match: { equals: 'gpt-5' }, prices: { input_mtok: 7, output_mtok: 7 } }
    assert.equal(inputUsd(await listWith([provider('openai', row)]), 'openai', 'gpt-5'), 7)
  })

  it('E04: does not let a base name of the file swallow a dated row of the table', async () => {
    const list = await listWith([provider('openai', { id: 'gpt-4o', prices: { input_mtok: 2, output_mtok: 8 } })])
    assert.equal(inputUsd(list, 'openai', 'gpt-4o-2024-05-13'), 5)
    assert.equal(inputUsd(list, 'openai', 'gpt-4o-2024-08-06'), 2)
  })

  it('knows a provider that the table does not have', async () => {
    const list = await listWith([provider('house', { id: 'h-1', prices: { input_mtok: 1, output_mtok: 1 } })])
    assert.equal(inputUsd(list, 'house', 'h-1'), 1)
    assert.deepEqual(list.names('house', anyUrl), ['h-1'])
  })

  it('D08: refuses a threshold in the name of a field, and names the place', () => {
    const prices = { input_mtok: 3, output_mtok: 15, context_over_200k: { input: 6 } }
    assert.match(
      problemOf([provider('x', { id: 'm', prices })]),
      /^providers\[0\]\.models\[0\]\.prices\.context_over_200k has a threshold in its name: write it as tiers/,
    )
  })

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['a text', '<html>', /^The file is no object\.$/],
    ['nothing', {}, /holds no prices/],
    ['a negative price', [provider('x', { id: 'm', prices: { input_mtok: -1 } })], /input_mtok is no price from 0/],
    [
      'a price beyond belief',
      [provider('x', { id: 'm', prices: { input_mtok: 1e6 } })],
      /no price from 0 to 100000 dollars/,
    ],
    ['a price as text', [provider('x', { id: 'm', prices: { input_mtok: '3' } })], /no price/],
    [
      'a tier without a size',
      [provider('x', { id: 'm', prices: { input_mtok: { base: 1, tiers: [{ price: 2 }] } } })],
      /tiers\[0\]\.start/,
    ],
    [
      'a date that is none',
      [provider('x', { id: 'm', prices: [{ constraint: { start_date: 'soon' }, prices: {} }] })],
      /start_date is no date/,
    ],
    ['a row without a name', [provider('x', { prices: {} })], /models\[0\]\.id is no text/],
    [
      'a price of a kind that a configuration has not',
      { overrides: [{ match: 'm', prices: { input_mtok: 1, output_mtok: 1, audio: 2 } }] },
      /overrides\[0\]\.prices\.audio is not understood/,
    ],
    ['a price without output', { overrides: [{ match: 'm', prices: { input_mtok: 1 } }] }, /output_mtok is no price/],
  ]
  for (const [what, value, says] of wrong) {
    it(`E08: refuses ${what} with a sentence`, () => assert.match(problemOf(value), says))
  }

  it('E08: never throws, whatever JSON it gets', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('whole', 'providers', 'models', 'prices'), (value, at) => {
        const wrapped =
          at === 'whole'
            ? value
            : at === 'providers'
              ? { providers: value }
              : [provider('x', at === 'models' ? (value as object) : { id: 'm', prices: value })]
        const reading = readPriceData(wrapped, asOf)
        assert.ok(reading.ok || reading.problem.length > 0)
      }),
    )
  })
})
