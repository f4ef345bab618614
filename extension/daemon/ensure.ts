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

/** The result of looking for a daemon. */
export type Ensured =
  | {
      readonly kind: 'ready'
      readonly record: DiscoveryRecord
      readonly version: string
      readonly replacement: Replacement
    }
  | { readonly kind: 'spawnFailed'; readonly detail: string }
  | { readonly kind: 'exited'; readonly code: number | string; readonly detail: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'incompatible'; readonly version: string }
  | { readonly kind: 'busyOld'; readonly version: string }
  | { readonly kind: 'retireFailed'; readonly version: string }

/** Limits in milliseconds. */
const ensureTimes = { healthMs: 300, startMs: 8000, pollMs: 100 } as const

/** Exit code of a daemon that found the data directory owned by another one. */
const exitOwnedByAnother = 3
/** Exit code of a daemon whose predecessor has calls in flight. */
const exitPredecessorBusy = 4

/** Finds, replaces or starts the daemon of a data directory, and resolves when it answers or the reason is known. */
export async function ensureDaemon(ports: EnsurePorts, mine: Mine, replacements = 0, isQuiet = true): Promise<Ensured> {
  const record = await ports.readRecord()
  const health = record && (await ports.readHealth(record.url, ensureTimes.healthMs))
  const { kind } = decide(record, health, mine, replacements, isQuiet)
  if (record === undefined || health === undefined || kind === 'start') return startAndWait(ports, undefined)
  switch (kind) {
    case 'attach':
      return { kind: 'ready', record, version: health.version, replacement: { kind: 'none' } }
    case 'replace':
      return replace(ports, record, mine)
    case 'wait':
      return { kind: 'busyOld', version: health.version }
    case 'incompatible':
      return { kind: 'incompatible', version: health.version }
  }
}

/** Waits for the daemon that takes the place of the one with that process id; false where none came. */
export async function awaitSuccessor(ports: EnsurePorts, predecessorPid: number): Promise<boolean> {
  const never = new Promise<never>(() => undefined)
  return (await waitForDaemon(ports, predecessorPid, never)).kind === 'ready'
}

/** Lets our daemon take the place of an older one. Where that does not work out, the older one is still there. */
async function replace(ports: EnsurePorts, predecessor: DiscoveryRecord, mine: Mine): Promise<Ensured> {
  const outcome = await startAndWait(ports, predecessor)
  if (outcome.kind === 'ready') {
    return { ...outcome, replacement: { kind: 'done', predecessorPid: predecessor.pid } }
  }
  const health = await ports.readHealth(predecessor.url, ensureTimes.healthMs)
  if (health?.pid !== predecessor.pid) return outcome
  const { version } = health
  const wasBusy = outcome.kind === 'exited' && outcome.code === exitPredecessorBusy
  if (health.protocol < mine.protocol) return { kind: wasBusy ? 'busyOld' : 'retireFailed', version }
  const replacement: Replacement = wasBusy ? { kind: 'busy' } : { kind: 'failed', detail: JSON.stringify(outcome) }
  return { kind: 'ready', record: predecessor, version, replacement }
}

async function startAndWait(ports: EnsurePorts, predecessor: DiscoveryRecord | undefined): Promise<Ensured> {
  try {
    const { exited } = await ports.start(predecessor)
    return await waitForDaemon(ports, predecessor?.pid, exited)
  } catch (error) {
    return { kind: 'spawnFailed', detail: error instanceof Error ? error.message : String(error) }
  }
}

/** Waits until a daemon other than the predecessor answers, whoever started it. */
async function waitForDaemon(
  ports: EnsurePorts,
  predecessorPid: number | undefined,
  exited: Promise<Exit>,
): Promise<Ensured> {
  let exit: Exit | undefined
  void exited.then((value) => {
    exit = value
  })
  const untilMs = ports.nowMs() + ensureTimes.startMs
  while (ports.nowMs() < untilMs) {
    const record = await ports.readRecord()
    const health =
      record && record.pid !== predecessorPid ? await ports.readHealth(record.url, ensureTimes.healthMs) : undefined
    if (record && health?.pid === record.pid) {
      return { kind: 'ready', record, version: health.version, replacement: { kind: 'none' } }
    }
    if (exit !== undefined && exit.code !== exitOwnedByAnother) return { kind: 'exited', ...exit }
    await ports.sleep(ensureTimes.pollMs)
  }
  return { kind: 'timeout' }
}
