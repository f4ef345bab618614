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
  /**
   * Takes its port when it agreed: it closes that first, and a client that comes then must find somebody. Resolves when the port is
   * taken or cannot be.
   */
  readonly takePort: () => Promise<unknown>
  /** Takes the data directory; null while another instance has it. */
  readonly take: () => Directory | null
  readonly wait: (ms: number) => Promise<void>
  /** A clock that nobody sets. */
  readonly nowMs: () => number
}

/** How an attempt to succeed ended. */
export type Succession<Directory> =
  | { readonly kind: 'taken'; readonly directory: Directory }
  /** The predecessor has calls in flight and goes on. */
  | { readonly kind: 'busy' }
  /** The data directory belongs to an instance that is not to be replaced. */
  | { readonly kind: 'owned' }
  /** The predecessor, which was asked or was about to end, did not let go in time. */
  | { readonly kind: 'late' }

/** Pause between two attempts to take the directory, in milliseconds: calls wait meanwhile. */
const pauseMs = 2
/** Time for a predecessor to let go, in milliseconds: clients wait no longer than that for an answer of either. */
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
    // No answer: the predecessor has just died, or ends for another reason and lets its calls finish.
    const status = record === null ? null : await ports.askToHandOver(record)
    if (status === 409) return { kind: 'busy' }
    if (status !== null && status >= 400) return { kind: 'owned' }
    if (status !== null) await ports.takePort()
    for (const untilMs = ports.nowMs() + letGoMs; ports.nowMs() < untilMs; await ports.wait(pauseMs)) {
      const directory = ports.take()
      if (directory !== null) return { kind: 'taken', directory }
      const pid = ports.readRecord()?.pid
      if (pid !== undefined && pid !== predecessorPid) return { kind: 'owned' }
    }
    return { kind: 'late' }
  } finally {
    place.release()
  }
}
