import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'
import type { Refusal } from '../call.ts'
import { TimeLimits } from './timeLimits.ts'

/** Limits of one request body. */
export interface BodyLimits {
  readonly maxBytes: number | null
  /** Longest silence while the body arrives, in milliseconds. */
  readonly idleMs: number | null
  /** Longest time for the whole body, in milliseconds. */
  readonly totalMs: number | null
}

/** The body, or why there is none. */
export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The client went away while sending. */
  | { readonly kind: 'gone' }

/** A body that is too large, in the words of the refusal. */
export function bodyTooLarge(maxBytes: number): Refusal {
  return {
    code: 'body_too_large',
    message: `The request body is larger than the ${maxBytes.toLocaleString('en')} bytes that the plan allows. Nothing was sent. Raise plans.<plan>.maxBodyBytes to allow it.`,
    limit: maxBytes,
  }
}

/**
 * Reads a body while it counts: the limit is decided as soon as it is passed, and what comes after it is not kept (G11).
 * A body that stops arriving is refused with `slow_body`.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyResult> {
  const { maxBytes } = limits
  const declared = Number(request.headers['content-length'] ?? 0)
  if (maxBytes !== null && declared > maxBytes) {
    return Promise.resolve({ kind: 'refused', refusal: bodyTooLarge(maxBytes) })
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const time = new TimeLimits(limits.totalMs, tooSlow)
    time.waitFor(limits.idleMs)

    function finish(result: BodyResult): void {
      time.end()
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      resolve(result)
    }
    function tooSlow(): void {
      request.pause()
      const message =
        'The request body did not arrive in time. Nothing was sent to the provider. Check the connection and send it again.'
      finish({ kind: 'refused', refusal: { code: 'slow_body', message } })
    }
    function onData(chunk: Buffer): void {
      bytes += chunk.length
      if (maxBytes !== null && bytes > maxBytes) {
        request.pause()
        finish({ kind: 'refused', refusal: bodyTooLarge(maxBytes) })
        return
      }
      chunks.push(chunk)
      time.renew()
    }
    function onEnd(): void {
      const [only] = chunks
      finish({ kind: 'body', bytes: chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes) })
    }
    function onClose(): void {
      finish({ kind: 'gone' })
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

type Decoder = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (fault: Error | null, plain: Buffer) => void,
) => void

/** A map, because names come from clients and an object also has the names of its prototype. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', zlib.gunzip],
  ['x-gzip', zlib.gunzip],
  ['deflate', zlib.inflate],
  ['br', zlib.brotliDecompress],
  // Node has it from 22.15 on.
  ...('zstdDecompress' in zlib ? ([['zstd', zlib.zstdDecompress]] as const) : []),
])

/** Layers of content-encoding that are undone; more has no use but to hide a bomb. */
const mostLayers = 2

/** Bytes that a body may unfold to where the plan sets no limit of its own. */
const mostDecodedBytes = 256 * 1024 * 1024

/** Undoes `content-encoding` within the limit of the plan: unknown 415, corrupt 400, a bomb 413 (G03). */
export async function decodeBody(
  bytes: Buffer,
  encodings: string | undefined,
  maxBytes: number | null,
): Promise<BodyResult> {
  const layers = (encodings ?? '')
    .split(',')
    .map((layer) => layer.trim().toLowerCase())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length === 0) return { kind: 'body', bytes }
  const unknown = layers.find((layer) => !decoders.has(layer))
  if (unknown !== undefined || layers.length > mostLayers) {
    const what =
      unknown === undefined ? `${layers.length} layers of content-encoding` : `content-encoding ${printable(unknown)}`
    const message = `The request uses ${what}, which the gate cannot decode. Send the body plain or as gzip, deflate, br or zstd.`
    return { kind: 'refused', refusal: { code: 'unsupported_encoding', message } }
  }
  const limit = maxBytes ?? mostDecodedBytes
  let plain = bytes
  for (const layer of layers.reverse()) {
    const decoder = decoders.get(layer)
    if (decoder === undefined) continue
    const decoded = await decode(decoder, plain, limit)
    if (decoded === 'too-large') return { kind: 'refused', refusal: bodyTooLarge(limit) }
    if (decoded === 'corrupt') {
      const message = `The request body is not valid ${layer}. Nothing was sent to the provider.`
      return { kind: 'refused', refusal: { code: 'invalid_request', message } }
    }
    plain = decoded
  }
  return { kind: 'body', bytes: plain }
}

function decode(decoder: Decoder, bytes: Buffer, maxOutputLength: number): Promise<Buffer | 'too-large' | 'corrupt'> {
  return new Promise((resolve) => {
    decoder(bytes, { maxOutputLength }, (fault, plain) => {
      if (fault === null) resolve(plain)
      else resolve((fault as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'corrupt')
    })
  })
}

/** A client's word inside a message: short, and without control characters. */
function printable(word: string): string {
  return word.replace(/[^\x20-\x7e]/g, '?').slice(0, 40)
}
