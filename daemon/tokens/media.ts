import type { MediaPart } from '../dialects/dialect.ts'
import { imageSize, payloadBytes } from './imageSize.ts'
import type { ImageSize } from './imageSize.ts'
import type { ModelFamily } from './families.ts'

/**
 * Upper bounds in tokens for what is not text. Never 0 (J05), never the base64 text of the payload (J04: a 1.9 MB picture
 * counted as 638,000 tokens). Providers publish the rules for images by size; the rest are documented maxima.
 */

/** A part of a kind that is not known here. */
const unknownPartTokens = 5000
/** A file that is named and not sent, or is larger: the usual whole context window (J06). */
const fileTokens = 200_000
/** One page of a PDF: its text and its picture. */
const pageTokens = 4600
/** Bytes below which a page with text hardly falls. */
const pageBytes = 4096
/** Speech is at most 32 tokens a second. */
const audioTokensPerSecond = 32
/** Slowest usual streams in bytes a second: 32 kbit/s compressed, 8 kHz at 16 bit otherwise. */
const compressedAudioBytesPerSecond = 4000
const waveBytesPerSecond = 16_000
/** Half an hour, for audio of unknown length. */
const audioTokens = 57_600
const videoTokensPerSecond = 300
const videoBytesPerSecond = 30_000
/** About five minutes, for video of unknown length. */
const videoTokens = 100_000

/** Bound for one part, in tokens, at least 1. */
export function mediaBound(part: MediaPart, model: string, family: ModelFamily): number {
  switch (part.kind) {
    case 'image':
      return imageBound(part, model.toLowerCase(), family)
    case 'file':
      return fileBound(part)
    case 'audio':
      return audioBound(part)
    case 'video':
      if (part.base64 === undefined) return videoTokens
      return perSecond(part.base64, videoBytesPerSecond, videoTokensPerSecond)
    case 'unknown':
      return unknownPartTokens
  }
}

function fileBound(part: MediaPart): number {
  if (part.base64 === undefined) return fileTokens
  const bytes = payloadBytes(part.base64)
  // A text cannot have more tokens than bytes.
  if (part.mimeType?.toLowerCase().startsWith('text/') === true) return Math.max(1, bytes)
  return Math.min(fileTokens, Math.ceil(Math.max(1, bytes) / pageBytes) * pageTokens)
}

function audioBound(part: MediaPart): number {
  if (part.base64 === undefined) return audioTokens
  const isWave = part.mimeType !== undefined && /wav|pcm|l16/i.test(part.mimeType)
  return perSecond(part.base64, isWave ? waveBytesPerSecond : compressedAudioBytesPerSecond, audioTokensPerSecond)
}

function perSecond(base64: string, bytesPerSecond: number, tokensPerSecond: number): number {
  return Math.max(1, Math.ceil(payloadBytes(base64) / bytesPerSecond)) * tokensPerSecond
}

function imageBound(part: MediaPart, model: string, family: ModelFamily): number {
  const size = part.base64 === undefined ? null : imageSize(part.base64)
  switch (family) {
    case 'openai':
    case 'openai-cl100k':
      return openaiImage(size, part.detail, model)
    case 'claude-old':
      return claudeImage(size, 1568, 1568, 1600)
    case 'claude-new':
      return claudeImage(size, 2576, 4784, 4800)
    case 'gemini':
      return geminiImage(size, part.detail, model)
    case 'gemma':
      return 1024
    case 'qwen':
      return size === null ? 4096 : Math.min(16_384, Math.max(1024, patches(size, 28)))
    case 'llama':
    case 'deepseek':
    case 'mistral':
    case 'unknown':
      return size === null ? 4096 : Math.min(6500, Math.max(1024, patches(size, 28)))
  }
}

/** Models that pay a base and so much per tile of 512 pixels. */
const tileModels: readonly (readonly [RegExp, { readonly base: number; readonly tile: number }])[] = [
  [/gpt-4o-mini/, { base: 2833, tile: 5667 }],
  [/gpt-4\.1-(?:mini|nano)|gpt-5(?:\.\d+)?-(?:mini|nano)|o4-mini/, { base: 0, tile: 0 }],
  [/gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-/, { base: 85, tile: 170 }],
  [/(?:^|\/)o[13](?:-|$)/, { base: 75, tile: 150 }],
  [/computer-use/, { base: 65, tile: 129 }],
  [/gpt-5(?:-(?:\d{4}|chat|codex|pro)|$)/, { base: 70, tile: 140 }],
]

/** Models that pay per patch of 32 pixels, up to a number of patches. The larger of documented and billed factors. */
const patchModels: readonly (readonly [RegExp, { readonly factor: number; readonly most: number }])[] = [
  [/gpt-4\.1-nano|gpt-5-nano/, { factor: 2.46, most: 1536 }],
  [/o4-mini/, { factor: 1.72, most: 1536 }],
  [/gpt-4\.1-mini|gpt-5-mini/, { factor: 1.62, most: 1536 }],
  [/./, { factor: 1.2, most: 2500 }],
]

/** Most tiles after the resize to 768 by 2048 pixels. */
const mostTiles = 8

function openaiImage(size: ImageSize | null, detail: MediaPart['detail'], model: string): number {
  const tiles = tileModels.find(([pattern]) => pattern.test(model))?.[1]
  if (tiles !== undefined && tiles.tile > 0) {
    if (detail === 'low') return tiles.base
    return tiles.base + tiles.tile * (size === null ? mostTiles : tileCount(size))
  }
  const { factor, most } = patchModels.find(([pattern]) => pattern.test(model))?.[1] ?? { factor: 1.2, most: 2500 }
  const limit = detail === 'original' ? 10_000 : most
  return Math.ceil(factor * Math.min(limit, size === null ? limit : patches(size, 32)))
}

/** Fitted into 2048 pixels, then the shorter side brought down to 768, then cut into tiles of 512. */
function tileCount(size: ImageSize): number {
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height))
  const shrink = Math.min(1, 768 / (Math.min(size.width, size.height) * fit))
  const across = Math.ceil((size.width * fit * shrink) / 512)
  const down = Math.ceil((size.height * fit * shrink) / 512)
  return Math.min(mostTiles, Math.max(1, across) * Math.max(1, down))
}

/** Tokens are patches of 28 pixels after a resize to the tier's longest edge, and a few for the block. */
function claudeImage(size: ImageSize | null, longestEdge: number, mostTokens: number, unknown: number): number {
  if (size === null) return unknown
  const fit = Math.min(1, longestEdge / Math.max(size.width, size.height))
  const resized = { width: size.width * fit, height: size.height * fit }
  return Math.min(mostTokens, patches(resized, 28)) + 5
}

/** Up to 2.5 by tiles of 768 pixels; from 3 on by resolution class. */
function geminiImage(size: ImageSize | null, detail: MediaPart['detail'], model: string): number {
  if (!/gemini-(?:1|2)/.test(model)) return detail === 'original' ? 2240 : detail === 'low' ? 280 : 1120
  if (size === null) return 12 * 258
  return size.width <= 384 && size.height <= 384 ? 258 : patches(size, 768) * 258
}

function patches(size: ImageSize, edge: number): number {
  return Math.ceil(size.width / edge) * Math.ceil(size.height / edge)
}
