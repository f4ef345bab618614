import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { globalStop, isPendingStop } from '../../shared/pendingStop.ts'

/**
 * Writes down that everything is to be stopped, for the next daemon of this data directory. Durable and atomic, for its owner
 * only. Throws the fault of the file system.
 */
export async function keepStop(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const target = join(dataDir, globalStop.file)
  const draft = `${target}.${randomUUID()}.new`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(globalStop.text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Takes that stop away again. Throws where it would stay. */
export function forgetStop(dataDir: string): Promise<void> {
  return rm(join(dataDir, globalStop.file), { force: true })
}

/** Takes away every stop that waits, as a resume of everything does. Throws where one would stay. */
export async function withdrawStops(dataDir: string): Promise<void> {
  for (const file of await waiting(dataDir)) await rm(join(dataDir, file), { force: true })
}

/** Whether a stop waits for the next daemon. Throws where that cannot be known. */
export async function stopWaits(dataDir: string): Promise<boolean> {
  return (await waiting(dataDir)).length > 0
}

async function waiting(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dataDir)).filter(isPendingStop)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
