import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A data directory, or the place in line for it, that is ours until it is released or the process ends. */
export interface InstanceLock {
  release(): void
}

/**
 * Takes the data directory for this process; null where another process has it. Makes the directory for its owner only.
 *
 * The lock is an open exclusive transaction on a file of its own, that is a lock which the operating system drops when the
 * process ends, however it ends: a pid file would outlive a crash and name a stranger later. Nothing else may open that
 * file in this process, because closing any descriptor of it would drop the lock.
 *
 * Throws what the file system threw where the directory cannot be written.
 */
export function acquireInstanceLock(dataDir: string, nativeBinding?: string): InstanceLock | null {
  return acquire(dataDir, 'daemon.lock.db', nativeBinding)
}

/**
 * Takes the one place in line for a data directory that another process has; null where somebody stands there. It holds the
 * port while the directory changes hands, so there can be one only. Otherwise as `acquireInstanceLock`.
 */
export function acquireSuccessorLock(dataDir: string, nativeBinding?: string): InstanceLock | null {
  return acquire(dataDir, 'successor.lock.db', nativeBinding)
}

function acquire(dataDir: string, name: string, nativeBinding?: string): InstanceLock | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database = new Database(join(dataDir, name), {
    timeout: 0,
    ...(nativeBinding === undefined ? {} : { nativeBinding }),
  })
  try {
    // Nothing is ever written, and a journal on disk would keep the gate from saying that the disk is full.
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (fault) {
    database.close()
    if (fault instanceof Error && 'code' in fault && fault.code === 'SQLITE_BUSY') return null
    throw fault
  }
  return { release: () => database.close() }
}
