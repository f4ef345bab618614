import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { isPendingStop, isPendingStopDraft, pendingStopFile } from '../../shared/pendingStop.ts'
import type { KillRequest } from '../../shared/protocol.ts'
import { replacePrivateFile } from '../lifecycle/privateFile.ts'
import { readKill } from './requests.ts'

/** Stops that wait in a data directory for a daemon that takes them up. What counts is what is in a file, not its name. */
export interface PendingStops {
  /**
   * Those that wait, each once. A file that cannot be read stops everything: a stop that was asked for must not be lost. Throws
   * the fault of the file system where it cannot be known which there are.
   */
  list(): readonly KillRequest[]
  /** Writes one down, durably where the platform can. Throws the fault of the file system unless it stands there already. */
  keep(stop: KillRequest): void
  /** Takes away what a resume lifts: all for `global`, else that one. How many files there were. Throws a StopStays. */
  withdraw(resume: KillRequest): number
  /** Takes one away that is kept elsewhere by now, under whatever names. Throws a StopStays. */
  settle(stop: KillRequest): void
}

/** A stop that waits and cannot be taken away: it would be on again after the next start. */
export class StopStays extends Error {
  override name = 'StopStays'
}

/** Largest file that is read, in bytes: a ref is a name. */
const mostBytes = 64 * 1024

/** Age after which a draft is what a process left behind that died while it wrote, in milliseconds. */
const staleDraftMs = 60_000

/** The stops that wait in `dataDir`. */
export function pendingStops(dataDir: string): PendingStops {
  const waiting = (): readonly Waiting[] =>
    filesIn(dataDir, isPendingStop).flatMap((file) =>
      readStop(path.join(dataDir, file)).map((stop) => ({ stop, file })),
    )
  const remove = (file: string): void => {
    try {
      rmSync(path.join(dataDir, file), { force: true })
    } catch (fault) {
      throw new StopStays(`The stop that waits in ${path.join(dataDir, file)} cannot be removed: ${reasonOf(fault)}`)
    }
  }
  const removeAll = (find: () => readonly string[]): number => {
    let files: readonly string[]
    try {
      files = find()
    } catch (fault) {
      throw new StopStays(`Whether a stop waits in ${dataDir} cannot be known: ${reasonOf(fault)}`)
    }
    for (const file of files) remove(file)
    return files.length
  }
  const filesOf = (stop: KillRequest): readonly string[] =>
    waiting()
      .filter((one) => isSame(one.stop, stop))
      .map(({ file }) => file)
  return {
    list() {
      const stops = waiting().map(({ stop }) => stop)
      return stops.filter((stop, at) => stops.findIndex((one) => isSame(one, stop)) === at)
    },
    keep(stop) {
      const file = path.join(dataDir, fileOf(stop))
      try {
        mkdirSync(dataDir, { recursive: true, mode: 0o700 })
        replacePrivateFile(file, `${JSON.stringify(stop)}\n`)
      } catch (fault) {
        // Windows replaces no file that another process has open; a full disk takes no second one.
        if (!says(file, stop)) throw fault
      }
      syncDirectory(dataDir)
    },
    withdraw: (resume) =>
      removeAll(() => (resume.scope === 'global' ? filesIn(dataDir, isPendingStop) : filesOf(resume))),
    settle: (stop) => void removeAll(() => filesOf(stop)),
  }
}

/** Removes what processes left behind that died while they wrote a stop down. What cannot be removed does no harm. */
export function removeStaleDrafts(dataDir: string, nowMs: number): void {
  try {
    for (const file of filesIn(dataDir, isPendingStopDraft)) {
      const draft = path.join(dataDir, file)
      if (nowMs - statSync(draft).mtimeMs > staleDraftMs) rmSync(draft, { force: true })
    }
  } catch {
    // The next start tries again.
  }
}

interface Waiting {
  readonly stop: KillRequest
  readonly file: string
}

function filesIn(dataDir: string, isWanted: (file: string) => boolean): readonly string[] {
  try {
    return readdirSync(dataDir).filter(isWanted)
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return []
    throw fault
  }
}

function readStop(file: string): readonly KillRequest[] {
  try {
    return [stopIn(file) ?? { scope: 'global' }]
  } catch (fault) {
    // A resume took it away just now.
    return codeOf(fault) === 'ENOENT' ? [] : [{ scope: 'global' }]
  }
}

/** The stop that a file says, null where it says none. Throws the fault of the file system or of the JSON in it. */
function stopIn(file: string): KillRequest | null {
  const entry = lstatSync(file)
  // To read a pipe may never end, and what is large or a link to elsewhere was not written by us.
  if (!entry.isFile() || entry.size > mostBytes) return null
  const stop = readKill(JSON.parse(readFileSync(file, 'utf8')))
  return typeof stop === 'string' ? null : stop
}

/** Whether a file says exactly that stop: one that cannot be read does not, although it stops everything. */
function says(file: string, stop: KillRequest): boolean {
  try {
    const there = stopIn(file)
    return there !== null && isSame(there, stop)
  } catch {
    return false
  }
}

/** Without it the name of a new file may be lost with the power. Windows opens no directory; a fault changes nothing for readers. */
function syncDirectory(dataDir: string): void {
  if (process.platform === 'win32') return
  try {
    const directory = openSync(dataDir, 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
  } catch {
    // The stop is there for every reader.
  }
}

function isSame(left: KillRequest, right: KillRequest): boolean {
  return left.scope === right.scope && (left.ref ?? '') === (right.ref ?? '')
}

/** A ref may be any text, so a digest of it tells the files of one scope apart. */
function fileOf({ scope, ref }: KillRequest): string {
  if (ref === undefined || ref === '') return pendingStopFile(scope)
  return pendingStopFile(scope, createHash('sha256').update(ref).digest('hex').slice(0, 16))
}

function reasonOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}

function codeOf(fault: unknown): unknown {
  return typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : null
}
