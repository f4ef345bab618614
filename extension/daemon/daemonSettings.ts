import type { DiscoveryRecord } from '../../shared/protocol.ts'

/** Where and with what the daemon runs, as settings say. */
export interface DaemonSettings {
  readonly port: number
  /** Absolute. */
  readonly dataDir: string
  /** Runtime, or empty for VS Code's own. */
  readonly nodePath: string
}

/** What becomes of the daemon that is followed: it stays, it is let go of and runs on, or it ends and another one takes over. */
export type Fate = 'stays' | 'left' | 'ends'

/**
 * What settings that changed mean for the daemon of a record in the data directory of before. Every window hears of the change by
 * itself, some of them after another one has brought the next daemon, so the record decides: one on another port than before is
 * either that next one or was started by hand, and no window ends it. The runtime stands in no record, so that only the window in
 * which it was changed (`isMine`) acts.
 */
export function fateOf(
  { port }: Pick<DiscoveryRecord, 'port'>,
  before: DaemonSettings,
  wanted: DaemonSettings,
  isMine: boolean,
): Fate {
  const moves = before.dataDir !== wanted.dataDir
  if (port !== before.port) return moves ? 'left' : 'stays'
  if (moves || port !== wanted.port) return 'ends'
  return isMine && before.nodePath !== wanted.nodePath ? 'ends' : 'stays'
}

/** The settings of the daemon, of which a change holds only once no daemon of before is followed any more. */
export class SettingsInForce {
  readonly #onTakenUp: (before: DaemonSettings) => void
  #inForce: DaemonSettings
  #wanted: DaemonSettings
  #isMine = false

  /** `inForce` is what the daemon runs with that windows of before have left. */
  constructor(inForce: DaemonSettings, onTakenUp: (before: DaemonSettings) => void) {
    this.#inForce = inForce
    this.#wanted = inForce
    this.#onTakenUp = onTakenUp
  }

  /** What holds now. */
  get inForce(): DaemonSettings {
    return this.#inForce
  }

  /** What is to hold: the same object until it changes. */
  get wanted(): DaemonSettings {
    return this.#wanted
  }

  /** Whether a change does not hold yet. */
  get isWaiting(): boolean {
    return !isSame(this.#wanted, this.#inForce)
  }

  /** Whether the last change was made in this window. */
  get isMine(): boolean {
    return this.#isMine
  }

  /** Notes what is to hold; nothing where it is the same. */
  want(settings: DaemonSettings, isMine: boolean): void {
    if (isSame(settings, this.#wanted)) return
    this.#wanted = settings
    this.#isMine = isMine
  }

  /** What a change means for the daemon of the data directory in force. */
  fateOf(record: Pick<DiscoveryRecord, 'port'>): Fate {
    return fateOf(record, this.#inForce, this.#wanted, this.#isMine)
  }

  /** Lets what is wanted hold from now on; false where it did already. */
  takeUp(): boolean {
    if (!this.isWaiting) return false
    const before = this.#inForce
    this.#inForce = this.#wanted
    this.#onTakenUp(before)
    return true
  }
}

/** Settings as they were kept; null where there are none that can be used. */
export function readDaemonSettings(value: unknown): DaemonSettings | null {
  const { port, dataDir, nodePath } = (value ?? {}) as Partial<Record<keyof DaemonSettings, unknown>>
  if (typeof port !== 'number' || typeof dataDir !== 'string' || dataDir === '') return null
  return { port, dataDir, nodePath: typeof nodePath === 'string' ? nodePath : '' }
}

function isSame(left: DaemonSettings, right: DaemonSettings): boolean {
  return left.port === right.port && left.dataDir === right.dataDir && left.nodePath === right.nodePath
}
