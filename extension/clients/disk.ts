import type { Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { obstacleOf, WriteRefused } from './facts.ts'
import type { FileText, Files } from './files.ts'

/** Most bytes of a settings file; what is larger is none. */
const mostBytes = 4 << 20

/** The real file system. */
export const disk: Files = {
  read: readText,
  write: writeText,
  remove: removeFile,
  exists: async (path) => {
    try {
      await stat(path)
      return true
    } catch {
      return false
    }
  },
}

async function readText(path: string): Promise<FileText> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return { kind: 'unreadable', reason: 'it is no file' }
    if (found.size > mostBytes) return { kind: 'unreadable', reason: 'it is too large' }
    const bytes = await readFile(path)
    const text = bytes.toString('utf8')
    // Written back, the characters that were not understood would be lost.
    return Buffer.from(text).equals(bytes) ? { kind: 'text', text } : { kind: 'unreadable', reason: 'it is not UTF-8' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // A link to nothing is no free place: a file written there would take the link away.
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !(await isLink(path))) return { kind: 'absent' }
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

async function writeText(path: string, text: string): Promise<void> {
  let target = path
  let present: Stats | undefined
  try {
    target = await realpath(path)
    present = await stat(target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true })
  }
  const obstacle = present === undefined ? null : obstacleOf(present)
  if (obstacle !== null) throw new WriteRefused(obstacle)
  // A new one holds the gate's key, so it is for its owner only.
  const mode = present === undefined ? 0o600 : present.mode & 0o777
  const draft = `${target}.${process.pid}.new`
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
      await keepOwner(file, present)
    } finally {
      await file.close()
    }
    // What the process masks out when it makes a file is part of the rights that stay.
    if (process.platform !== 'win32') await chmod(draft, mode)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** A file of somebody else's, as where the extension runs as root, stays that person's. */
async function keepOwner(file: FileHandle, present: Stats | undefined): Promise<void> {
  if (present === undefined || process.platform === 'win32') return
  const { uid, gid } = await file.stat()
  if (uid === present.uid && gid === present.gid) return
  try {
    await file.chown(present.uid, present.gid)
  } catch (error) {
    // A group that the user is not in cannot be given, and the file is the user's own all the same.
    if (uid !== present.uid) throw error
  }
}

async function removeFile(path: string, madeFolder: string | null = null): Promise<void> {
  const { mode } = await lstat(path)
  if (obstacleOf({ mode, nlink: 1 }) !== null) throw new WriteRefused('readOnly')
  await rm(path)
  if (madeFolder === null) return
  try {
    // Only what is empty can be removed this way; what somebody else put into it stays.
    for (let folder = dirname(path); folder.length >= madeFolder.length; folder = dirname(folder)) await rmdir(folder)
  } catch {
    // The file is gone, which is what was asked for; an empty folder that stays does no harm.
  }
}
