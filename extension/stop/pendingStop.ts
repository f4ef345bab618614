import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { globalStop, isPendingStop } from '../../shared/pendingStop.ts'

/**
 * Writes down that everything is to be stopped, for the next daemon of this data directory. Atomic, durable where the platform
 * can, for its owner only. `move` gives the finished file its name. Throws the fault of the file system, unless it stands there.
 */
export async function keepStop(dataDir: string, move: typeof rename = rename): Promise<void> {
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
    await move(draft, target)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    // Windows replaces no file that another process has open; a full disk takes no second one.
    if (!(await stands(target))) throw error
  }
  await syncDirectory(dataDir)
}

/** Whether the stop of everything is written there already. */
async function stands(file: string): Promise<boolean> {
  try {
    const entry = await lstat(file)
    if (!entry.isFile() || entry.size !== globalStop.text.length) return false
    return (await readFile(file, 'utf8')) === globalStop.text
  } catch {
    return false
  }
}

/** Without it the name of a new file may be lost with the power. Windows opens no directory; a fault changes nothing for readers. */
async function syncDirectory(dataDir: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(dataDir, 'r').catch(() => undefined)
  await directory?.sync().catch(() => undefined)
  await directory?.close().catch(() => undefined)
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

/** Where all calls are stopped or are to be, they are in another data directory too. Throws where that cannot be known or written. */
export async function carryStop(fromDir: string, toDir: string, isStopped: boolean): Promise<void> {
  if (isStopped || (await stopWaits(fromDir))) await keepStop(toDir)
}

async function waiting(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dataDir)).filter(isPendingStop)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
