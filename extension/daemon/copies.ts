import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Folder in a copy with one empty file for each process that uses it, named by its id: no window overwrites another's note. */
const usersFolder = 'processes'

/** Names of what is being made or removed begin so. */
const draftPrefix = 'draft-'

/** Age after which a half-made copy of a window that died is removed, in milliseconds. */
const staleCopyMs = 3_600_000

/** Files of `dist/` that the daemon does not need. */
const extensionOnly = /^(extension\.js|page)/

/**
 * A copy of the daemon outside the extension's folder, made once per build: VS Code deletes that folder on update while the
 * old daemon may still run from it, and on Windows a loaded `.node` file would block the update. Returns the copy's folder,
 * with `userPid` noted in it from the first moment on, so that no other window removes it before a daemon runs from it.
 */
export async function copyDaemon(
  distDir: string,
  copiesDir: string,
  version: string,
  userPid: number,
): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(join(distDir, 'daemon.js')))
    .digest('hex')
    .slice(0, 12)
  const target = join(copiesDir, `${version}-${hash}`)
  if (await useExisting(target, userPid)) return target

  await mkdir(copiesDir, { recursive: true })
  const draft = await mkdtemp(join(copiesDir, draftPrefix))
  for (const entry of await readdir(distDir, { withFileTypes: true })) {
    if (extensionOnly.test(entry.name) || entry.name === 'prebuilds') continue
    await cp(join(distDir, entry.name), join(draft, entry.name), { recursive: true })
  }
  await mkdir(join(draft, 'prebuilds'))
  for (const name of await readdir(join(distDir, 'prebuilds'))) {
    if (name.startsWith(process.platform)) await cp(join(distDir, 'prebuilds', name), join(draft, 'prebuilds', name))
  }
  await noteUser(draft, userPid)
  try {
    // A rename is atomic, so a folder with the final name is complete.
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await useExisting(target, userPid))) throw error
  }
  return target
}

/** Notes that a process uses a copy, so that no window removes it. Notes of processes that have ended go. */
export async function noteUser(copyDir: string, pid: number): Promise<void> {
  for (const user of await usersOf(copyDir)) if (!isAlive(user)) await forgetUser(copyDir, user)
  // Not recursive: what was removed meanwhile must not come back as half a copy.
  if (!(await exists(join(copyDir, usersFolder)))) await mkdir(join(copyDir, usersFolder)).catch(unlessExists)
  await writeFile(join(copyDir, usersFolder, String(pid)), '')
}

/** Takes the note back. */
export async function forgetUser(copyDir: string, pid: number): Promise<void> {
  await rm(join(copyDir, usersFolder, String(pid)), { force: true })
}

/** Removes the copies that no living process uses; their names. */
export async function pruneCopies(copiesDir: string, nowMs: number): Promise<readonly string[]> {
  const removed: string[] = []
  for (const entry of await readdir(copiesDir, { withFileTypes: true })) {
    const folder = join(copiesDir, entry.name)
    if (!entry.isDirectory()) continue
    try {
      if (entry.name.startsWith(draftPrefix)) {
        if (nowMs - (await stat(folder)).mtimeMs < staleCopyMs) continue
      } else if ((await usersOf(folder)).some(isAlive)) continue
      // A folder with the final name is complete until it is gone.
      const doomed = join(copiesDir, `${draftPrefix}${entry.name}-${nowMs}`)
      await rename(folder, doomed)
      removed.push(entry.name)
      await rm(doomed, { recursive: true, force: true })
    } catch {
      // Windows keeps loaded files, and another window may have removed or renamed it: the next start tries again.
    }
  }
  return removed
}

/** True where there is a process with that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Notes the user of a copy that is there; false where there is none, or none any more. */
async function useExisting(copyDir: string, userPid: number): Promise<boolean> {
  if (!(await exists(join(copyDir, 'daemon.js')))) return false
  try {
    await noteUser(copyDir, userPid)
  } catch {
    return false
  }
  return exists(join(copyDir, 'daemon.js'))
}

async function usersOf(copyDir: string): Promise<readonly number[]> {
  try {
    return (await readdir(join(copyDir, usersFolder))).map(Number).filter((pid) => Number.isInteger(pid) && pid > 0)
  } catch {
    return []
  }
}

function unlessExists(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}
