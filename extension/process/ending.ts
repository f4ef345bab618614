import { isSameProcess } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'
import { mayEnd } from './protection.ts'
import type { OwnProcesses } from './protection.ts'

/** What ending a process needs from outside. */
export interface EndingPorts {
  read(pid: number): Promise<ProcessIdentity | null>
  own(): Promise<OwnProcesses>
  /** Sends SIGTERM, which ends it at once on Windows. Throws where it may not or the process is gone. */
  terminate(pid: number): void
  sleep(ms: number): Promise<void>
}

/**
 * What came of it. `gone`: it had ended already, or its id belongs to another process by now; `stays`: it was asked to end and
 * did not within five seconds; `denied`: the system does not allow it.
 */
export type Ending = 'ended' | 'stays' | 'gone' | 'protected' | 'denied'

const lookMs = 100
const mostLooks = 50

/** Ends the process that was seen, and no other: it is looked at again right before the signal. */
export async function endProcess(seen: ProcessIdentity, ports: EndingPorts): Promise<Ending> {
  const own = await ports.own()
  const now = await ports.read(seen.pid)
  if (now === null || !isSameProcess(seen, now)) return 'gone'
  if (!mayEnd(now, own)) return 'protected'
  try {
    ports.terminate(seen.pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'denied'
  }
  for (let look = 0; look < mostLooks; look++) {
    await ports.sleep(lookMs)
    const after = await ports.read(seen.pid)
    if (after === null || !isSameProcess(seen, after)) return 'ended'
  }
  return 'stays'
}
