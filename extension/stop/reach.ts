import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { acrossHandOver, isReplaced } from '../daemon/acrossHandOver.ts'
import { callDaemon, DaemonAnswer, readHealth } from '../daemon/api.ts'
import { isAlive } from '../daemon/copies.ts'
import { readRecord } from '../daemon/discovery.ts'

/** Nobody answered. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /** Whether a process is there: it may hang, or be on its way out. */
  readonly isThere: boolean

  constructor(isThere: boolean, reason: string) {
    super(reason)
    this.isThere = isThere
  }
}

/** How long the daemon of the record may take to say that it is the one, in milliseconds. */
const healthMs = 1000

/**
 * Gives an order about all calls to the daemon that is `followed`, else to the one that answers for the data directory. Its
 * health is asked first then, so that the token reaches no other program. A daemon that has taken the place of that one is given
 * the order as well. Throws a NoAnswer, also where a daemon does not know us, or a DaemonAnswer where it says no.
 */
export async function orderAll(
  dataDir: string,
  followed: DiscoveryRecord | undefined,
  path: '/api/kill' | '/api/resume',
): Promise<unknown> {
  const record = followed ?? (await answeringRecord(dataDir))
  try {
    return await acrossHandOver(
      record,
      () => answeringRecord(dataDir),
      (current) => callDaemon(current, 'POST', path, { scope: 'global' }),
    )
  } catch (error) {
    if (error instanceof NoAnswer || (error instanceof DaemonAnswer && !isReplaced(error))) throw error
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    throw new NoAnswer(!isRefused, error instanceof Error ? error.message : String(error))
  }
}

async function answeringRecord(dataDir: string): Promise<DiscoveryRecord> {
  const record = await readRecord(dataDir)
  if (record === undefined) throw new NoAnswer(false, 'there is no record of a daemon')
  const health = await readHealth(record.url, healthMs)
  if (health?.pid === record.pid) return record
  throw new NoAnswer(health === undefined && isAlive(record.pid), `nobody answers at ${record.url}`)
}
