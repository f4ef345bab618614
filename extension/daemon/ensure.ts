import { portFaultOf } from '../../shared/portFault.ts'
import type { PortFault } from '../../shared/portFault.ts'
import type { DiscoveryRecord, Health } from '../../shared/protocol.ts'
import { compareVersions } from './versionOrder.ts'

/**
 * Invariant: at most one daemon per data directory, and no window ever ends one that works. The owner is decided by the
 * daemon's own lock, never here: a start that loses the lock ends with code 3 and its window attaches to the winner.
 * Replacement needs a total order. A rule like "not my version, so end it" makes two windows with different versions end
 * each other's daemon for ever.
 */

/** What this extension brings. */
export interface Mine {
  readonly version: string
  readonly protocol: number
}

/** What to do about the daemon that was found. */
export type Decision =
  | { readonly kind: 'start' }
  | { readonly kind: 'attach' }
  /** It is older, idle and quiet: let ours take its place. */
  | { readonly kind: 'replace' }
  /** It is too old to talk to and busy: look again later. */
  | { readonly kind: 'wait' }
  /** It is newer than this extension can follow. */
  | { readonly kind: 'incompatible' }

/** Replacements in one minute after which a window only attaches, so that no defect can make a cycle of them. */
export const maxReplacements = 3

/**
 * Decides from the discovery record and the answer to `GET /healthz`. `replacements` is how many this window tried in the last
 * minute. `isQuiet`: no call has run for a while; a daemon that can be talked to is not replaced in the pause of an agent.
 */
export function decide(
  record: DiscoveryRecord | undefined,
  health: Health | undefined,
  mine: Mine,
  replacements = 0,
  isQuiet = true,
): Decision {
  if (record === undefined || health === undefined) return { kind: 'start' }
  // The port answers, but for another process than the record's: the record is a dead daemon's.
  if (record.pid !== health.pid) return { kind: 'start' }
  const mayReplace = health.inFlight === 0 && replacements < maxReplacements
  if (health.protocol > mine.protocol) return { kind: 'incompatible' }
  if (health.protocol < mine.protocol) return { kind: mayReplace ? 'replace' : 'wait' }
  const older = compareVersions(health.version, mine.version) < 0
  return { kind: older && mayReplace && isQuiet ? 'replace' : 'attach' }
}

/** A daemon process that this window started. */
export interface StartedDaemon {
  readonly pid: number
  /** Resolves with the exit code, or the signal's name, and the last line that it logged. */
  readonly exited: Promise<Exit>
}

interface Exit {
  readonly code: number | string
  readonly detail: string
}

/** The outside world of `ensureDaemon`. */
export interface EnsurePorts {
  readRecord(): Promise<DiscoveryRecord | undefined>
  readHealth(url: string, timeoutMs: number): Promise<Health | undefined>
  /**
   * Starts a daemon. With a predecessor it takes that one's place and port once it is ready itself, or ends with code 4
   * where that one is busy. Throws when the process cannot be launched.
   */
  start(predecessor: DiscoveryRecord | undefined): Promise<StartedDaemon>
  sleep(ms: number): Promise<void>
  nowMs(): number
}

/** What became of the attempt to replace the daemon that was found. */
export type Replacement =
  | { readonly kind: 'none' }
  | { readonly kind: 'done'; readonly predecessorPid: number }
  /** A call came in between: it goes on, and so does its daemon. */
  | { readonly kind: 'busy' }
  /** Ours could not start, so the one that was found goes on. */
  | { readonly kind: 'failed'; readonly detail: string }

/** A daemon that answers. */
interface Found {
  readonly record: DiscoveryRecord
  readonly version: string
  readonly replacement: Replacement
}

/** The result of looking for a daemon. */
export type Ensured =
  | ({ readonly kind: 'ready' } & Found)
  /** It answers, and this extension cannot follow it: its protocol is newer, or older and it stays for now. */
  | ({ readonly kind: 'unfollowed'; readonly isNewer: boolean } & Found)
  | { readonly kind: 'spawnFailed'; readonly detail: string }
  | { readonly kind: 'exited'; readonly code: number | string; readonly detail: string }
  /** It ended because it cannot have its port. */
  | { readonly kind: 'noPort'; readonly fault: PortFault }
  | { readonly kind: 'timeout' }

/** Limits in milliseconds. */
const ensureTimes = { healthMs: 300, startMs: 8000, pollMs: 100 } as const

/** Exit code of a daemon whose configuration, directory or port cannot be used. */
export const exitUnusable = 2
/** Exit code of a daemon that found the data directory owned by another one. */
const exitOwnedByAnother = 3
/** Exit code of a daemon whose predecessor has calls in flight. */
const exitPredecessorBusy = 4

/** Finds, replaces or starts the daemon of a data directory, and resolves when it answers or the reason is known. */
export async function ensureDaemon(ports: EnsurePorts, mine: Mine, replacements = 0, isQuiet = true): Promise<Ensured> {
  const record = await ports.readRecord()
  const health = record && (await ports.readHealth(record.url, ensureTimes.healthMs))
  const { kind } = decide(record, health, mine, replacements, isQuiet)
  if (record === undefined || health === undefined || kind === 'start') return startAndWait(ports, undefined, mine)
  return kind === 'replace' ? replace(ports, record, mine) : found(record, health, mine)
}

/** Waits for the daemon that takes the place of the one with that process id; false where none came within `longestMs`. */
export async function awaitSuccessor(
  ports: EnsurePorts,
  predecessorPid: number,
  longestMs: number = ensureTimes.startMs,
): Promise<boolean> {
  const never = new Promise<never>(() => undefined)
  return 'health' in (await waitForDaemon(ports, predecessorPid, never, longestMs))
}

/** A daemon that answers, which is followed where it speaks as this extension does. */
function found(
  record: DiscoveryRecord,
  { version, protocol }: Health,
  mine: Mine,
  replacement: Replacement = { kind: 'none' },
): Ensured {
  const one: Found = { record, version, replacement }
  return protocol === mine.protocol
    ? { kind: 'ready', ...one }
    : { kind: 'unfollowed', isNewer: protocol > mine.protocol, ...one }
}

/** Lets our daemon take the place of an older one. Where that does not work out, the older one is still there. */
async function replace(ports: EnsurePorts, predecessor: DiscoveryRecord, mine: Mine): Promise<Ensured> {
  const outcome = await startAndWait(ports, predecessor, mine)
  if (outcome.kind === 'ready') {
    return { ...outcome, replacement: { kind: 'done', predecessorPid: predecessor.pid } }
  }
  if (outcome.kind === 'unfollowed') return outcome
  const health = await ports.readHealth(predecessor.url, ensureTimes.healthMs)
  if (health?.pid !== predecessor.pid) return outcome
  const wasBusy = outcome.kind === 'exited' && outcome.code === exitPredecessorBusy
  return found(
    predecessor,
    health,
    mine,
    wasBusy ? { kind: 'busy' } : { kind: 'failed', detail: JSON.stringify(outcome) },
  )
}

async function startAndWait(
  ports: EnsurePorts,
  predecessor: DiscoveryRecord | undefined,
  mine: Mine,
): Promise<Ensured> {
  try {
    const { exited } = await ports.start(predecessor)
    const outcome = await waitForDaemon(ports, predecessor?.pid, exited, ensureTimes.startMs)
    // Another window may have been quicker, with another version.
    return 'health' in outcome ? found(outcome.record, outcome.health, mine) : outcome
  } catch (error) {
    return { kind: 'spawnFailed', detail: error instanceof Error ? error.message : String(error) }
  }
}

/** Waits until a daemon other than the predecessor answers, whoever started it; else why there is none. */
async function waitForDaemon(
  ports: EnsurePorts,
  predecessorPid: number | undefined,
  exited: Promise<Exit>,
  longestMs: number,
): Promise<{ readonly record: DiscoveryRecord; readonly health: Health } | Ensured> {
  let exit: Exit | undefined
  void exited.then((value) => {
    exit = value
  })
  const untilMs = ports.nowMs() + longestMs
  while (ports.nowMs() < untilMs) {
    const record = await ports.readRecord()
    const health =
      record && record.pid !== predecessorPid ? await ports.readHealth(record.url, ensureTimes.healthMs) : undefined
    if (record && health?.pid === record.pid) return { record, health }
    if (exit !== undefined && exit.code !== exitOwnedByAnother) return ended(exit)
    await ports.sleep(ensureTimes.pollMs)
  }
  return { kind: 'timeout' }
}

function ended(exit: Exit): Ensured {
  const fault = exit.code === exitUnusable ? portFaultOf(exit.detail) : null
  return fault === null ? { kind: 'exited', ...exit } : { kind: 'noPort', fault }
}
