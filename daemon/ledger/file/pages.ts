import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readWal, type WalIndex } from './wal.ts'

const headerBytes = 100
const headerText = 'SQLite format 3\u0000'

/** Size of a page where the file's header does not say; what a ledger is made with. */
const usualPageBytes = 2048

/** The header of a database file; null in a file that does not begin with one. */
export interface FileHeader {
  readonly pageBytes: number
  /** `PRAGMA user_version`: how many steps of the schema the file has. */
  readonly schema: number
  /** First page of the list of free pages, 0 where there is none, and how many it lists. */
  readonly firstFreePage: number
  readonly freePages: number
}

/**
 * The pages of a database as its last commit left them, read from the file and its write-ahead log without SQLite: what is
 * damaged elsewhere does not keep a page from being read, and nothing is written. Throws what the file system throws.
 */
export class LedgerPages {
  readonly header: FileHeader | null
  readonly pageBytes: number
  /** Highest number of a page; the first is 1. */
  readonly count: number
  readonly wal: WalIndex | null
  readonly #main: number | null
  readonly #walFile: number | null

  /** A main file that is missing is taken for an empty one where its log is there. */
  constructor(path: string) {
    this.#walFile = openOrNull(`${path}-wal`)
    this.#main = this.#walFile === null ? openSync(path, 'r') : openOrNull(path)
    this.wal = this.#walFile === null ? null : readWal(this.#walFile)
    const first = Buffer.alloc(headerBytes)
    const length = this.#read(first, 1, headerBytes)
    this.header = length < headerBytes ? null : parseHeader(first)
    this.pageBytes = this.header?.pageBytes ?? this.wal?.pageBytes ?? usualPageBytes
    const inFile = this.#main === null ? 0 : Math.ceil(fstatSync(this.#main).size / this.pageBytes)
    this.count = Math.max(inFile, this.wal?.pageCount ?? 0)
  }

  /** Content of a page; null where it is missing or cut short. */
  page(number: number): Buffer | null {
    const bytes = Buffer.alloc(this.pageBytes)
    return this.#read(bytes, number, this.pageBytes) < this.pageBytes ? null : bytes
  }

  /** Reads the beginning of a page: of its newest content. Returns how many bytes there were. */
  #read(into: Buffer, page: number, length: number): number {
    const inWal = this.wal?.offsets.get(page)
    if (inWal !== undefined && this.#walFile !== null) return readSync(this.#walFile, into, 0, length, inWal)
    // Only the first page is read before the size of a page is known.
    const at = page === 1 ? 0 : (page - 1) * this.pageBytes
    return this.#main === null ? 0 : readSync(this.#main, into, 0, length, at)
  }

  close(): void {
    if (this.#main !== null) closeSync(this.#main)
    if (this.#walFile !== null) closeSync(this.#walFile)
  }
}

/** Steps of the schema in a file; null where its header cannot be read. Opens nothing for writing, and not by SQLite. */
export function schemaOfFile(path: string): number | null {
  const pages = new LedgerPages(path)
  try {
    return pages.header?.schema ?? null
  } finally {
    pages.close()
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

/** https://sqlite.org/fileformat2.html#the_database_header */
function parseHeader(bytes: Buffer): FileHeader | null {
  if (bytes.toString('latin1', 0, 16) !== headerText) return null
  const stored = bytes.readUInt16BE(16)
  const pageBytes = stored === 1 ? 65_536 : stored
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) return null
  return {
    pageBytes,
    schema: bytes.readUInt32BE(60),
    firstFreePage: bytes.readUInt32BE(32),
    freePages: bytes.readUInt32BE(36),
  }
}
