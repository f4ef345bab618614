import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { packVocabulary, unpackVocabulary } from '../../../daemon/tokens/vocabulary.ts'

/** A file of this many tokens of two or three bytes, each one another. */
function fileOf(count: number): Buffer {
  const lines = Array.from({ length: count }, (_, rank) => {
    const token = rank % 2 === 0 ? Buffer.from([rank >> 8, rank & 255]) : Buffer.from([1, rank >> 8, rank & 255])
    return `${token.toString('base64')} ${rank}\n`
  })
  return Buffer.from(lines.join(''))
}

function tokensOf(packed: Uint8Array): Buffer[] {
  const { bytes, ends } = unpackVocabulary(packed)
  return [...ends].map((end, rank) => Buffer.from(bytes.subarray(rank === 0 ? 0 : ends[rank - 1], end)))
}

describe('a packed vocabulary', () => {
  for (const encoding of ['o200k_base', 'cl100k_base']) {
    it(`holds the tokens of ${encoding} as they are shipped, in their order`, () => {
      const file = readFileSync(createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${encoding}.tiktoken`))
      const lines = file.toString('latin1').split('\n').filter(Boolean)
      const tokens = tokensOf(packVocabulary(file))
      assert.equal(tokens.length, lines.length)
      const differ = lines.filter((line, rank) => tokens[rank]!.toString('base64') !== line.split(' ')[0])
      assert.deepEqual(differ, [])
    })
  }

  it('is read again as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 256, max: 2000 }), (count) => {
        assert.equal(tokensOf(packVocabulary(fileOf(count))).length, count)
      }),
      { numRuns: 20 },
    )
  })

  it('is not made from a damaged file', () => {
    const file = fileOf(300)
    assert.throws(() => packVocabulary(file.subarray(0, 1000)), /damaged/)
    assert.throws(() => packVocabulary(Buffer.from('<html>not found</html>')), /damaged/)
    const shuffled = Buffer.from(file)
    shuffled.write('?', 500)
    assert.throws(() => packVocabulary(shuffled), /damaged/)
    assert.throws(() => packVocabulary(Buffer.from(file.toString().replace(' 7\n', ' 8\n'))), /damaged near token 7/)
  })

  it('is not read when it is damaged', () => {
    const packed = packVocabulary(fileOf(300))
    assert.throws(() => unpackVocabulary(packed.subarray(0, 2)), /damaged/)
    assert.throws(() => unpackVocabulary(packed.subarray(0, -1)), /damaged/)
    assert.throws(() => unpackVocabulary(Buffer.concat([packed, Buffer.of(1)])), /damaged/)
    const without = Uint8Array.from(packed)
    without[4] = 0
    assert.throws(() => unpackVocabulary(without), /damaged near token 0/)
  })
})
