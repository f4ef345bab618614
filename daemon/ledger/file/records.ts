/** A stored value. A whole number that no double holds exactly stays a bigint, so that nobody takes it for a sum. */
export type Value = null | number | bigint | string | Buffer

/** One entry of a page of a tree. */
export interface Cell {
  /** The row's number; null in a tree that is ordered by its columns. */
  readonly rowid: number | bigint | null
  readonly values: readonly Value[]
}

/** A page of a tree. */
export interface TreePage {
  readonly kind: 'leaf' | 'inner'
  /** Whether rows have numbers: a table, and neither an index nor a table without row numbers. */
  readonly hasRowids: boolean
  /** Where each cell begins. */
  readonly cells: readonly number[]
  /** Pages below an inner page, in order. */
  readonly children: readonly number[]
}

/** How records are read that go on on other pages. */
export interface Overflow {
  readonly pageBytes: number
  /** Content of a page; null where it cannot be read. */
  readonly page: (number: number) => Buffer | null
}

const kinds = new Map<number, Pick<TreePage, 'kind' | 'hasRowids'>>([
  [0x0d, { kind: 'leaf', hasRowids: true }],
  [0x05, { kind: 'inner', hasRowids: true }],
  [0x0a, { kind: 'leaf', hasRowids: false }],
  [0x02, { kind: 'inner', hasRowids: false }],
])

/** Bytes of the file's header, which the first page begins with. */
const fileHeaderBytes = 100

/**
 * Takes a page for one of a tree, see https://sqlite.org/fileformat2.html#b_tree_pages. Null where it cannot be one. What
 * its cells hold is not looked at yet.
 */
export function readTreePage(bytes: Buffer, number: number): TreePage | null {
  const start = number === 1 ? fileHeaderBytes : 0
  const kind = kinds.get(bytes.readUInt8(start))
  if (kind === undefined) return null
  const count = bytes.readUInt16BE(start + 3)
  const isInner = kind.kind === 'inner'
  const list = start + (isInner ? 12 : 8)
  if (list + 2 * count > bytes.length) return null
  const cells: number[] = []
  const children: number[] = []
  for (let cell = 0; cell < count; cell += 1) {
    const at = bytes.readUInt16BE(list + 2 * cell)
    if (at < list + 2 * count || at + 4 > bytes.length) return null
    cells.push(at)
    if (isInner) children.push(bytes.readUInt32BE(at))
  }
  if (isInner) children.push(bytes.readUInt32BE(start + 8))
  return { ...kind, cells, children }
}

/** Reads one cell of a page that holds rows. Throws a RangeError for what is no record. */
export function readCell(bytes: Buffer, page: TreePage, at: number, overflow: Overflow): Cell {
  // An inner page without row numbers holds rows as well, behind the number of the page below.
  const size = readVarint(bytes, page.kind === 'inner' ? at + 4 : at)
  let from = size.next
  let rowid: number | bigint | null = null
  if (page.hasRowids) {
    const number = readVarint(bytes, from)
    rowid = inRange(BigInt.asIntN(64, BigInt(number.value)))
    from = number.next
  }
  return { rowid, values: readRecord(readPayload(bytes, from, wholeNumber(size.value), page.hasRowids, overflow)) }
}

/** https://sqlite.org/fileformat2.html#cell_payload_overflow_pages */
function readPayload(bytes: Buffer, from: number, size: number, hasRowids: boolean, overflow: Overflow): Buffer {
  const usable = overflow.pageBytes
  const most = hasRowids ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (size <= most) return slice(bytes, from, size)
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (usable - 4))
  const local = fitting <= most ? fitting : least
  const parts = [slice(bytes, from, local)]
  let left = size - local
  let next = slice(bytes, from + local, 4).readUInt32BE(0)
  while (left > 0) {
    const page = overflow.page(next)
    if (page === null) throw new RangeError('a record goes on on a page that is not there')
    const part = page.subarray(4, 4 + Math.min(left, usable - 4))
    parts.push(part)
    left -= part.length
    next = page.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

/** https://sqlite.org/fileformat2.html#record_format */
function readRecord(payload: Buffer): Value[] {
  const header = readVarint(payload, 0)
  const headerEnd = wholeNumber(header.value)
  if (headerEnd > payload.length) throw new RangeError('a header is longer than its record')
  const values: Value[] = []
  let body = headerEnd
  for (let at = header.next; at < headerEnd;) {
    const type = readVarint(payload, at)
    at = type.next
    const { value, bytes } = readValue(payload, body, wholeNumber(type.value))
    values.push(value)
    body += bytes
  }
  if (body !== payload.length) throw new RangeError('a record is longer than its values')
  return values
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8] as const

function readValue(payload: Buffer, at: number, type: number): { readonly value: Value; readonly bytes: number } {
  const size = integerBytes[type]
  if (type === 0) return { value: null, bytes: 0 }
  if (size === 8) return { value: inRange(slice(payload, at, 8).readBigInt64BE(0)), bytes: 8 }
  if (size !== undefined) return { value: slice(payload, at, size).readIntBE(0, size), bytes: size }
  if (type === 7) return { value: slice(payload, at, 8).readDoubleBE(0), bytes: 8 }
  if (type === 8 || type === 9) return { value: type - 8, bytes: 0 }
  if (type < 12) throw new RangeError(`there is no type ${type}`)
  const bytes = Math.floor((type - 12) / 2)
  const content = slice(payload, at, bytes)
  return { value: type % 2 === 0 ? Buffer.from(content) : content.toString('utf8'), bytes }
}

/** A number of up to nine bytes, seven bits in each but the last. */
function readVarint(bytes: Buffer, at: number): { readonly value: number | bigint; readonly next: number } {
  let value = 0
  for (let index = 0; index < 7; index += 1) {
    const byte = slice(bytes, at + index, 1).readUInt8(0)
    value = value * 128 + (byte & 127)
    if (byte < 128) return { value, next: at + index + 1 }
  }
  let large = BigInt(value)
  const eighth = slice(bytes, at + 7, 1).readUInt8(0)
  large = large * 128n + BigInt(eighth & 127)
  if (eighth < 128) return { value: large, next: at + 8 }
  return { value: large * 256n + BigInt(slice(bytes, at + 8, 1).readUInt8(0)), next: at + 9 }
}

function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at < 0 || length < 0 || at + length > bytes.length) throw new RangeError('a record ends beyond its page')
  return bytes.subarray(at, at + length)
}

function wholeNumber(value: number | bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number > 1_000_000_000) throw new RangeError(`no length: ${value}`)
  return number
}

function inRange(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
