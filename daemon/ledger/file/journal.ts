import { closeSync, openSync, readSync } from 'node:fs'
import { readWal, type WalIndex } from './wal.ts'

/** Pages of the journal that were committed, and those of them that are still there. */
export interface JournalLoss {
  readonly committedFrames: number
  readonly foundFrames: number
}

/** Looks that are taken where another process may be changing the files between two reads. */
const mostLooks = 3

const indexBytes = 100
/** Version of the index's format; another one is not understood. */
const indexVersion = 3_007_000

/**
 * Whether commits are missing from the end of a ledger's journal.
 *
 * The last calls of a daemon that died lie in `ledger.db-wal` only. SQLite takes a journal that was cut, emptied or
 * overwritten for one that ends there: the file opens without a complaint, with less spent than was spent (M08). What
 * gives it away is the index of the journal, `ledger.db-shm`, which a process that died leaves behind as well.
 *
 * An index older than the journal proves nothing: the system may have lost its last state with the power. Has to be asked
 * before SQLite opens the file, because that makes the index anew. Null where nothing is known to be missing.
 */
export function journalLoss(path: string): JournalLoss | null {
  for (let look = 1; ; look += 1) {
    const index = readIndex(`${path}-shm`)
    if (index === null) return null
    const loss = lossOf(index, readJournal(`${path}-wal`))
    if (loss === null) return null
    const isUnchanged = readIndex(`${path}-shm`)?.bytes.equals(index.bytes) === true
    if (isUnchanged || look === mostLooks) return isUnchanged ? loss : null
  }
}

interface JournalIndex {
  readonly committedFrames: number
  /** Frames that are in the main file as well. */
  readonly copiedFrames: number
  readonly salt1: number
  readonly salt2: number
  readonly bytes: Buffer
}

function lossOf(index: JournalIndex, journal: WalIndex | null): JournalLoss | null {
  const { committedFrames, copiedFrames, salt1, salt2 } = index
  if (committedFrames <= copiedFrames) return null
  if (journal === null) return { committedFrames, foundFrames: 0 }
  if (journal.salt1 !== salt1 || journal.salt2 !== salt2) {
    // The first salt counts the rounds of the journal: a later round than the index knows is no loss.
    const isLater = ((journal.salt1 - salt1) | 0) > 0
    return isLater ? null : { committedFrames, foundFrames: 0 }
  }
  return journal.frames < committedFrames ? { committedFrames, foundFrames: journal.frames } : null
}

/** https://sqlite.org/walformat.html#the_wal_index_file_format; numbers in the machine's order, salts as in the journal. */
function readIndex(path: string): JournalIndex | null {
  const bytes = Buffer.alloc(indexBytes)
  try {
    const file = openSync(path, 'r')
    try {
      if (readSync(file, bytes, 0, indexBytes, 0) < indexBytes) return null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
  const isLittle = bytes.readUInt32LE(0) === indexVersion
  if (!isLittle && bytes.readUInt32BE(0) !== indexVersion) return null
  // Two copies that differ: the process died while it wrote them.
  if (bytes[12] !== 1 || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return null
  const number = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  return {
    committedFrames: number(16),
    copiedFrames: number(96),
    salt1: bytes.readUInt32BE(32),
    salt2: bytes.readUInt32BE(36),
    bytes,
  }
}

function readJournal(path: string): WalIndex | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return readWal(file)
  } finally {
    closeSync(file)
  }
}
