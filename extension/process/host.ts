import { relative, isAbsolute } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EndingPorts } from './ending.ts'
import { readProcess } from './identity.ts'
import { ancestorsOf } from './protection.ts'
import type { OwnProcesses } from './protection.ts'

/** The extension host's own processes. `appRoot` is VS Code's folder, `daemonPid` the gate that runs now. */
export async function ownProcesses(appRoot: string, daemonPid: number | null): Promise<OwnProcesses> {
  return {
    pid: process.pid,
    ancestors: await ancestorsOf(process.ppid, readProcess),
    program: process.execPath,
    isEditorsProgram: process.versions['electron'] !== undefined || isInside(process.execPath, appRoot),
    daemonPid,
  }
}

/** How this machine reads and ends processes. */
export function endingPorts(appRoot: string, daemonPid: number | null): EndingPorts {
  return {
    read: readProcess,
    own: () => ownProcesses(appRoot, daemonPid),
    terminate: (pid) => void process.kill(pid, 'SIGTERM'),
    sleep: async (ms) => {
      await pause(ms)
    },
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return folder !== '' && way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
