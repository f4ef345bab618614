import assert from 'node:assert/strict'
import { countTokens as countByPackage } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens as countCl100kByPackage } from 'gpt-tokenizer/encoding/cl100k_base'
import fc from 'fast-check'
import { maxPieceBytes } from '../../../daemon/tokens/bytePairs.ts'
import { readRankFile } from '../../../daemon/tokens/rankFiles.ts'
import { Tokenizer, countTokens, windowChars } from '../../../daemon/tokens/tokenizer.ts'
import type { Encoder } from '../../../daemon/tokens/tokenizer.ts'
import { samples } from './samples.ts'

const tokenizer = new Tokenizer(readRankFile)
const asText = { disallowedSpecial: new Set<string>() }

/** Text out of all the corners of the split pattern. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ' ',
        '  ',
        '\n',
        '\r\n',
        '\t',
        ' \n',
        "'s",
        "'LL",
        "'",
        'Word',
        'ALLCAPS',
        'camelCase',
        '123',
        '1234567',
      ),
      fc.constantFrom(
        '/',
        '//',
        '{}',
        '…',
        'é',
        'Ünï',
        '的',
        'ไทย',
        '\u0301',
        '\u00a0',
        '\u3000',
        'ǅ',
        'ʰ',
        '٣',
        '👩‍👩‍👧',
        '\u0000',
        '\u001f',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('token counts', () => {
  it('equal those of the package for any text, but for one token at most where a run is cut at 64 bytes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const mostCuts = Math.floor(Buffer.byteLength(text) / 64)
        const over = tokenizer.count('o200k_base', text) - countByPackage(text, asText)
        const overCl100k = tokenizer.count('cl100k_base', text) - countCl100kByPackage(text, asText)
        assert.ok(over >= 0 && over <= mostCuts, JSON.stringify(text))
        assert.ok(overCl100k >= 0 && overCl100k <= mostCuts, JSON.stringify(text))
      }),
      { numRuns: 1500 },
    )
  })

  for (const [name, text] of Object.entries(samples)) {
    it(`are an upper bound within 6 % for ${name}, and never more than bytes`, () => {
      const ours = tokenizer.count('o200k_base', text)
      const exact = countByPackage(text, asText)
      assert.ok(ours >= exact, `${ours} of ${exact}`)
      assert.ok(ours <= exact * 1.06 + 2, `${ours} of ${exact}`)
      assert.ok(ours <= Buffer.byteLength(text))
    })
  }

  it('J03: take the marks of the providers for text like any other', () => {
    for (const mark of ['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|im_end|>', '<|endofprompt|>']) {
      const count = tokenizer.count('o200k_base', `if (text === "${mark}") stop()`)
      assert.equal(count, countByPackage(`if (text === "${mark}") stop()`, asText))
      assert.ok(tokenizer.count('o200k_base', mark) > 1, mark)
    }
  })

  it('count a lone surrogate as the replacement character', () => {
    assert.equal(tokenizer.count('o200k_base', '\ud800'), tokenizer.count('o200k_base', '\ufffd'))
    assert.equal(tokenizer.count('o200k_base', '\udc00a'), tokenizer.count('o200k_base', '\ufffda'))
  })

  it('split no character at the edge of a window or of a piece', () => {
    const emoji = '🙂'.repeat(windowChars)
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const ours = tokenizer.count('o200k_base', shift + emoji)
      assert.ok(ours <= countByPackage(shift + emoji.slice(0, 2000), asText) * ((2 * windowChars) / 2000) * 1.05)
    }
  })
})

describe('work on a text', () => {
  /** An encoder that notes what it is given instead of counting it. */
  function noting(): Encoder & { readonly pieces: string[]; readonly longestWindow: () => number } {
    const pieces: string[] = []
    let longest = 0
    const { pieceEnd } = tokenizer.encoder('o200k_base')
    return {
      pieces,
      longestWindow: () => longest,
      pieceEnd(text, start) {
        longest = Math.max(longest, text.length)
        return pieceEnd(text, start)
      },
      countPiece(text, start, end) {
        pieces.push(text.slice(start, end))
        return 1
      },
      work: () => pieces.length,
    }
  }

  const hostile: Readonly<Record<string, string>> = {
    'a hundred thousand equal letters': 'a'.repeat(100_000),
    'half a million underscores': '_'.repeat(500_000),
    'fourteen thousand Chinese characters': '钱'.repeat(14_000),
    'blanks without an end': ' '.repeat(300_000),
    'a megabyte of base64': Buffer.alloc(750_000, 'qzT9').toString('base64'),
    'minified code': 'a=function(b){return b?c(d,[e]):f};'.repeat(20_000),
  }

  for (const [name, text] of Object.entries(hostile)) {
    it(`J01: reads ${name} in windows, each character once`, () => {
      const encoder = noting()
      countTokens(encoder, text)
      assert.equal(encoder.pieces.join('').length, text.length)
      assert.ok(encoder.longestWindow() <= windowChars)
    })

    it(`J01: does work on ${name} in proportion to its length`, () => {
      const encoder = tokenizer.encoder('o200k_base')
      const workOf = (part: string): number => {
        const before = encoder.work()
        countTokens(encoder, part)
        return encoder.work() - before
      }
      const half = workOf(text.slice(0, text.length / 2))
      const whole = workOf(text)
      assert.ok(whole <= 2.2 * half + 100, `${half} steps for half, ${whole} for all`)
      assert.ok(whole <= 7 * Buffer.byteLength(text))
    })
  }

  it('J01: cuts a run into pieces, each of which adds at most one token', () => {
    const text = 'qx'.repeat(2000)
    const cuts = Math.ceil(text.length / maxPieceBytes)
    const exact = countByPackage(text, asText)
    const ours = tokenizer.count('o200k_base', text)
    assert.ok(ours >= exact && ours <= exact + cuts, `${ours} of ${exact}`)
  })
})

describe('vocabulary', () => {
  it('is read from the disk once for each encoding, and not before it is needed', () => {
    const read: string[] = []
    const lazy = new Tokenizer((encoding) => {
      read.push(encoding)
      return readRankFile(encoding)
    })
    assert.deepEqual(read, [])
    lazy.count('o200k_base', 'one')
    lazy.count('o200k_base', 'two')
    assert.deepEqual(read, ['o200k_base'])
  })
})
