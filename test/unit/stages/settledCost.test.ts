import assert from 'node:assert/strict'
import type { AdmittedCall } from '../../../daemon/call.ts'
import { AnswerRecord } from '../../../daemon/dialects/answerRecord.ts'
import type { AnswerFacts } from '../../../daemon/dialects/dialect.ts'
import type { SettledUsage } from '../../../daemon/settlement.ts'
import { settledCost } from '../../../daemon/stages/settledCost.ts'
import type { SettledCost } from '../../../daemon/stages/settledCost.ts'
import { noUsage } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { priceListOf } from '../money/priceListOf.ts'
import { admittedCall } from '../tasks/calls.ts'

const atMs = Date.parse('2026-11-30T12:00:00Z')

interface Asked {
  readonly model: string
  readonly upstream?: string
  readonly free?: boolean
  readonly usdRate?: number
  readonly settlement?: SettledUsage['settlement']
  readonly usage: Partial<Usage>
  readonly answer?: Partial<Pick<AnswerFacts, 'parts' | 'reportedNanoUsd' | 'model'>>
}

async function costOf(asked: Asked): Promise<SettledCost> {
  const { model, upstream = 'anthropic', usdRate = 1 } = asked
  const plain = admittedCall()
  const call: AdmittedCall = {
    ...plain,
    receivedAtMs: atMs,
    usdRate,
    upstreamName: upstream,
    upstream: { ...plain.upstream, baseUrl: 'http://127.0.0.1:9/v1', free: asked.free ?? false },
    facts: { ...plain.facts, model },
  }
  const prices = await priceListOf({}, usdRate)
  const price = prices.find(upstream, call.upstream.baseUrl, model, atMs)
  const answer = Object.assign(new AnswerRecord(), asked.answer)
  const usage = { ...noUsage, ...asked.usage }
  return settledCost({ price, prices }, call, { settlement: asked.settlement ?? 'exact', usage }, answer, {})
}
const used = (some: Partial<Usage>): Usage => ({ ...noUsage, ...some })
/** Micro-euro. */
const micro = async (asked: Asked): Promise<number> => (await costOf(asked)).nanoEur / 1000

describe('the price of a settled call', () => {
  it('is the table’s where the provider says nothing', async () => {
    const cost = await costOf({ model: 'claude-opus-5', usage: { input: 1000, output: 100 } })
    assert.deepEqual(cost, { nanoEur: (5000 + 2500) * 1000, isReported: false, isUncertain: false })
  })
  it('charges each part at the model that did it, and the rest at the one that was asked', async () => {
    const parts = [
      { model: 'claude-haiku-4-5', usage: used({ input: 420, output: 90 }) },
      { model: 'claude-opus-5', usage: used({ input: 400, output: 12 }) },
    ]
    const usage = { input: 1820, output: 112 }
    const expected = 420 + 90 * 5 + (400 * 5 + 12 * 25) + (1000 * 5 + 10 * 25)
    assert.equal(await micro({ model: 'claude-opus-5', usage, answer: { parts } }), expected)
  })
  it('charges a part of an unheard-of model as the asked one, never at 0', async () => {
    const parts = [{ model: 'claude-unheard-of', usage: used({ input: 1000 }) }]
    assert.equal(await micro({ model: 'claude-opus-5', usage: { input: 1000 }, answer: { parts } }), 5000)
  })
  it('D07: looks at the prompt of each part for its tier, not at their sum', async () => {
    const model = 'gemini-2.5-pro'
    const upstream = 'gemini'
    const parts = [{ model, usage: used({ input: 150_000 }) }]
    const asked = { model, upstream, usage: { input: 250_000 } }
    assert.equal(await micro({ ...asked, answer: { parts } }), 250_000 * 1.25)
    assert.equal(await micro(asked), 250_000 * 2.5)
  })
})

describe('a charge that the provider reports', () => {
  const asked = { model: 'openai/gpt-4.1-nano', upstream: 'openrouter', usage: { input: 1000, output: 100 } }

  it('is the price, at the rate of the call and rounded up', async () => {
    const cost = await costOf({ ...asked, usdRate: 0.9, answer: { reportedNanoUsd: 1_234_567 } })
    assert.deepEqual(cost, { nanoEur: Math.ceil(1_234_567 * 0.9), isReported: true, isUncertain: false })
  })
  it('is the price of a model that no table knows', async () => {
    const answer = { reportedNanoUsd: 1000 }
    assert.equal((await costOf({ ...asked, model: 'someone/new', answer })).nanoEur, 1000)
  })
  it('may be below the table’s: that is what was charged', async () => {
    assert.equal((await costOf({ ...asked, answer: { reportedNanoUsd: 7 } })).nanoEur, 7)
  })
  it('is none where it is 0 and the model has a price', async () => {
    const cost = await costOf({ ...asked, answer: { reportedNanoUsd: 0 } })
    assert.equal(cost.isReported, false)
    assert.ok(cost.nanoEur > 0)
  })
  it('is only a floor before the end of an answer', async () => {
    const partial = { ...asked, settlement: 'partial' } as const
    const table = (await costOf(partial)).nanoEur
    assert.equal((await costOf({ ...partial, answer: { reportedNanoUsd: 7 } })).nanoEur, table)
    const most = await costOf({ ...partial, answer: { reportedNanoUsd: table + 5 } })
    assert.deepEqual([most.nanoEur, most.isReported], [table + 5, true])
  })
  it('does not make a free upstream cost anything', async () => {
    assert.equal((await costOf({ ...asked, free: true, answer: { reportedNanoUsd: 7 } })).nanoEur, 0)
  })
})
