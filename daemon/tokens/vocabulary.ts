/**
 * A vocabulary as the program ships it: the number of tokens (4 bytes, little-endian), the length of each in one byte, then
 * the bytes of all, in the order of their ranks. Compressed it is half of the text file that it comes from.
 */

/** The tokens of a vocabulary in the order of their ranks. */
export interface Vocabulary {
  /** Bytes of all tokens, one after the other. */
  readonly bytes: Uint8Array
  /** Where each token ends in them. */
  readonly ends: Uint32Array
}

/** Bits that hold a rank in the tables; the vocabularies have 100,000 and 200,000 tokens. */
export const mostTokens = 0x3_ffff

const leastTokens = 256
const headBytes = 4
const longestToken = 255

/**
 * Packs a `.tiktoken` file: one line per token, its bytes in base64, a space and its rank. The ranks must count up from 0.
 * Throws an Error for a file that is anything else, because a damaged vocabulary would count wrong in silence.
 */
export function packVocabulary(file: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(file.length)
  const lengths: number[] = []
  let length = 0
  let at = 0
  while (at < file.length) {
    const start = length
    let bits = 0
    let held = 0
    for (; at < file.length; at++) {
      const value = base64Values[file[at] ?? 0] ?? -1
      if (value < 0) break
      bits = (bits << 6) | value
      held += 6
      if (held >= 8) {
        held -= 8
        bytes[length++] = (bits >> held) & 0xff
      }
    }
    while (file[at] === equalsSign) at++
    if (file[at++] !== space) throw damaged(lengths.length)
    let rank = 0
    for (; at < file.length && file[at] !== newline; at++) rank = rank * 10 + (file[at] ?? 0) - zero
    if (rank !== lengths.length || length === start || length - start > longestToken) throw damaged(lengths.length)
    lengths.push(length - start)
    while (file[at] === newline) at++
  }
  if (lengths.length < leastTokens || lengths.length >= mostTokens) throw damaged(lengths.length)
  const packed = new Uint8Array(headBytes + lengths.length + length)
  new DataView(packed.buffer).setUint32(0, lengths.length, true)
  packed.set(lengths, headBytes)
  packed.set(bytes.subarray(0, length), headBytes + lengths.length)
  return packed
}

/** Reads what `packVocabulary` made. Throws an Error for anything else. */
export function unpackVocabulary(packed: Uint8Array): Vocabulary {
  if (packed.length < headBytes) throw damaged(0)
  const tokens = new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(0, true)
  const first = headBytes + tokens
  if (tokens < leastTokens || tokens >= mostTokens || packed.length < first) throw damaged(0)
  const ends = new Uint32Array(tokens)
  let end = 0
  for (let rank = 0; rank < tokens; rank++) {
    const length = packed[headBytes + rank] ?? 0
    if (length === 0) throw damaged(rank)
    end += length
    ends[rank] = end
  }
  if (packed.length !== first + end) throw damaged(tokens)
  return { bytes: packed.slice(first), ends }
}

const space = 0x20
const newline = 0x0a
const zero = 0x30
const equalsSign = 0x3d

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base64Values = new Int8Array(256).fill(-1)
for (let value = 0; value < base64Alphabet.length; value++) base64Values[base64Alphabet.charCodeAt(value)] = value

function damaged(token: number): Error {
  return new Error(`The vocabulary file is damaged near token ${token}.`)
}
