import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'

/** Contents of a configuration file; null where there is none. Throws what the file system says, and for what is no UTF-8. */
export function readConfig(file: string): string | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw fault
  }
  const text = bytes.toString('utf8')
  // Written back, the characters that were not understood would be lost.
  if (!Buffer.from(text).equals(bytes)) throw new Error('it is not UTF-8')
  return text
}

/**
 * Replaces a configuration file in one step: written beside it and renamed, so that a daemon reads the old text or the new
 * one. Its rights stay; a new one is for its owner only. A link stays a link. Throws what the file system says.
 */
export function writeConfig(file: string, text: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  const target = found === undefined ? file : realpathSync(file)
  const mode = found === undefined ? 0o600 : found.mode & 0o777
  const draft = `${target}.${process.pid}.new`
  rmSync(draft, { force: true })
  try {
    const descriptor = openSync(draft, 'wx', mode)
    try {
      // What the process masks out when it makes a file is part of the rights that stay.
      if (process.platform !== 'win32') fchmodSync(descriptor, mode)
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, target)
  } catch (fault) {
    rmSync(draft, { force: true })
    throw fault
  }
}
