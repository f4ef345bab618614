/**
 * A running digest of 64 bits over short strings, for which a cryptographic hash costs ten times more in its call than in its
 * work. It joins what is salted and hashed already, tells apart what differs by chance, and resists nobody who wants a
 * collision: a client could only take its own conversations for each other. Two lanes of multiplicative hashing, each string
 * finished off with the multipliers of MurmurHash3.
 */
export class RunningDigest {
  #high: number
  #low: number

  /** Digests of one seed can be compared with each other. */
  constructor(seed: string) {
    this.#high = 0x9e3779b9
    this.#low = 0x85ebca6b
    this.add(seed)
  }

  /** Takes in the next string; where one ends and the next begins makes a difference. */
  add(text: string): void {
    let high = this.#high ^ text.length
    let low = this.#low
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      high = Math.imul(high ^ unit, 2654435761)
      low = Math.imul(low ^ unit, 1597334677)
    }
    this.#high = mixed(high, low)
    this.#low = mixed(low, high)
  }

  /** The digest of all strings so far: 11 printable characters of six bits each, made without the cost of a radix. */
  toString(): string {
    const high = this.#high
    const low = this.#low
    return String.fromCharCode(
      printable(high >>> 26),
      printable(high >>> 20),
      printable(high >>> 14),
      printable(high >>> 8),
      printable(high >>> 2),
      printable((high << 4) | (low >>> 28)),
      printable(low >>> 22),
      printable(low >>> 16),
      printable(low >>> 10),
      printable(low >>> 4),
      printable(low),
    )
  }
}

/** A character from `0` to `o` for the lowest six bits. */
function printable(bits: number): number {
  return 0x30 + (bits & 0x3f)
}

function mixed(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
}
