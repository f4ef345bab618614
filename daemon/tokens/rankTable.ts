import { mostTokens } from './vocabulary.ts'
import type { Vocabulary } from './vocabulary.ts'

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

  constructor({ bytes, ends }: Vocabulary) {
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

/** Bits of a slot that hold a rank. */
const rankMask = mostTokens

/** FNV-1a with a last mix, because the table takes the low bits. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let at = start; at < end; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193)
  return value ^ (value >>> 15)
}
