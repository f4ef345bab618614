import { readdirSync, readFileSync } from 'node:fs'

/**
 * Whether a process group has a process that still runs. The system counts one that has ended until its parent has taken
 * notice, and an orphan's parent is process 1, which in many containers never does: on Linux those are told apart.
 */
export function groupLives(group: number, platform: NodeJS.Platform, proc = '/proc'): boolean {
  try {
    process.kill(-group, 0)
  } catch (error) {
    // EPERM: what is left belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  if (platform !== 'linux') return true
  try {
    const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name))
    return pids.some((pid) => isLivingMember(statOf(`${proc}/${pid}/stat`), group))
  } catch {
    return true
  }
}

/** Sends a signal to every process of a group; one that has ended needs none. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // It has ended, or belongs to another user.
  }
}

/** Reads a line of `/proc/<pid>/stat`: `pid (name) state ppid pgrp …`, where the name may hold spaces and brackets (proc(5)). */
export function isLivingMember(stat: string, group: number): boolean {
  const [state = '', , memberOf = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(memberOf) === group && !/^[ZX]/.test(state)
}

function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
