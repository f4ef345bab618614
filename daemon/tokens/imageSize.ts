/** Pixels of an image. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The header is looked for in this many bytes: a JPEG may carry a preview and colour profiles before its size. */
const headerBytes = 65_536

/**
 * Width and height from the header of a PNG, JPEG, GIF or WebP given as base64, with or without a `data:` prefix in any case.
 * Null for anything else, for a damaged header and for an empty image.
 */
export function imageSize(base64: string): ImageSize | null {
  const payload = stripDataUrl(base64.slice(0, Math.ceil((headerBytes * 4) / 3) + 256))
  const bytes = Buffer.from(payload, 'base64')
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

/** Bytes that a base64 text stands for, to within two. */
export function payloadBytes(base64: string): number {
  const comma = /^data:/i.test(base64) ? base64.indexOf(',', 0) + 1 : 0
  return Math.floor(((base64.length - comma) * 3) / 4)
}

function stripDataUrl(text: string): string {
  return /^data:/i.test(text) ? text.slice(text.indexOf(',') + 1) : text
}

function pngSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return null
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** The three kinds of WebP keep their size in three places: lossy, lossless, extended. */
function webpSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'WEBPVP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'WEBPVP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}

/** Walks the segments to the frame header (SOF0 to SOF15 without the three markers among them that mean something else). */
function jpegSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
