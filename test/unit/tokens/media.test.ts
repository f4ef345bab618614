import assert from 'node:assert/strict'
import { imageSize, payloadBytes } from '../../../daemon/tokens/imageSize.ts'
import { mediaBound } from '../../../daemon/tokens/media.ts'
import { familyMargins } from '../../../daemon/tokens/families.ts'
import type { ModelFamily } from '../../../daemon/tokens/families.ts'
import { createTokenCounter } from '../../../daemon/tokens/estimate.ts'
import { readRankFile } from '../../../daemon/tokens/rankFiles.ts'
import { Tokenizer } from '../../../daemon/tokens/tokenizer.ts'
import type { MediaPart } from '../../../daemon/dialects/dialect.ts'

const families = Object.keys(familyMargins) as ModelFamily[]

function png(width: number, height: number, moreBytes = 0): string {
  const header = Buffer.alloc(33 + moreBytes)
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header.toString('base64')
}

function gif(width: number, height: number): string {
  const header = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  header.writeUInt16LE(width, 6)
  header.writeUInt16LE(height, 8)
  return header.toString('base64')
}

/** A JPEG with a comment of `previewBytes` before its frame header. */
function jpeg(width: number, height: number, previewBytes: number): string {
  const comment = Buffer.alloc(previewBytes + 4)
  comment.writeUInt16BE(0xfffe, 0)
  comment.writeUInt16BE(previewBytes + 2, 2)
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame]).toString('base64')
}

function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): string {
  const header = Buffer.alloc(40)
  header.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1')
  if (kind === 'VP8 ') {
    header.writeUInt16LE(width, 26)
    header.writeUInt16LE(height, 28)
  } else if (kind === 'VP8L') {
    header.writeUInt8(0x2f, 20)
    header.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  } else {
    header.writeUIntLE(width - 1, 24, 3)
    header.writeUIntLE(height - 1, 27, 3)
  }
  return header.toString('base64')
}

describe('size of an image', () => {
  it('is read from the headers of PNG, GIF, JPEG and the three kinds of WebP', () => {
    const size = { width: 1024, height: 768 }
    assert.deepEqual(imageSize(png(1024, 768)), size)
    assert.deepEqual(imageSize(gif(1024, 768)), size)
    assert.deepEqual(imageSize(jpeg(1024, 768, 40_000)), size)
    for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) assert.deepEqual(imageSize(webp(kind, 1024, 768)), size, kind)
  })

  it('J04: is read behind a data prefix in any case', () => {
    assert.deepEqual(imageSize(`DATA:IMAGE/PNG;BASE64,${png(10, 20)}`), { width: 10, height: 20 })
    assert.equal(payloadBytes(`data:image/png;base64,${png(1, 1)}`), 33)
  })

  it('is null for everything else', () => {
    for (const text of [
      '',
      'not base64 at all',
      png(0, 10),
      Buffer.from('<svg/>').toString('base64'),
      jpeg(5, 5, 60_000).slice(0, 200),
    ]) {
      assert.equal(imageSize(text), null)
    }
  })
})

describe('bound for a part that is not text', () => {
  it('J04: bounds a 1.9 MB picture by its pixels and not by its payload', () => {
    const base64 = png(1600, 1200, 1_900_000)
    for (const family of families) {
      const bound = mediaBound({ kind: 'image', base64 }, 'some-model', family)
      assert.ok(bound >= 85 && bound < 7000, `${family}: ${bound}`)
    }
    const tokenizer = new Tokenizer(readRankFile)
    const counter = createTokenCounter({
      estimator: 'tokenizer',
      family: 'openai',
      model: 'gpt-4o',
      tokenizer,
      cache: null,
    })
    counter.media({ kind: 'image', base64 })
    assert.deepEqual(counter.estimate(), { upperTokens: 765, textTokens: 0, mediaTokens: 765 })
  })

  it('J05: is at least 1 for every kind, sent or named, for every family', () => {
    for (const kind of ['image', 'file', 'audio', 'video', 'unknown'] as const) {
      for (const base64 of [undefined, '', png(1, 1)]) {
        for (const family of families) assert.ok(mediaBound({ kind, base64 }, 'm', family) >= 1, `${kind} ${family}`)
      }
    }
  })

  it('J06: reserves a whole window for a file that is only named', () => {
    assert.ok(mediaBound({ kind: 'file' }, 'gpt-5', 'openai') >= 128_000)
    assert.equal(
      mediaBound({ kind: 'file', base64: 'A'.repeat(4000), mimeType: 'text/plain' }, 'gpt-5', 'openai'),
      3000,
    )
    assert.equal(
      mediaBound({ kind: 'file', base64: 'A'.repeat(10_000), mimeType: 'application/pdf' }, 'm', 'openai'),
      9200,
    )
  })

  it('follows the published rules of OpenAI for tiles and patches', () => {
    const image = (width: number, height: number, detail?: MediaPart['detail']): MediaPart => ({
      kind: 'image',
      base64: png(width, height),
      detail,
    })
    assert.equal(mediaBound(image(1024, 1024), 'gpt-4o', 'openai'), 85 + 4 * 170)
    assert.equal(mediaBound(image(2048, 4096), 'gpt-4o', 'openai'), 85 + 6 * 170)
    assert.equal(mediaBound(image(4096, 8192, 'low'), 'gpt-4o', 'openai'), 85)
    assert.equal(mediaBound(image(512, 512), 'gpt-4o-mini', 'openai'), 2833 + 5667)
    assert.equal(mediaBound(image(1024, 1024), 'gpt-4.1-mini', 'openai'), Math.ceil(1024 * 1.62))
    assert.equal(mediaBound(image(4000, 4000), 'gpt-5.6-sol', 'openai'), 3000)
    assert.equal(mediaBound(image(4000, 4000, 'original'), 'gpt-5.6-sol', 'openai'), 12_000)
    assert.equal(mediaBound({ kind: 'image' }, 'gpt-5.6-sol', 'openai'), 3000)
    assert.equal(mediaBound({ kind: 'image' }, 'gpt-4o-mini', 'openai'), 48_169)
  })

  it('follows the published rules of Anthropic and Google', () => {
    const base64 = png(1092, 1092)
    assert.equal(mediaBound({ kind: 'image', base64 }, 'claude-opus-4-5', 'claude-old'), 39 * 39 + 5)
    assert.equal(mediaBound({ kind: 'image', base64: png(8000, 6000) }, 'claude-opus-4-5', 'claude-old'), 1568 + 5)
    assert.equal(mediaBound({ kind: 'image', base64: png(8000, 6000) }, 'claude-opus-5', 'claude-new'), 4784 + 5)
    assert.equal(mediaBound({ kind: 'image', base64: png(300, 300) }, 'gemini-2.5-pro', 'gemini'), 258)
    assert.equal(mediaBound({ kind: 'image', base64 }, 'gemini-2.5-pro', 'gemini'), 4 * 258)
    assert.equal(mediaBound({ kind: 'image', base64 }, 'gemini-3.1-pro-preview', 'gemini'), 1120)
    assert.equal(mediaBound({ kind: 'image', base64, detail: 'low' }, 'gemini-3.1-pro-preview', 'gemini'), 280)
    assert.equal(mediaBound({ kind: 'image', base64, detail: 'original' }, 'gemini-3.1-pro-preview', 'gemini'), 2240)
  })
})
