import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** File in a copy that lists the processes started from it, one id a line. */
const usersFile = 'processes'

/** Age after which a half-made copy of a window that died is removed, in milliseconds. */
const staleCopyMs = 3_600_000

/** Files of `dist/` that the daemon does not need. */
const extensionOnly = /^(extension\.js|page)/

/**
 * A copy of the daemon outside the extension's folder, made once per build: VS Code deletes that folder on update while the
 * old daemon may still run from it, and on Windows a loaded `.node` file would block the update. Returns the copy's folder.
 */
export async function copyDaemon(distDir: string, copiesDir: string, version: string): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(join(distDir, 'daemon.js')))
    .digest('hex')
    .slice(0, 12)
  const target = join(copiesDir, `${version}-${hash}`)
  if (await exists(join(target, 'daemon.js'))) return target

  await mkdir(copiesDir, { recursive: true })
  const draft = await mkdtemp(join(copiesDir, 'draft-'))
  for (const entry of await readdir(distDir, { withFileTypes: true })) {
    if (extensionOnly.test(entry.name) || entry.name === 'prebuilds') continue
    await cp(join(distDir, entry.name), join(draft, entry.name), { recursive: true })
  }
  await mkdir(join(draft, 'prebuilds'))
  for (const name of await readdir(join(distDir, 'prebuilds'))) {
    if (name.startsWith(process.platform)) await cp(join(distDir, 'prebuilds', name), join(draft, 'prebuilds', name))
  }
  try {
    // A rename is atomic, so a folder with the final name is complete.
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(join(target, 'daemon.js')))) throw error
  }
  return target
}

/** Notes that a process runs from a copy, so that no window removes it. */
export async function noteUser(copyDir: string, pid: number): Promise<void> {
  const users = (await usersOf(copyDir)).filter(isAlive)
  await writeFile(join(copyDir, usersFile), [...users, pid].join('\n') + '\n')
}

/** Removes the copies that no living process was started from. `keep` always stays. */
export async function pruneCopies(copiesDir: string, keep: string, nowMs: number): Promise<readonly string[]> {
  const removed: string[] = []
  for (const entry of await readdir(copiesDir, { withFileTypes: true })) {
    const folder = join(copiesDir, entry.name)
    if (!entry.isDirectory() || folder === keep) continue
    if (entry.name.startsWith('draft-')) {
      if (nowMs - (await stat(folder)).mtimeMs < staleCopyMs) continue
    } else if ((await usersOf(folder)).some(isAlive)) continue
    try {
      await rm(folder, { recursive: true, force: true })
      removed.push(entry.name)
    } catch {
      // Windows keeps loaded files; the next start tries again.
    }
  }
  return removed
}

async function usersOf(copyDir: string): Promise<readonly number[]> {
  try {
    const text = await readFile(join(copyDir, usersFile), 'utf8')
    return text
      .split('\n')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid > 0)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}
