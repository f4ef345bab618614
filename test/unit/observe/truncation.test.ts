import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { DialectName } from '../../../daemon/call.ts'
import { judgeAnswer, judgeTruncation, keptTokens } from '../../../daemon/observe/truncation.ts'
import type { AnswerEnd, TruncationInput } from '../../../daemon/observe/truncation.ts'
import { readRankFile } from '../../../daemon/tokens/rankFiles.ts'
import { createTokenCounter } from '../../../daemon/tokens/estimate.ts'
import { Tokenizer } from '../../../daemon/tokens/tokenizer.ts'

function prompt(
  textTokens: number,
  reportedInputTokens: number | null,
  more: Partial<TruncationInput> = {},
): TruncationInput {
  return {
    textTokens,
    reportedInputTokens,
    ratio: 1,
    numCtx: null,
    numKeep: null,
    localServer: true,
    previous: null,
    ...more,
  }
}

describe('truncation verdict', () => {
  it('calls the known answers by their names: 12,920 and 38,980 of 2,051 truncated, 666 and 3,204 not', () => {
    for (const numCtx of [4096, null]) {
      for (const estimated of [12_920, 38_980]) {
        assert.deepEqual(judgeTruncation(prompt(estimated, 2051, { numCtx })), {
          kind: 'truncated',
          certainty: 'certain',
          estimated,
          reported: 2051,
          window: 4096,
        })
      }
      for (const tokens of [666, 3204]) {
        assert.deepEqual(judgeTruncation(prompt(tokens, tokens, { numCtx })), { kind: 'none' })
        assert.deepEqual(judgeTruncation(prompt(Math.round(tokens * 0.94), tokens, { numCtx })), { kind: 'none' })
      }
    }
  })

  it('comes to the same verdict from a real text and its own count', () => {
    const tokenizer = new Tokenizer(readRankFile)
    const sentence = 'The gate compares what it estimated with what the server says it has read. '
    const counter = createTokenCounter({
      estimator: 'tokenizer',
      family: 'gemma',
      model: 'gemma3:4b',
      tokenizer,
      cache: null,
    })
    counter.text(sentence.repeat(900))
    const { textTokens } = counter.estimate()
    assert.ok(textTokens > 12_000 && textTokens < 16_000)
    const cut = judgeTruncation(prompt(textTokens, keptTokens(4096, 5)))
    assert.equal(cut.kind, 'truncated')
    assert.deepEqual(judgeTruncation(prompt(textTokens, Math.round(textTokens * 1.11))), { kind: 'none' })
  })

  it('I01: is certain of half a window, whatever the size of the prompt', () => {
    const verdict = judgeTruncation(prompt(160_689, 16_387, { numCtx: 32_768 }))
    assert.deepEqual(verdict, {
      kind: 'truncated',
      certainty: 'certain',
      estimated: 160_689,
      reported: 16_387,
      window: 32_768,
    })
  })

  it('I02: infers the window from the count alone', () => {
    const verdict = judgeTruncation(prompt(50_000, 16_386))
    assert.equal(verdict.kind === 'truncated' && verdict.certainty, 'certain')
    assert.equal(verdict.kind === 'truncated' && verdict.window, 32_768)
  })

  it('I02: takes the same count on a growing prompt for a cut', () => {
    const previous = { textTokens: 9000, reported: 7000 }
    assert.equal(judgeTruncation(prompt(10_500, 7000, { previous })).kind, 'truncated')
    assert.equal(judgeTruncation(prompt(10_500, 7000)).kind, 'none')
    assert.equal(
      judgeTruncation(prompt(10_500, 7000, { previous: { textTokens: 10_500, reported: 7000 } })).kind,
      'none',
      'a retry',
    )
  })

  it('I03: looks past a num_ctx that the server ignored', () => {
    const verdict = judgeTruncation(prompt(20_000, 2051, { numCtx: 32_768 }))
    assert.equal(verdict.kind === 'truncated' && verdict.window, 4096)
  })

  it('I05: takes a missing count and a count of 0 for nothing at all', () => {
    assert.deepEqual(judgeTruncation(prompt(20_000, null)), { kind: 'none' })
    assert.deepEqual(judgeTruncation(prompt(20_000, 0)), { kind: 'none' })
  })

  it('I07: lets a text pass whose estimate was 1.6 times the report, known or not', () => {
    assert.deepEqual(judgeTruncation(prompt(16_000, 10_000)), { kind: 'none' })
    assert.deepEqual(judgeTruncation(prompt(16_000, 10_000, { ratio: 0.625 })), { kind: 'none' })
    assert.deepEqual(judgeTruncation(prompt(16_000, 6500, { ratio: 0.625 })), { kind: 'none' })
    assert.equal(judgeTruncation(prompt(16_000, 5000, { ratio: 0.625 })).kind, 'truncated')
    assert.deepEqual(judgeTruncation(prompt(300, 60)), { kind: 'none' }, 'a gap too small to tell')
  })

  it('never accuses a report that is not below the estimate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.nat(1_000_000),
        fc.boolean(),
        (textTokens, more, localServer) => {
          assert.deepEqual(judgeTruncation(prompt(textTokens, textTokens + more, { localServer, numCtx: 4096 })), {
            kind: 'none',
          })
        },
      ),
    )
  })

  it('finds every prompt that the formula cuts, for all usual windows and both kinds of tokenizer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 11, max: 20 }),
        fc.constantFrom(4, 5),
        fc.double({ min: 1.05, max: 40, noNaN: true }),
        (power, keep, excess) => {
          const window = 2 ** power
          const verdict = judgeTruncation(prompt(Math.ceil(window * excess), keptTokens(window, keep)))
          assert.equal(verdict.kind, 'truncated')
        },
      ),
    )
  })

  it('knows the window of older servers, which report it whole or less one', () => {
    for (const reported of [4096, 4095]) {
      const verdict = judgeTruncation(prompt(5000, reported, { numCtx: 4096 }))
      assert.equal(verdict.kind === 'truncated' && verdict.certainty, 'certain')
    }
  })

  it('follows a num_keep of the request', () => {
    const kept = keptTokens(8192, 1001)
    const verdict = judgeTruncation(prompt(20_000, kept, { numCtx: 8192, numKeep: 1000 }))
    assert.equal(verdict.kind === 'truncated' && verdict.window, 8192)
    const all = judgeTruncation(prompt(20_000, 8191, { numCtx: 8192, numKeep: -1 }))
    assert.equal(all.kind === 'truncated' && all.window, 8192)
  })

  it('has no window to name at a provider in the cloud', () => {
    const verdict = judgeTruncation(prompt(20_000, 2051, { localServer: false }))
    assert.deepEqual(verdict, { kind: 'truncated', certainty: 'probable', estimated: 20_000, reported: 2051 })
  })

  it('computes the kept tokens of the measured servers', () => {
    const table: readonly (readonly [number, number, number])[] = [
      [2048, 1027, 1026],
      [4096, 2051, 2050],
      [8192, 4099, 4098],
      [32_768, 16_387, 16_386],
      [262_144, 131_075, 131_074],
    ]
    for (const [window, withMark, without] of table) {
      assert.equal(keptTokens(window, 5), withMark)
      assert.equal(keptTokens(window, 4), without)
    }
  })
})

describe('verdict on an answer that reached its output limit', () => {
  const end: AnswerEnd = {
    dialect: 'openai-chat',
    finish: 'length',
    visibleChars: 0,
    toolCalls: 0,
    outputTokens: 256,
    outputCeiling: 256,
  }

  it('is empty_answer where all of it was thinking, in every dialect', () => {
    const reasons: readonly (readonly [DialectName, string])[] = [
      ['openai-chat', 'length'],
      ['openai-chat', 'model_length'],
      ['openai-completions', 'length'],
      ['openai-responses', 'max_output_tokens'],
      ['anthropic-messages', 'max_tokens'],
      ['ollama-chat', 'length'],
      ['ollama-generate', 'length'],
    ]
    for (const [dialect, finish] of reasons)
      assert.equal(judgeAnswer({ ...end, dialect, finish }), 'empty_answer', dialect)
  })

  it('is output_limit where something can be read or a tool was called', () => {
    assert.equal(judgeAnswer({ ...end, visibleChars: 12 }), 'output_limit')
    assert.equal(judgeAnswer({ ...end, toolCalls: 1 }), 'output_limit')
  })

  it('goes by the count where an emulation says completed at the limit too', () => {
    assert.equal(judgeAnswer({ ...end, dialect: 'openai-responses', finish: 'completed' }), 'empty_answer')
    assert.equal(judgeAnswer({ ...end, dialect: 'openai-responses', finish: 'completed', outputTokens: 255 }), 'none')
    assert.equal(judgeAnswer({ ...end, finish: 'stop' }), 'none')
  })

  it('says nothing of a call that asked for no output', () => {
    assert.equal(judgeAnswer({ ...end, outputCeiling: 0, outputTokens: 0 }), 'none')
    assert.equal(judgeAnswer({ ...end, outputCeiling: null, finish: null }), 'none')
  })
})
