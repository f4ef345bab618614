import type { Stats } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'

/** Why a file is not written: it is read-only, or it has a second name (a hard link) that a change would cut off. */
export type Obstacle = 'readOnly' | 'hardLink'

/** A file that is left as it is. Its message is for the log and for callers without a sentence of their own. */
export class WriteRefused extends Error {
  readonly obstacle: Obstacle

  constructor(obstacle: Obstacle) {
    super(obstacle === 'readOnly' ? 'it is read-only' : 'it has a second name (a hard link)')
    this.obstacle = obstacle
  }
}

/** What a person should know before something is written into a file. */
export interface FileFacts {
  /** Where it really is, where a symbolic link leads away; null where none does. A link in the way to the home does not count. */
  readonly linkedTo: string | null
  /** The outermost folder that has to be made for it, null where its folder is there. */
  readonly missingFolder: string | null
  /** Other users may read it by its rights; false where the system has none to look at. */
  readonly isReadableByOthers: boolean
  /** The folder of the Git repository that it is in, null outside of one. */
  readonly repository: string | null
  readonly obstacle: Obstacle | null
}

/**
 * Why a file must not be replaced. One step puts another file in its place, which would ignore that it is read-only, and part it
 * from its other names. Written in place, both would change, and one of them may be a backup.
 */
export function obstacleOf({ mode, nlink }: Pick<Stats, 'mode' | 'nlink'>): Obstacle | null {
  return (mode & 0o200) === 0 ? 'readOnly' : nlink > 1 ? 'hardLink' : null
}

/** Looks at a file, which need not be there yet. Throws what the file system says, but for what is missing. */
export async function factsOf(
  path: string,
  {
    home = homedir(),
    platform = process.platform,
  }: { readonly home?: string; readonly platform?: NodeJS.Platform } = {},
): Promise<FileFacts> {
  const present = await found(path, (one) => stat(one))
  const realPath = await realPlace(path)
  const expected = path.startsWith(home + sep) ? join(await realPlace(home), path.slice(home.length)) : path
  const written = (one: string): string => (platform === 'win32' ? one.toLowerCase() : one)
  return {
    linkedTo: written(realPath) === written(expected) ? null : realPath,
    missingFolder: await outermostMissing(dirname(path)),
    isReadableByOthers: present !== undefined && platform !== 'win32' && (present.mode & 0o044) !== 0,
    repository: await repositoryOf(realPath),
    obstacle: present === undefined ? null : obstacleOf(present),
  }
}

async function found<T>(path: string, look: (path: string) => Promise<T>): Promise<T | undefined> {
  try {
    return await look(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await found(path, (one) => lstat(one))) !== undefined
}

async function outermostMissing(folder: string): Promise<string | null> {
  if ((await isThere(folder)) || dirname(folder) === folder) return null
  return (await outermostMissing(dirname(folder))) ?? folder
}

/** The place of a file without symbolic links; of one that is not there, by the folders above it that are. */
async function realPlace(path: string): Promise<string> {
  const real = await found(path, (one) => realpath(one))
  return real ?? (dirname(path) === path ? path : join(await realPlace(dirname(path)), basename(path)))
}

async function repositoryOf(path: string): Promise<string | null> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await isThere(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return null
  }
}
