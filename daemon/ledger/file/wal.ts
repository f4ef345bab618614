import { fstatSync, readSync } from 'node:fs'

/** What of a write-ahead log can be trusted, see https://sqlite.org/fileformat2.html#the_write_ahead_log. */
export interface WalIndex {
  readonly pageBytes: number
  readonly salt1: number
  readonly salt2: number
  /** Frames up to the last commit whose checksums hold. */
  readonly frames: number
  /** Where the newest content of a page begins in the log, by the page's number. */
  readonly offsets: ReadonlyMap<number, number>
  /** Pages of the database after the last commit; null where the log has none. */
  readonly pageCount: number | null
}

const headerBytes = 32
const frameHeaderBytes = 24
/** The last bit says in which order of bytes the checksums were computed. */
const magic = 0x377f0682

/** Reads a log from its start to the first frame that does not hold. Null where not even its header does. */
export function readWal(file: number): WalIndex | null {
  const header = Buffer.alloc(headerBytes)
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return null
  const kind = header.readUInt32BE(0)
  if (kind !== magic && kind !== magic + 1) return null
  const isBigEndian = kind === magic + 1
  const pageBytes = header.readUInt32BE(8)
  if (pageBytes < 512 || pageBytes > 65_536) return null
  const sum = new Checksum(isBigEndian)
  sum.add(header, 0, 24)
  if (!sum.is(header, 24)) return null

  const [salt1, salt2] = [header.readUInt32BE(16), header.readUInt32BE(20)]
  const sizeBytes = fstatSync(file).size
  const frame = Buffer.alloc(frameHeaderBytes + pageBytes)
  const offsets = new Map<number, number>()
  let begun: [page: number, offset: number][] = []
  let [frames, seen] = [0, 0]
  let pageCount: number | null = null
  for (let at = headerBytes; at + frame.length <= sizeBytes; at += frame.length) {
    if (readSync(file, frame, 0, frame.length, at) < frame.length) break
    // Frames of an earlier round of the log follow those of this one, with other salts.
    if (frame.readUInt32BE(8) !== salt1 || frame.readUInt32BE(12) !== salt2) break
    sum.add(frame, 0, 8)
    sum.add(frame, frameHeaderBytes, frame.length)
    if (!sum.is(frame, 16)) break
    seen += 1
    begun.push([frame.readUInt32BE(0), at + frameHeaderBytes])
    const pagesAfterCommit = frame.readUInt32BE(4)
    if (pagesAfterCommit === 0) continue
    for (const [page, offset] of begun) offsets.set(page, offset)
    begun = []
    frames = seen
    pageCount = pagesAfterCommit
  }
  return { pageBytes, salt1, salt2, frames, offsets, pageCount }
}

/** The running checksum of the format: two sums over words of 32 bits. */
class Checksum {
  readonly #isBigEndian: boolean
  #first = 0
  #second = 0

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer, from: number, until: number): void {
    const word = (at: number): number => (this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
    for (let at = from; at < until; at += 8) {
      this.#first = (this.#first + word(at) + this.#second) >>> 0
      this.#second = (this.#second + word(at + 4) + this.#first) >>> 0
    }
  }

  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second
  }
}
