import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'

/**
 * Replaces a file that only its owner may read. Written beside it and renamed, so that a reader sees the old text or the
 * new one and a crash leaves no half of it.
 */
export function replacePrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text)
  try {
    renameSync(draft, path)
  } catch (fault) {
    rmSync(draft, { force: true })
    throw fault
  }
}

/** Makes a file that only its owner may read, unless it is there. False where it was. */
export function createPrivateFile(path: string, text: string): boolean {
  if (existsSync(path)) return false
  const draft = writeDraft(path, text)
  try {
    return publishOnce(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Gives a finished file its name, unless the name is taken: of two processes that try at once, one succeeds. False where
 * it was taken; the draft may be left then, and is the caller's to remove.
 */
export function publishOnce(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (fault) {
    if (existsSync(path)) return false
    // A file system without hard links: the moment between the check and the rename is all that stays open.
    const code = typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : null
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw fault
    renameSync(draft, path)
    return true
  }
}

/** Takes the rights of everybody but the owner away. */
export function restrictToOwner(path: string): void {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } catch (fault) {
    rmSync(draft, { force: true })
    throw fault
  } finally {
    closeSync(file)
  }
  return draft
}
