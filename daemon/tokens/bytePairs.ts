import type { RankTable } from './rankTable.ts'

/**
 * Longest run of bytes that is merged at once. Merging costs the square of a run's length, so an unbroken run (J01: 100,000
 * equal letters, base64, Thai) is cut into pieces of this size. A cut adds at most one token: the count stays an upper bound.
 */
export const maxPieceBytes = 64

const none = 0x7fff_ffff

/** Counts the tokens of one piece of text by byte-pair merging. Holds scratch space, so one instance serves one thread. */
export class BytePairCounter {
  readonly #table: RankTable
  readonly #piece = new Uint8Array(maxPieceBytes)
  /** By the first byte of a part: rank of the part joined with the next one, `none` where that is no token or no part begins. */
  readonly #ranks = new Int32Array(maxPieceBytes)
  readonly #nexts = new Int32Array(maxPieceBytes)
  readonly #previous = new Int32Array(maxPieceBytes)

  /** Work done so far, in steps of about 0.1 microseconds: one a piece, one for four characters, two a byte that was merged. */
  work = 0

  constructor(table: RankTable) {
    this.#table = table
  }

  /** Tokens of `text[start..end)`. Never splits a surrogate pair; a lone surrogate counts as the replacement character. */
  count(text: string, start: number, end: number): number {
    const piece = this.#piece
    let tokens = 0
    let length = 0
    this.work += 1 + ((end - start) >> 2)
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code < 0x80) {
        if (length === maxPieceBytes) {
          tokens += this.#merge(length)
          length = 0
        }
        piece[length++] = code
        continue
      }
      if (length > maxPieceBytes - 4) {
        tokens += this.#merge(length)
        length = 0
      }
      if (code < 0x800) {
        piece[length++] = 0xc0 | (code >> 6)
      } else {
        const point = text.codePointAt(at) ?? 0
        if (point > 0xffff && at + 1 < end) {
          at++
          piece[length++] = 0xf0 | (point >> 18)
          piece[length++] = 0x80 | ((point >> 12) & 0x3f)
          piece[length++] = 0x80 | ((point >> 6) & 0x3f)
          piece[length++] = 0x80 | (point & 0x3f)
          continue
        }
        const unit = (code & 0xf800) === 0xd800 ? 0xfffd : code
        piece[length++] = 0xe0 | (unit >> 12)
        piece[length++] = 0x80 | ((unit >> 6) & 0x3f)
        piece[length++] = 0x80 | (unit & 0x3f)
        continue
      }
      piece[length++] = 0x80 | (code & 0x3f)
    }
    return length === 0 ? tokens : tokens + this.#merge(length)
  }

  /** Tokens of the first `length` bytes of the scratch piece. */
  #merge(length: number): number {
    if (length === 1) return 1
    const piece = this.#piece
    const table = this.#table
    if (table.rankOf(piece, 0, length) >= 0) return 1
    this.work += 2 * length
    const ranks = this.#ranks
    const nexts = this.#nexts
    const previous = this.#previous
    for (let at = 0; at < length; at++) {
      nexts[at] = at + 1
      previous[at] = at - 1
      const rank = table.pairRanks[((piece[at] ?? 0) << 8) | (piece[at + 1] ?? 0)] ?? -1
      ranks[at] = rank < 0 || at === length - 1 ? none : rank
    }
    for (let parts = length; ; parts--) {
      let lowest = none
      let left = 0
      for (let at = 0; at < length; at++) {
        const rank = ranks[at] ?? none
        if (rank < lowest) {
          lowest = rank
          left = at
        }
      }
      if (lowest === none) return parts
      const right = nexts[left] ?? length
      const next = nexts[right] ?? length
      const before = previous[left] ?? -1
      nexts[left] = next
      ranks[right] = none
      if (next < length) previous[next] = left
      ranks[left] = next < length ? this.#rank(left, nexts[next] ?? length) : none
      if (before >= 0) ranks[before] = this.#rank(before, next)
    }
  }

  #rank(start: number, end: number): number {
    const rank = this.#table.rankOf(this.#piece, start, end)
    return rank < 0 ? none : rank
  }
}
