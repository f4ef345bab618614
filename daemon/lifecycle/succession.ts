import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { InstanceLock } from './instanceLock.ts'

/** The outside world of `succeed`. `Directory` is what owning the data directory gives. */
export interface SuccessionPorts<Directory> {
  /** The record of the instance that owns the data directory; null while there is none. */
  readonly readRecord: () => DiscoveryRecord | null
  /** Takes the one place in line behind it; null where another successor stands there. */
  readonly standInLine: () => InstanceLock | null
  /** Asks it to hand over. Resolves with the status of its answer; null where it gave none. */
  readonly askToHandOver: (record: DiscoveryRecord) => Promise<number | null>
  /** Called when it agreed: it closes its port first, and a client that comes from now on must find somebody. */
  readonly onAgreed: () => void
  /** Takes the data directory; null while another instance has it. */
  readonly take: () => Directory | null
  readonly wait: (ms: number) => Promise<void>
}

/** How an attempt to succeed ended. */
export type Succession<Directory> =
  | { readonly kind: 'taken'; readonly directory: Directory }
  /** The predecessor has calls in flight and goes on. */
  | { readonly kind: 'busy' }
  /** The data directory belongs to an instance that is not to be replaced. */
  | { readonly kind: 'owned' }

/** Pause between two attempts to take the directory, in milliseconds: calls wait meanwhile. */
const pauseMs = 2
/** Time for an idle predecessor to let go, in milliseconds. */
const letGoMs = 5000

/**
 * Takes the place of the instance with that process id, and of no other: what came after it may be newer. Called when
 * everything else is ready, so that the predecessor serves until this one can, and goes on where this one could not start.
 */
export async function succeed<Directory>(
  predecessorPid: number,
  ports: SuccessionPorts<Directory>,
): Promise<Succession<Directory>> {
  const record = ports.readRecord()
  if (record !== null && record.pid !== predecessorPid) return { kind: 'owned' }
  const place = ports.standInLine()
  if (place === null) return { kind: 'owned' }
  try {
    // No answer: the predecessor has just died, or ends for another reason.
    const status = record === null ? null : await ports.askToHandOver(record)
    if (status === 409) return { kind: 'busy' }
    if (status !== null && status >= 400) return { kind: 'owned' }
    ports.onAgreed()
    for (let waitedMs = 0; waitedMs < letGoMs; waitedMs += pauseMs) {
      const directory = ports.take()
      if (directory !== null) return { kind: 'taken', directory }
      const pid = ports.readRecord()?.pid
      if (pid !== undefined && pid !== predecessorPid) return { kind: 'owned' }
      await ports.wait(pauseMs)
    }
    return { kind: 'owned' }
  } finally {
    place.release()
  }
}
