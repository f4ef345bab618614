import assert from 'node:assert/strict'
import fc from 'fast-check'
import { windowGuide } from '../../../../extension/truncation/guide.ts'
import type { Truncation } from '../../../../extension/truncation/truncation.ts'
import { windowFor } from '../../../../extension/truncation/windowSize.ts'
import { figures, text } from '../support.ts'

const native: Truncation = {
  model: 'qwen3:4b',
  route: 'ollamaNative',
  sentTokens: 12_920,
  readTokens: 2051,
  largestWindow: 32_768,
}

describe('the guide to a larger window', () => {
  it('gives the value to set in every place where it can be set', () => {
    const guide = windowGuide(native, text, figures)
    assert.match(guide, /12,920 tokens were sent and 2,051 were read/)
    assert.match(guide, /"num_ctx": 16384/)
    assert.match(guide, /OLLAMA_CONTEXT_LENGTH=16384 ollama serve/)
    assert.match(guide, /FROM qwen3:4b\nPARAMETER num_ctx 16384/)
    assert.match(guide, /"before": "raise"/)
  })

  it('names the largest window of the gate where that has to be set as well', () => {
    assert.doesNotMatch(windowGuide(native, text, figures), /"maxNumCtx"/)
    const guide = windowGuide({ ...native, sentTokens: 38_980 }, text, figures)
    assert.match(guide, /`"truncation": \{ "before": "raise", "maxNumCtx": 65536 \}` in config\.json/)
    assert.doesNotMatch(
      windowGuide({ ...native, sentTokens: 38_980, largestWindow: 65_536 }, text, figures),
      /"maxNumCtx"/,
    )
  })

  it('does not show num_ctx in a request to a route that ignores it', () => {
    const guide = windowGuide({ ...native, route: 'ollamaOther' }, text, figures)
    assert.doesNotMatch(guide, /"num_ctx"|"before": "raise"/)
    assert.match(guide, /takes no num_ctx/)
    assert.match(guide, /OLLAMA_CONTEXT_LENGTH=16384/)
  })

  it('speaks of no Ollama to users of another server', () => {
    const guide = windowGuide({ ...native, route: 'other' }, text, figures)
    assert.doesNotMatch(guide, /ollama/i)
    assert.match(guide, /--ctx-size 16384/)
  })

  it('stays whole whatever a model is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (model) => {
        const guide = windowGuide({ ...native, model }, text, figures)
        assert.equal(guide.split('\n').filter((line) => line.startsWith('```')).length, 8)
      }),
    )
  })
})

describe('the window that is recommended', () => {
  it('is a power of two that holds the prompt and an answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000_000 }), (promptTokens) => {
        const size = windowFor(promptTokens)
        assert.ok(size >= promptTokens + 1024 && size >= 4096)
        assert.ok(Number.isInteger(Math.log2(size)))
        assert.ok(size === 4096 || size / 2 < promptTokens + 1024)
      }),
    )
  })
})
