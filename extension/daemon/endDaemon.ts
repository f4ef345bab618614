import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { EnsurePorts } from './ensure.ts'

/** What ending a daemon needs from outside. */
export interface EndPorts extends Pick<EnsurePorts, 'readRecord' | 'readHealth' | 'sleep'> {
  /**
   * `POST /api/shutdown`, for another one that this window starts. False where it goes on: `idle` asks it to end only where it has no
   * call.
   */
  shutdown(record: DiscoveryRecord, when: EndWhen): Promise<boolean>
}

/** When a daemon is to end: only where it has no call, or also where it has some, which get its drain time. */
export type EndWhen = 'idle' | 'now'

/** Pause between looks at a daemon that was told to end, in milliseconds, and how many there are. */
const endLookMs = 100
const mostEndLooks = 100

/**
 * Ends a daemon and waits until it has let go of its data directory, which it does last: a successor that comes sooner finds
 * it owned. What answers at its address by then may be a daemon that another window has started. False where it goes on.
 */
export async function endDaemon(ports: EndPorts, record: DiscoveryRecord, when: EndWhen): Promise<boolean> {
  const isThere = async (timeoutMs: number): Promise<boolean> =>
    (await ports.readHealth(record.url, timeoutMs))?.pid === record.pid
  if (!(await isThere(1000))) return true
  if (!(await ports.shutdown(record, when))) return false
  for (let look = 0; look < mostEndLooks; look++) {
    if ((await ports.readRecord())?.pid !== record.pid && !(await isThere(300))) return true
    await ports.sleep(endLookMs)
  }
  return false
}
