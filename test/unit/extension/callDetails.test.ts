import assert from 'node:assert/strict'
import { callDetails } from '../../../extension/ui/callDetails.ts'
import type { CallRow } from '../../../shared/status.ts'
import { noUsage } from '../../../shared/usage.ts'
import { figures, text } from './support.ts'

const call: CallRow = {
  id: 'c1',
  time: '2026-11-30T12:00:00.000Z',
  tenant: 'personal',
  user: 'me',
  project: 'shop',
  task: null,
  session: null,
  client: 'aider/0.8',
  upstream: 'ollama',
  dialect: 'ollama',
  model: 'qwen3:4b',
  responseModel: null,
  stream: false,
  isRetry: false,
  state: 'settled',
  settlement: 'exact',
  outcome: 'ok',
  status: 200,
  finish: 'stop',
  usage: { ...noUsage, input: 2051, output: 7 },
  billing: 'metered',
  eur: 0,
  listPriceEur: 0,
  reservedEur: 0,
  estimatedInput: 12_920,
  usdRate: 0.92,
  rateAsOf: '2026-11-01',
  price: null,
  durationMs: 3140,
  firstByteMs: 300,
  warnings: ['truncated'],
}

const linesOf = (changes: Partial<CallRow>): readonly string[] =>
  callDetails({ ...call, ...changes }, text, figures).split('\n')

describe('the document about one call', () => {
  it('has both counts, what became of it, and nothing that is not known', () => {
    const lines = linesOf({})
    assert.match(lines[0] ?? '', /qwen3:4b.*ollama/)
    for (const figure of ['12,920', '2,051', 'truncated', 'shop', 'aider/0.8']) {
      assert.ok(
        lines.some((line) => line.endsWith(figure)),
        figure,
      )
    }
    assert.ok(!lines.some((line) => line.startsWith(text.window.callTask)))
  })

  it('has no lines that a client or a provider wrote', () => {
    const forged = 'x\nCost  €0.00\u2028Cost  €0.00'
    assert.equal(linesOf({ model: forged, client: forged, finish: forged }).length, linesOf({}).length)
    assert.ok(!linesOf({ finish: forged }).some((line) => line.includes('\u2028')))
  })
})
