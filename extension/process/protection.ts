import { programName } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

/** The processes that Tollgate must never end, as the extension host sees them. */
export interface OwnProcesses {
  /** The extension host. */
  readonly pid: number
  /** Its parent, the parent's parent and so on, as far as they are known; nearest first. */
  readonly ancestors: readonly number[]
  /** Path of the program that the extension host runs on. */
  readonly program: string
  /** That program belongs to VS Code: it is the editor itself, or the runtime inside a VS Code server. */
  readonly isEditorsProgram: boolean
  /** The daemon, null where none is known. */
  readonly daemonPid: number | null
}

/**
 * Whether a process may be offered for ending: not the system's first ones, not the extension host, what started it or what
 * was started beside it (other windows, terminals' host, watchers), not another process of the editor's own program, not the
 * daemon. A model call that an extension makes comes from the extension host, which would take every extension with it.
 */
export function mayEnd(target: ProcessIdentity, own: OwnProcesses): boolean {
  const { pid, parentPid } = target
  if (!Number.isSafeInteger(pid) || pid <= 1) return false
  if (pid === own.pid || pid === own.daemonPid || own.ancestors.includes(pid)) return false
  if (parentPid !== null && parentPid > 1 && parentPid === own.ancestors[0]) return false
  return !(own.isEditorsProgram && isProgram(target, own.program))
}

/** The processes above one, nearest first. Stops at the system's first process or where nothing more is known. */
export async function ancestorsOf(
  parentPid: number,
  read: (pid: number) => Promise<ProcessIdentity | null>,
): Promise<readonly number[]> {
  const found: number[] = []
  let next: number | null = parentPid
  while (next !== null && next > 1 && !found.includes(next)) {
    found.push(next)
    next = (await read(next))?.parentPid ?? null
  }
  return found
}

function isProgram(target: ProcessIdentity, program: string): boolean {
  return target.program === null
    ? target.name.toLowerCase() === programName(program).toLowerCase()
    : target.program === program
}
