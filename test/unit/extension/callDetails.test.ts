import assert from 'node:assert/strict'
import { callDetails } from '../../../extension/ui/callDetails.ts'
import type { CallRow } from '../../../shared/status.ts'
import { noUsage } from '../../../shared/usage.ts'
import { figures, text } from './support.ts'
import { callRow } from '../callRow.ts'

const call = callRow({
  project: 'shop',
  client: 'aider/0.8',
  upstream: 'ollama',
  dialect: 'ollama',
  model: 'qwen3:4b',
  usage: { ...noUsage, input: 2051, output: 7 },
  estimatedInput: 12_920,
  warnings: ['truncated'],
})

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
