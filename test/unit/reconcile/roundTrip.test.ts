import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isBeyond } from '../../../shared/reconciliation.ts'
import type { UsageOfDay } from '../../../shared/reconciliation.ts'
import { loadBuiltInPrices } from '../../../daemon/money/builtInPrices.ts'
import { compare, summaryOf } from '../../../daemon/reconcile/compare.ts'
import { readColumnMap } from '../../../daemon/reconcile/formats/mapped.ts'
import { createModelKeys } from '../../../daemon/reconcile/modelKeys.ts'
import { readInvoice } from '../../../daemon/reconcile/readInvoice.ts'
import { addDays } from '../../../daemon/reconcile/values.ts'
import { usageOf } from './usage.ts'

/** A part of our calls of one day, model and tier, as a provider would bill it. */
interface Piece {
  readonly entry: UsageOfDay
  /** Nano-dollar, or tokens. */
  readonly amount: number
}

/** Writes pieces as a provider exports them. */
interface Exporter {
  readonly name: string
  readonly provider: 'openai' | 'anthropic' | 'openrouter'
  readonly tiers: readonly string[]
  readonly unit: 'usd' | 'tokens'
  readonly map?: string
  write(pieces: readonly Piece[]): string
}

const usdText = (nano: number, places = 9): string => {
  const digits = String(nano).padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
const seconds = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000
const served = ({ entry }: Piece): string => entry.responseModel ?? entry.model
const lines = (head: string, rows: readonly string[]): string => `${[head, ...rows].join('\n')}\n`

/** One bucket a piece: days may come more than once, as pages of several projects do. */
function buckets(pieces: readonly Piece[], days: (day: string) => object, result: (piece: Piece) => object): string {
  return JSON.stringify({
    data: pieces.map((piece) => ({ ...days(piece.entry.day), results: [result(piece)] })),
    has_more: false,
  })
}

const isoDays = (day: string): object => ({
  starting_at: `${day}T00:00:00Z`,
  ending_at: `${addDays(day, 1)}T00:00:00Z`,
})
const epochDays = (day: string): object => ({ start_time: seconds(day), end_time: seconds(day) + 86_400 })

const exporters: readonly Exporter[] = [
  {
    name: 'the cost report of the Claude Console',
    provider: 'anthropic',
    tiers: ['standard', 'batch', 'fast'],
    unit: 'usd',
    write: (pieces) =>
      lines(
        'usage_date_utc,model,usage_type,token_type,cost_usd,cost_type,speed',
        pieces.map(({ entry, amount }) => {
          const name = entry.model.includes('haiku') ? 'Claude Haiku 4.5' : 'Claude Opus 4.5'
          const [type, speed] =
            entry.tier === 'fast' ? ['message', 'fast'] : [entry.tier === 'batch' ? 'batch' : 'message', '']
          return `${entry.day},${name},${type},output,${usdText(amount)},token,${speed}`
        }),
      ),
  },
  {
    name: 'the cost report of the Anthropic Admin API',
    provider: 'anthropic',
    tiers: ['standard', 'batch'],
    unit: 'usd',
    write: (pieces) =>
      buckets(pieces, isoDays, (piece) => ({
        currency: 'USD',
        amount: usdText(piece.amount, 7),
        cost_type: 'tokens',
        model: served(piece),
        service_tier: piece.entry.tier,
      })),
  },
  {
    name: 'the usage report of the Anthropic Admin API',
    provider: 'anthropic',
    tiers: ['standard', 'batch', 'priority'],
    unit: 'tokens',
    write: (pieces) =>
      buckets(pieces, isoDays, (piece) => ({
        uncached_input_tokens: 0,
        cache_creation: { ephemeral_1h_input_tokens: piece.amount },
        output_tokens: 0,
        model: served(piece),
        service_tier: piece.entry.tier,
      })),
  },
  {
    name: 'the costs of the OpenAI API',
    provider: 'openai',
    tiers: ['standard', 'priority', 'flex'],
    unit: 'usd',
    write: (pieces) =>
      buckets(pieces, epochDays, (piece) => ({
        object: 'organization.costs.result',
        amount: { value: usdText(piece.amount), currency: 'usd' },
        line_item: `${piece.entry.tier === 'standard' ? '' : `${piece.entry.tier} | `}${served(piece)}, output`,
      })),
  },
  {
    name: 'the costs of the usage page of OpenAI',
    provider: 'openai',
    tiers: ['standard'],
    unit: 'usd',
    write: (pieces) =>
      lines(
        'start_time,amount_value,amount_currency,line_item',
        pieces.map(
          (piece) => `${seconds(piece.entry.day)},${usdText(piece.amount)},usd,"${served(piece)}, cached input"`,
        ),
      ),
  },
  {
    name: 'the usage export of OpenAI',
    provider: 'openai',
    tiers: ['standard', 'batch', 'flex'],
    unit: 'tokens',
    write: (pieces) =>
      lines(
        'start_time,num_model_requests,model,batch,service_tier,input_tokens,output_tokens',
        pieces.map((piece) => {
          const { day, tier } = piece.entry
          const isBatch = tier === 'batch'
          return `${seconds(day)},1,${served(piece)},${String(isBatch)},${isBatch ? 'default' : tier},${piece.amount},0`
        }),
      ),
  },
  {
    name: 'the activity of OpenRouter',
    provider: 'openrouter',
    tiers: ['standard'],
    unit: 'usd',
    write: (pieces) =>
      lines(
        'created_at,cost_total,model_permaslug',
        pieces.map((piece) => `${piece.entry.day} 23:59:59,${usdText(piece.amount)},${served(piece)}`),
      ),
  },
  {
    name: 'a CSV by its columns',
    provider: 'openai',
    tiers: ['standard', 'batch'],
    unit: 'usd',
    map: 'date=Day,model=Model,usd=Cost,tier=Tier',
    write: (pieces) =>
      lines(
        'Day;Model;Cost;Tier',
        pieces.map((piece) => `${piece.entry.day};${piece.entry.model};${usdText(piece.amount)};${piece.entry.tier}`),
      ),
  },
]

const models = {
  openai: [
    ['gpt-5-mini', 'gpt-5-mini-2025-08-07'],
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['o3', null],
    ['home-grown-1', null],
  ],
  anthropic: [
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['claude-opus-4-5-20251101', null],
  ],
  openrouter: [
    ['openai/gpt-5-mini', 'openai/gpt-5-mini'],
    ['deepseek/deepseek-v9', null],
  ],
} as const

describe('calls of our own, exported and read again', () => {
  for (const exporter of exporters) {
    it(`agree wholly as ${exporter.name}, however they are split`, async () => {
      const { provider, tiers, unit } = exporter
      const keyOf = createModelKeys((await loadBuiltInPrices()).byId(provider))
      const entries = fc
        .array(
          fc.record({
            day: fc.integer({ min: 0, max: 40 }).map((days) => addDays('2026-10-01', days)),
            name: fc.constantFrom(...models[provider]),
            tier: fc.constantFrom(...tiers),
            // Together they stay below what a sum of nano-dollars holds exactly.
            amount: fc.integer({ min: 1, max: 100_000_000_000_000 }),
          }),
          { minLength: 1, maxLength: 12 },
        )
        .map((list) =>
          list.map(({ day, name: [model, responseModel], tier, amount }): UsageOfDay =>
            usageOf({
              day,
              upstream: provider,
              provider,
              model,
              responseModel,
              tier,
              usd: amount / 1e9,
              inputTokens: amount,
              outputTokens: 0,
            }),
          ),
        )
      fc.assert(
        fc.property(entries, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (usage, cuts) => {
          const pieces = usage.flatMap((entry, at): Piece[] => {
            const whole = unit === 'tokens' ? entry.inputTokens : Math.round(entry.usd * 1e9)
            const first = Math.floor(whole * (cuts[at] ?? 0))
            return [first, whole - first].filter((amount) => amount > 0).map((amount) => ({ entry, amount }))
          })
          const columns = exporter.map === undefined ? null : readColumnMap(exporter.map)
          if (typeof columns === 'string') assert.fail(columns)
          const invoice = readInvoice(exporter.write(pieces), columns)
          assert.ok(invoice.period !== null)
          const comparison = compare({ invoice, usage, ...invoice.period, keyOf })
          assert.deepEqual(
            comparison.rows.filter(({ invoice: theirs, local }) => theirs !== local),
            [],
          )
          assert.ok([...comparison.rows, ...comparison.models].every((row) => row.class === 'matched'))
          assert.deepEqual([comparison.drift, comparison.coverage], [1, 1])
          assert.equal(isBeyond(summaryOf(comparison, invoice, { provider, ...invoice.period })), false)
        }),
      )
    })
  }
})
