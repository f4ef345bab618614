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
  /** It is older and idle: end it, then start ours. */
  | { readonly kind: 'retire' }
  /** It is too old to talk to and busy: look again later. */
  | { readonly kind: 'wait' }
  /** It is newer than this extension can follow. */
  | { readonly kind: 'incompatible' }

/** Replacements in one minute after which a window only attaches, so that no defect can make a cycle of them. */
export const maxRetirements = 3

/** Decides from the discovery record and the answer to `GET /healthz`. `retirements` is how many this window did in the last minute. */
export function decide(
  record: DiscoveryRecord | undefined,
  health: Health | undefined,
  mine: Mine,
  retirements = 0,
): Decision {
  if (record === undefined || health === undefined) return { kind: 'start' }
  // The port answers, but for another process than the record's: the record is a dead daemon's.
  if (record.pid !== health.pid) return { kind: 'start' }
  const mayRetire = health.inFlight === 0 && retirements < maxRetirements
  if (health.protocol > mine.protocol) return { kind: 'incompatible' }
  if (health.protocol < mine.protocol) return { kind: mayRetire ? 'retire' : 'wait' }
  const older = compareVersions(health.version, mine.version) < 0
  return { kind: older && mayRetire ? 'retire' : 'attach' }
}

/** A daemon process that this window started. */
export interface StartedDaemon {
  readonly pid: number
  /** Resolves with the exit code, or the signal's name, and the last line that it logged. */
  readonly exited: Promise<{ readonly code: number | string; readonly detail: string }>
}

/** The outside world of `ensureDaemon`. */
export interface EnsurePorts {
  readRecord(): Promise<DiscoveryRecord | undefined>
  readHealth(url: string, timeoutMs: number): Promise<Health | undefined>
  /** `POST /api/shutdown`. */
  shutdown(record: DiscoveryRecord): Promise<void>
  /** Throws when the process cannot be launched. */
  start(): Promise<StartedDaemon>
  sleep(ms: number): Promise<void>
  nowMs(): number
}

/** The result of looking for a daemon. */
export type Ensured =
  | { readonly kind: 'ready'; readonly record: DiscoveryRecord; readonly version: string; readonly retired: boolean }
  | { readonly kind: 'spawnFailed'; readonly detail: string }
  | { readonly kind: 'exited'; readonly code: number | string; readonly detail: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'incompatible'; readonly version: string }
  | { readonly kind: 'busyOld'; readonly version: string }
  | { readonly kind: 'retireFailed'; readonly version: string }

/** Limits in milliseconds. */
export const ensureTimes = { healthMs: 300, startMs: 8000, retireMs: 8000, pollMs: 100 } as const

/** Exit code of a daemon that found the data directory owned by another one. */
const exitOwnedByAnother = 3

/** Finds, replaces or starts the daemon of a data directory, and resolves when it answers or the reason is known. */
export async function ensureDaemon(ports: EnsurePorts, mine: Mine, retirements = 0): Promise<Ensured> {
  const record = await ports.readRecord()
  const health = record && (await ports.readHealth(record.url, ensureTimes.healthMs))
  const decision = decide(record, health, mine, retirements)
  switch (decision.kind) {
    case 'start':
      return startAndWait(ports, false)
    case 'attach':
      return record && health
        ? { kind: 'ready', record, version: health.version, retired: false }
        : startAndWait(ports, false)
    case 'retire': {
      const version = health?.version ?? ''
      if (record && !(await retire(ports, record))) return { kind: 'retireFailed', version }
      return startAndWait(ports, true)
    }
    case 'wait':
      return { kind: 'busyOld', version: health?.version ?? '' }
    case 'incompatible':
      return { kind: 'incompatible', version: health?.version ?? '' }
  }
}

/** Asks a daemon to end and waits until it is really gone: a successor that starts too early would lose the lock. */
async function retire(ports: EnsurePorts, record: DiscoveryRecord): Promise<boolean> {
  await ports.shutdown(record)
  const untilMs = ports.nowMs() + ensureTimes.retireMs
  while (ports.nowMs() < untilMs) {
    const health = await ports.readHealth(record.url, ensureTimes.healthMs)
    if (health?.pid !== record.pid) return true
    await ports.sleep(ensureTimes.pollMs)
  }
  return false
}

async function startAndWait(ports: EnsurePorts, retired: boolean): Promise<Ensured> {
  let started: StartedDaemon
  try {
    started = await ports.start()
  } catch (error) {
    return { kind: 'spawnFailed', detail: error instanceof Error ? error.message : String(error) }
  }
  let exit: { readonly code: number | string; readonly detail: string } | undefined
  void started.exited.then((value) => {
    exit = value
  })
  const untilMs = ports.nowMs() + ensureTimes.startMs
  while (ports.nowMs() < untilMs) {
    const record = await ports.readRecord()
    const health = record && (await ports.readHealth(record.url, ensureTimes.healthMs))
    if (record && health?.pid === record.pid) return { kind: 'ready', record, version: health.version, retired }
    if (exit !== undefined && exit.code !== exitOwnedByAnother) return { kind: 'exited', ...exit }
    await ports.sleep(ensureTimes.pollMs)
  }
  return { kind: 'timeout' }
}
