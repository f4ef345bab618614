/**
 * A vocabulary in flat typed arrays.
 *
 * The encodings that `gpt-tokenizer` builds from its rank modules keep 200,000 strings in a Map: 75 MB and a quarter of a
 * second for one encoding. The same package ships the vocabulary as a plain file, and a hash table over its bytes needs
 * about 6 MB and a tenth of the time. No piece of a user's text is ever kept.
 */
export class RankTable {
  /** Rank of each pair of bytes, -1 where the pair is no token: the first step of every merge. */
  readonly pairRanks = new Int32Array(0x1_0000).fill(-1)
  readonly #bytes: Uint8Array
  readonly #ends: Uint32Array
  /** By hash: rank + 1 in the low bits and the hash's own high bits above, 0 where empty. Open addressing, at most half full. */
  readonly #slots: Int32Array

  private constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.#bytes = bytes
    this.#ends = ends
    let capacity = 1024
    while (capacity < ends.length * 2) capacity *= 2
    this.#slots = new Int32Array(capacity)
    let start = 0
    for (let rank = 0; rank < ends.length; rank++) {
      const end = ends[rank] ?? start
      const code = hash(bytes, start, end)
      let slot = code & (capacity - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (capacity - 1)
      this.#slots[slot] = (code & ~rankMask) | (rank + 1)
      if (end - start === 2) this.pairRanks[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] = rank
      start = end
    }
  }

  /**
   * Reads a `.tiktoken` file: one line per token, its bytes in base64, a space and its rank. The ranks must count up from 0.
   * Throws an Error for a file that is anything else, because a damaged vocabulary would count wrong in silence.
   */
  static parse(file: Uint8Array): RankTable {
    const bytes = new Uint8Array(file.length)
    const ends = new Uint32Array(file.length >> 2)
    let length = 0
    let tokens = 0
    let at = 0
    while (at < file.length) {
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
      if (file[at++] !== space) throw damaged(tokens)
      let rank = 0
      for (; at < file.length && file[at] !== newline; at++) rank = rank * 10 + (file[at] ?? 0) - zero
      if (rank !== tokens || length === (ends[tokens - 1] ?? 0)) throw damaged(tokens)
      ends[tokens++] = length
      while (file[at] === newline) at++
    }
    if (tokens < 256 || tokens >= rankMask) throw damaged(tokens)
    return new RankTable(bytes.slice(0, length), ends.slice(0, tokens))
  }

  /** Rank of the token made of `source[start..end)`, or -1. */
  rankOf(source: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1
    const code = hash(source, start, end)
    for (let slot = code & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0
      if (entry === 0) return -1
      if (((entry ^ code) & ~rankMask) !== 0) continue
      const rank = (entry & rankMask) - 1
      if (this.#isToken(rank, source, start, end)) return rank
    }
  }

  #isToken(rank: number, source: Uint8Array, start: number, end: number): boolean {
    const from = rank === 0 ? 0 : (this.#ends[rank - 1] ?? 0)
    if ((this.#ends[rank] ?? 0) - from !== end - start) return false
    for (let at = start; at < end; at++) if (this.#bytes[from + at - start] !== source[at]) return false
    return true
  }
}

/** Bits of a slot that hold a rank; the vocabularies have 100,000 and 200,000 tokens. */
const rankMask = 0x3_ffff

const space = 0x20
const newline = 0x0a
const zero = 0x30
const equalsSign = 0x3d

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base64Values = new Int8Array(256).fill(-1)
for (let value = 0; value < base64Alphabet.length; value++) base64Values[base64Alphabet.charCodeAt(value)] = value

function damaged(line: number): Error {
  return new Error(`The vocabulary file is damaged near token ${line}.`)
}

/** FNV-1a with a last mix, because the table takes the low bits. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let at = start; at < end; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193)
  return value ^ (value >>> 15)
}
