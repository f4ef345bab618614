import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readColumnMap } from '../../../daemon/reconcile/formats/mapped.ts'
import { openaiLineItem } from '../../../daemon/reconcile/formats/openaiLineItem.ts'
import type { Invoice, InvoiceRow } from '../../../daemon/reconcile/invoice.ts'
import { readInvoice } from '../../../daemon/reconcile/readInvoice.ts'

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/invoices/${name}`, import.meta.url), 'utf8')
}

function mapped(text: string, columns: string): Invoice {
  const map = readColumnMap(columns)
  if (typeof map === 'string') assert.fail(map)
  return readInvoice(text, map)
}

/** The sentence about a map that cannot be read. */
function problemOf(columns: string): string {
  const map = readColumnMap(columns)
  return typeof map === 'string' ? map : assert.fail('it was read')
}

const row = (
  day: string,
  model: string | null,
  item: string | null,
  tier: string | null,
  amount: number,
): InvoiceRow => ({
  day,
  model,
  item,
  tier,
  amount,
})

describe('the cost report of the Claude Console', () => {
  it('is read with its names for people, its batches and its line items', () => {
    const invoice = readInvoice(fixture('anthropic-cost.csv'))
    assert.equal(invoice.format, 'Anthropic cost report (CSV)')
    assert.equal(invoice.provider, 'anthropic')
    assert.deepEqual([invoice.unit, invoice.tiers, invoice.itemizesTools], ['usd', 'all', true])
    assert.deepEqual(invoice.period, { from: '2026-11-02', to: '2026-11-04' })
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'Claude Haiku 4.5', null, 'standard', 50_000_000),
      row('2026-11-02', 'Claude Haiku 4.5', null, 'standard', 20_000_000),
      row('2026-11-02', 'Claude Haiku 4.5', null, 'batch', 400_000_000),
      row('2026-11-03', 'Claude Opus 4.5', null, 'standard', 1_250_000_000),
      row('2026-11-03', null, 'web search', 'standard', 30_000_000),
      row('2026-11-04', null, 'credit', 'standard', -500_000_000),
    ])
  })
})

describe('the cost report of the Anthropic Admin API', () => {
  it('is read with amounts in cents, and says that pages are missing', () => {
    const invoice = readInvoice(fixture('anthropic-cost.json'))
    assert.equal(invoice.format, 'Anthropic cost report (JSON)')
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'claude-sonnet-4-20250514', null, 'standard', 1_234_500_000),
      row('2026-11-02', 'claude-sonnet-4-20250514', null, 'batch', 450),
      row('2026-11-02', null, 'web search', 'standard', 300_000_000),
    ])
    assert.deepEqual(invoice.period, { from: '2026-11-02', to: '2026-11-03' })
    assert.match(invoice.notes.join(), /has_more/)
  })

  it('is read as a list of pages, the last of which decides whether any is missing', () => {
    const page = JSON.parse(fixture('anthropic-cost.json')) as object
    const invoice = readInvoice(JSON.stringify([page, { ...page, has_more: false }]))
    assert.equal(invoice.rows.length, 6)
    assert.deepEqual(invoice.notes, [])
  })

  it('is a total a day where it was not grouped', () => {
    const invoice = readInvoice(
      '{"data":[{"starting_at":"2026-11-02T00:00:00Z","ending_at":"2026-11-03T00:00:00Z","results":[{"currency":"USD","amount":"250","cost_type":null,"model":null,"service_tier":null}]}]}',
    )
    assert.deepEqual(invoice.rows, [row('2026-11-02', null, null, 'standard', 2_500_000_000)])
    assert.deepEqual([invoice.tiers, invoice.itemizesTools], ['none', false])
  })

  it('refuses another currency', () => {
    const euros = fixture('anthropic-cost.json').replace('"USD"', '"EUR"')
    assert.throws(() => readInvoice(euros), {
      message: 'data[0].results[0].currency is "EUR"; only "USD" is understood.',
    })
  })
})

describe('the usage report of the Anthropic Admin API', () => {
  it('is read as tokens', () => {
    const invoice = readInvoice(fixture('anthropic-usage.json'))
    assert.equal(invoice.unit, 'tokens')
    assert.deepEqual(invoice.rows, [row('2026-11-02', 'claude-sonnet-4-20250514', null, 'priority', 3700)])
  })
})

describe('the costs of the OpenAI API', () => {
  it('are read with numbers and decimal texts, by line item', () => {
    const invoice = readInvoice(fixture('openai-costs.json'))
    assert.deepEqual([invoice.provider, invoice.tiers, invoice.itemizesTools], ['openai', 'named', true])
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'gpt-5.5-2026-04-23', null, 'standard', 60_000_000),
      row('2026-11-02', 'gpt-5.5-2026-04-23', null, 'standard', 14_000_000),
      row('2026-11-02', 'gpt-5.5-2026-04-23', null, 'priority', 120),
      row('2026-11-02', null, 'web search', null, 20_000_000),
      row('2026-11-02', null, 'vector storage', null, 100_000_000),
    ])
    assert.deepEqual(invoice.period, { from: '2026-11-02', to: '2026-11-03' })
  })

  it('are read from the export of the usage page, with days that cost nothing', () => {
    const invoice = readInvoice(fixture('openai-costs.csv'))
    assert.equal(invoice.format, 'OpenAI costs (CSV)')
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'gpt-4o-mini-2024-07-18', null, 'standard', 895_874_000),
      row('2026-11-02', 'gpt-audio-mini-2025-12-15', null, 'standard', 100_000_000),
    ])
    assert.equal(invoice.period?.to, '2026-11-03')
  })

  const lineItems: readonly (readonly [string, string | null, string | null, string | null])[] = [
    ['gpt-4o, input', 'gpt-4o', null, 'standard'],
    ['flex | o3, output', 'o3', null, 'flex'],
    ['ft-gpt-4o-2024-08-06, cached input', 'ft-gpt-4o-2024-08-06', null, 'standard'],
    ['gpt-image-2.5 text, cached input', 'gpt-image-2.5', null, 'standard'],
    ['gpt-5.6-sol, cache writes', 'gpt-5.6-sol', null, 'standard'],
    ['assistants api | file search', null, 'file search', null],
    ['file search storage', null, 'file search storage', null],
    ['code interpreter sessions', null, 'code execution', null],
    ['dall-e-3', 'dall-e-3', null, 'standard'],
    ['Fees, taxes', null, 'fees, taxes', null],
  ]
  for (const [text, model, item, tier] of lineItems) {
    it(`"${text}" is ${model ?? item ?? ''}`, () => {
      assert.deepEqual(openaiLineItem(text), { model, item, tier })
    })
  }
})

describe('the usage export of OpenAI', () => {
  it('is read as tokens, cached ones once', () => {
    const invoice = readInvoice(fixture('openai-usage.csv'))
    assert.equal(invoice.unit, 'tokens')
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'gpt-5-mini-2025-08-07', null, 'standard', 128_000),
      row('2026-11-02', 'gpt-5-mini-2025-08-07', null, 'batch', 6000),
    ])
    assert.equal(invoice.period?.to, '2026-11-03')
  })
})

describe('the activity of OpenRouter', () => {
  it('is read by UTC day, without what the keys of others paid', () => {
    const invoice = readInvoice(fixture('openrouter-activity.csv'))
    assert.equal(invoice.provider, 'openrouter')
    assert.deepEqual(invoice.rows, [
      row('2026-03-28', 'anthropic/claude-4.5-haiku-20251001', null, null, 1_250_000),
      row('2026-03-29', 'openai/gpt-5-mini-2025-08-07', null, null, 500_000_000),
    ])
    assert.match(invoice.notes.join(), /keys of your own/)
  })
})

describe('another CSV', () => {
  it('is read by the columns that a person names', () => {
    const invoice = mapped(fixture('gateway.csv'), 'date=Day, model=Model, usd=cost, item=Kind')
    assert.equal(invoice.provider, null)
    assert.deepEqual(invoice.rows, [
      row('2026-11-02', 'gpt-5-mini', null, null, 1_500_000_000),
      row('2026-11-03', null, 'web search', null, 250_000_000),
      row('2026-11-03', 'gpt-5-mini', null, null, -100_000_000),
    ])
    assert.equal(invoice.itemizesTools, true)
  })

  it('says which column it does not have', () => {
    assert.throws(() => mapped('Day,Model\n', 'date=Day,usd=Cost'), {
      message: 'The file has no column "Cost", or has it twice. Its columns: "Day", "Model".',
    })
  })

  it('refuses a map without its two columns, with a strange part or a part twice', () => {
    assert.equal(readColumnMap('date=Day,model=M'), '--map needs at least date and usd.')
    assert.match(problemOf('date=Day,eur=Cost'), /not "eur=Cost"\.$/)
    assert.match(problemOf('date=Day,usd'), /not "usd"\.$/)
    assert.equal(readColumnMap('date=Day,usd=A,usd=B'), '--map names usd twice.')
  })
})
