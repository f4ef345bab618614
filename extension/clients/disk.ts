import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileText, Files } from './files.ts'

/** Most bytes of a settings file; what is larger is none. */
const mostBytes = 4 << 20

/** The real file system. */
export const disk: Files = {
  read: readText,
  write: writeText,
  remove: (path) => rm(path),
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
  // A new one holds the gate's key, so it is for its owner only.
  let mode = 0o600
  try {
    target = await realpath(path)
    mode = (await stat(target)).mode & 0o777
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true })
  }
  const draft = `${target}.${process.pid}.new`
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
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
