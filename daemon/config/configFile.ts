import { readFileSync, stat, statSync } from 'node:fs'
import type { Stats } from 'node:fs'

/** An editor writes a file in several steps; this long after the last of them it is read, in milliseconds. */
const settleMs = 100

/** Time between two looks at the file, in milliseconds. */
const lookEveryMs = 500

/** The file of the configuration. */
export interface ConfigFile {
  readonly path: string
  /** Contents; null where there is none and none has to be there. Throws what the file system threw. */
  read(): string | null
  /**
   * Calls back when the contents are others than those that were read last, also for a change that came before the watch.
   * Does not keep the process alive.
   */
  watch(onChange: () => void): void
}

/** `isRequired`: a file that was asked for by name has to be there, now and later. */
export function configFile(file: string, isRequired: boolean): ConfigFile {
  let seen: string | null = null

  /** What the file says, as one text for comparing: its contents, that there is none, or why it cannot be read. */
  const state = (): { readonly text: string | null; readonly fault: unknown; readonly key: string } => {
    try {
      const text = readFileSync(file, 'utf8')
      return { text, fault: null, key: `text ${text}` }
    } catch (fault) {
      const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown'
      return { text: null, fault: code === 'ENOENT' && !isRequired ? null : fault, key: `fault ${code}` }
    }
  }

  return {
    path: file,
    read() {
      const { text, fault, key } = state()
      seen = key
      if (fault !== null) throw fault as Error
      return text
    },
    watch(onChange) {
      const look = (): void => {
        if (state().key !== seen) onChange()
      }
      // Looked at and not watched: the ledger lies in the same folder, and the folder's watch would wake the daemon at each
      // commit; the file's own watch is lost when an editor writes another file and renames it. The first mark is taken
      // here and not with the first tick, or a change in between would count as known.
      let known = markOf(statSync(file, { throwIfNoEntry: false }))
      let isFresh = false
      const ticker = setInterval(() => {
        stat(file, (_, found) => {
          const mark = markOf(found)
          // Once more after each change: two writes in one tick of the file system's clock have the same mark.
          const isDue = mark !== known || isFresh
          isFresh = mark !== known
          known = mark
          if (isDue) setTimeout(look, settleMs).unref()
        })
      }, lookEveryMs)
      ticker.unref()
      look()
    },
  }
}

/** Tells one version of a file from another without reading it. */
function markOf(found: Stats | undefined): string {
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}
