import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { DiscoveryRecord, Health } from '../../shared/protocol.ts'
import { listen } from '../http/listen.ts'
import type { Bound, Listening } from '../http/listen.ts'
import { loadSecrets, readDiscovery } from '../lifecycle/discovery.ts'
import type { Secrets } from '../lifecycle/discovery.ts'
import { acquireInstanceLock, acquireSuccessorLock } from '../lifecycle/instanceLock.ts'
import type { InstanceLock } from '../lifecycle/instanceLock.ts'
import { nativeBindingPath } from '../lifecycle/nativeBinding.ts'
import { succeed } from '../lifecycle/succession.ts'
import { reasonOf } from './attempt.ts'
import { askDaemon } from './daemonClient.ts'

/** Where an instance wants to be. */
export interface WantedPlace {
  readonly dataDir: string
  /** 0 picks a free one. */
  readonly port: number
  /** Process id of the instance whose place is taken when it is idle; null: an instance that is there stays. */
  readonly replace: number | null
  /** A server for one address; what it is asked before the gate is ready has to wait. */
  readonly createDoor: () => Server
}

/** A data directory and a port that are ours. */
export interface Place {
  readonly lock: InstanceLock
  readonly secrets: Secrets
  readonly listening: Listening
}

/** A place, or why there is none. */
export type TakenPlace =
  | ({ readonly kind: 'taken' } & Place)
  /** The predecessor has calls in flight and goes on. */
  | { readonly kind: 'busy' }
  /** Another instance has the data directory. */
  | { readonly kind: 'owned' }
  /** The predecessor did not let go of it in time. */
  | { readonly kind: 'late' }
  /** `fault` is the system's code of why the port cannot be bound. */
  | { readonly kind: 'noPort'; readonly fault: string }
  | { readonly kind: 'noDirectory'; readonly reason: string }

type Directory = Pick<Place, 'lock' | 'secrets'>

/**
 * Takes the data directory and the port. The port is bound before anything slow is done with the directory, by a successor as
 * soon as its predecessor has closed it: calls that come meanwhile wait for some milliseconds and are not refused.
 */
export async function takePlace(wanted: WantedPlace): Promise<TakenPlace> {
  const { dataDir, port, replace, createDoor } = wanted
  const nowMs = (): number => performance.now()
  const bind = (succeeds: boolean): Promise<Bound> => listen(createDoor, { port, succeeds, wait, nowMs })
  let early: Promise<Bound> | undefined
  let directory: Directory | null
  try {
    directory = takeFreeDirectory(dataDir)
    if (directory === null && replace !== null) {
      const succession = await succeed(replace, {
        readRecord: () => readDiscovery(dataDir),
        standInLine: () => acquireSuccessorLock(dataDir, nativeBindingPath()),
        askToHandOver,
        takePort: () => (early = bind(true)),
        take: () => takeDirectory(dataDir),
        wait,
        nowMs,
      })
      if (succession.kind !== 'taken') return succession
      ;({ directory } = succession)
    }
  } catch (fault) {
    return { kind: 'noDirectory', reason: reasonOf(fault) }
  }
  if (directory === null) return { kind: 'owned' }
  const bound = await (early ?? bind(false))
  if (bound.ok) return { kind: 'taken', ...directory, listening: bound.listening }
  directory.lock.release()
  return { kind: 'noPort', fault: bound.fault }
}

/** The directory and its secrets, ours until the lock is released; null where another instance has it. */
function takeDirectory(dataDir: string): Directory | null {
  const lock = acquireInstanceLock(dataDir, nativeBindingPath())
  return lock === null ? null : { lock, secrets: loadSecrets(dataDir, randomBytes) }
}

/** The same, and null where a successor waits for it: that one has the port already. */
function takeFreeDirectory(dataDir: string): Directory | null {
  const directory = takeDirectory(dataDir)
  if (directory === null) return null
  const line = acquireSuccessorLock(dataDir, nativeBindingPath())
  if (line !== null) {
    line.release()
    return directory
  }
  directory.lock.release()
  return null
}

/**
 * Asks a running instance to hand over; the status of its answer, null where there was none. Its health is asked before, so
 * that the token is not handed to another program that has taken the port since.
 */
async function askToHandOver({ url, token, pid }: DiscoveryRecord): Promise<number | null> {
  try {
    const { body } = await askDaemon({ url }, { method: 'GET', path: '/healthz' })
    if ((JSON.parse(body) as Partial<Health>).pid !== pid) return null
    const answer = await askDaemon({ url }, { method: 'POST', path: '/api/shutdown', token, body: { handOver: true } })
    return answer.status
  } catch {
    return null
  }
}
