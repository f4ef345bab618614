import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isPendingStop, pendingStopFile } from '../../shared/pendingStop.ts'
import type { KillRequest } from '../../shared/protocol.ts'
import { replacePrivateFile } from '../lifecycle/privateFile.ts'
import { readKill } from './requests.ts'

/** Stops that wait in a data directory for a daemon that takes them up. */
export interface PendingStops {
  /** Those that wait. A file that cannot be read stops everything: a stop that was asked for must not be lost. */
  list(): readonly KillRequest[]
  /** Writes one down, durably. Throws the fault of the file system. */
  keep(stop: KillRequest): void
  /** Takes away what a resume lifts: all for `global`, else that one. How many there were. Throws a StopStays. */
  withdraw(resume: KillRequest): number
  /** Takes one away that is kept elsewhere by now. Throws a StopStays. */
  settle(stop: KillRequest): void
}

/** A stop that waits and cannot be taken away: it would be on again after the next start. */
export class StopStays extends Error {
  override name = 'StopStays'
}

/** The stops that wait in `dataDir`. */
export function pendingStops(dataDir: string): PendingStops {
  const remove = (file: string): void => {
    try {
      rmSync(path.join(dataDir, file), { force: true })
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault)
      throw new StopStays(`The stop that waits in ${path.join(dataDir, file)} cannot be removed: ${reason}`)
    }
  }
  return {
    list: () => filesIn(dataDir).flatMap((file) => readStop(path.join(dataDir, file))),
    keep(stop) {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      replacePrivateFile(path.join(dataDir, fileOf(stop)), `${JSON.stringify(stop)}\n`)
    },
    withdraw(resume) {
      const withdrawn = filesIn(dataDir).filter((file) => resume.scope === 'global' || file === fileOf(resume))
      for (const file of withdrawn) remove(file)
      return withdrawn.length
    },
    settle: (stop) => remove(fileOf(stop)),
  }
}

function filesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir).filter(isPendingStop)
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return []
    throw fault
  }
}

function readStop(file: string): readonly KillRequest[] {
  try {
    const stop = readKill(JSON.parse(readFileSync(file, 'utf8')))
    if (typeof stop !== 'string') return [stop]
  } catch (fault) {
    // A resume took it away just now.
    if (codeOf(fault) === 'ENOENT') return []
  }
  return [{ scope: 'global' }]
}

/** A ref may be any text, so a digest of it tells the files of one scope apart. */
function fileOf({ scope, ref }: KillRequest): string {
  if (ref === undefined || ref === '') return pendingStopFile(scope)
  return pendingStopFile(scope, createHash('sha256').update(ref).digest('hex').slice(0, 16))
}

function codeOf(fault: unknown): unknown {
  return typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : null
}
