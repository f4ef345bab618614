import type * as vscode from 'vscode'

/** Kinds of notification that the user can silence for good. */
export type NoticeKind =
  | 'truncated'
  | 'emptyAnswer'
  | 'capReached'
  | 'taskConstrained'
  | 'taskHalted'
  | 'loopHalted'
  | 'stillCalling'
  | 'restartStorm'
  | 'velocity'
  | 'degraded'
  | 'notStarted'

const saidKey = 'notices.said.v2'
const silencedKey = 'notices.silenced.v1'
const bypassedKey = 'terminals.bypassed.v1'
const ceilingsKey = 'guardedTerminal.ceilings.v1'
const terminalTaskKey = 'guardedTerminal.lastTask.v1'
const guardedTerminalsKey = 'guardedTerminal.open.v1'
const clientUndoKey = 'clients.undo.v2'
const tryModelsKey = 'tryIt.models.v1'
const spendLookedAtKey = 'spend.lookedAt.v2'
const notStartedKey = 'notices.notStarted.v2'
const daemonInForceKey = 'daemon.inForce.v1'
const rememberedNotices = 200
const rememberedTerminals = 50
/** Containers come and go, and each is a host of its own. */
const rememberedPlaces = 100

/** A guarded terminal of this workspace, as it is found again after a reload. */
export interface RememberedTerminal {
  readonly task: string
  /** The shell's process, null before it is known. */
  readonly processId: number | null
}

/** Names of where this window is, as `placeOf` gives them. */
export interface Places {
  /** The host, by the extension's own storage there. */
  host(): string
  /** The data directory of the gate, which a setting can change. */
  dataDir(): string
}

/**
 * What the extension remembers between sessions, by name; nothing else reads or writes a memento. The global one is the user's: windows
 * on other hosts read it as well, so that what is about a host or a gate has its place in it.
 */
export class Memory {
  readonly #global: vscode.Memento
  readonly #workspace: vscode.Memento
  readonly #places: Places

  constructor(global: vscode.Memento, workspace: vscode.Memento, places: Places) {
    this.#global = global
    this.#workspace = workspace
    this.#places = places
  }

  /** Whether new terminals of this workspace bypass the gate. */
  get bypassed(): boolean {
    return this.#workspace.get(bypassedKey, false)
  }

  /** Sets `bypassed`; false forgets it. */
  async setBypassed(bypassed: boolean): Promise<void> {
    await this.#workspace.update(bypassedKey, bypassed ? true : undefined)
  }

  /** The ceilings that were last asked for a guarded terminal, as they were kept. */
  get ceilings(): unknown {
    return this.#global.get(ceilingsKey)
  }

  /** Keeps them for the next one. */
  async setCeilings(ceilings: unknown): Promise<void> {
    await this.#global.update(ceilingsKey, ceilings)
  }

  /** The task id that was last given to a guarded terminal, in any window on any host; empty before the first. */
  get lastTerminalTask(): string {
    return this.#global.get(terminalTaskKey, '')
  }

  /** Keeps it, so that no other window gives it again. */
  async setLastTerminalTask(task: string): Promise<void> {
    await this.#global.update(terminalTaskKey, task)
  }

  /** Guarded terminals of this workspace that were not closed, oldest first. */
  get guardedTerminals(): readonly RememberedTerminal[] {
    return this.#workspace.get<readonly RememberedTerminal[]>(guardedTerminalsKey, [])
  }

  /** Remembers a guarded terminal, or its process once that is known. */
  async rememberTerminal(terminal: RememberedTerminal): Promise<void> {
    const others = this.guardedTerminals.filter(({ task }) => task !== terminal.task)
    await this.#workspace.update(guardedTerminalsKey, [...others, terminal].slice(-rememberedTerminals))
  }

  /** Forgets one that was closed. */
  async forgetTerminal(task: string): Promise<void> {
    const kept = this.guardedTerminals.filter((one) => one.task !== task)
    if (kept.length < this.guardedTerminals.length) await this.#workspace.update(guardedTerminalsKey, kept)
  }

  /** The model that was last tried at each upstream, the latest last. */
  get triedModels(): Readonly<Record<string, string>> {
    return this.#global.get<Readonly<Record<string, string>>>(tryModelsKey, {})
  }

  /** Keeps it for the next time. */
  async setTriedModel(upstream: string, model: string): Promise<void> {
    const others = Object.entries(this.triedModels).filter(([name]) => name !== upstream)
    await this.#global.update(tryModelsKey, Object.fromEntries([...others, [upstream, model]]))
  }

  /**
   * When the Spend view was looked at last, in any window on this gate, in milliseconds since the epoch; 0 before the first time. Calls
   * are the gate's and not a workspace's, so a look in one window has seen them for all.
   */
  get spendLookedAtMs(): number {
    return timeOf(this.#at(this.#places.dataDir(), spendLookedAtKey))
  }

  /** Keeps it. */
  async setSpendLookedAtMs(ms: number): Promise<void> {
    await this.#setAt(this.#places.dataDir(), spendLookedAtKey, ms)
  }

  /** Takes a moment as the first look where there was none: what was refused before the extension was there, nobody missed. */
  async beginSpendLooks(ms: number): Promise<void> {
    if (this.spendLookedAtMs === 0) await this.setSpendLookedAtMs(ms)
  }

  /** The settings that the daemon of this host was last followed or started with, as they were kept. */
  get daemonInForce(): unknown {
    return this.#at(this.#places.host(), daemonInForceKey)
  }

  /** Keeps them; nothing is written where they are the same. */
  async setDaemonInForce(settings: Readonly<Record<string, unknown>>): Promise<void> {
    if (JSON.stringify(settings) !== JSON.stringify(this.daemonInForce))
      await this.#setAt(this.#places.host(), daemonInForceKey, settings)
  }

  /** How to take back what was written into clients' settings on this host, as it was kept. */
  get clientUndo(): unknown {
    return this.#at(this.#places.host(), clientUndoKey)
  }

  /** Keeps it. */
  async setClientUndo(records: unknown): Promise<void> {
    await this.#setAt(this.#places.host(), clientUndoKey, records)
  }

  /**
   * When it was said last that this gate could not be started, in any window, in milliseconds since the epoch; 0 where that may be said
   * at once.
   */
  get notStartedSaidMs(): number {
    return timeOf(this.#at(this.#places.dataDir(), notStartedKey))
  }

  /** Keeps it; nothing is written where it is the same. */
  async setNotStartedSaidMs(ms: number): Promise<void> {
    if (ms !== this.notStartedSaidMs) await this.#setAt(this.#places.dataDir(), notStartedKey, ms)
  }

  /** Whether the user chose not to see this kind of notification again, wherever it comes from. */
  isSilenced(kind: NoticeKind): boolean {
    return this.#silenced.includes(kind)
  }

  /** Does not show this kind again. */
  async silence(kind: NoticeKind): Promise<void> {
    if (!this.isSilenced(kind)) await this.#global.update(silencedKey, [...this.#silenced, kind])
  }

  /** Lets every kind be shown again; false where all of them are. */
  async endSilence(): Promise<boolean> {
    if (this.#silenced.length === 0) return false
    await this.#global.update(silencedKey, undefined)
    return true
  }

  /** Whether a key was claimed, in any window on this gate. */
  wasSaid(key: string): boolean {
    return this.#said.includes(this.#here(key))
  }

  /** True the first time it is asked for a key, in any window on this gate; the oldest keys are forgotten first. */
  async claim(key: string): Promise<boolean> {
    if (this.wasSaid(key)) return false
    await this.#global.update(saidKey, [...this.#said, this.#here(key)].slice(-rememberedNotices))
    return true
  }

  /** Lets keys of this gate that begin so be claimed again. */
  async forget(prefixes: readonly string[]): Promise<void> {
    const forgotten = prefixes.map((prefix) => this.#here(prefix))
    const kept = this.#said.filter((key) => !forgotten.some((prefix) => key.startsWith(prefix)))
    if (kept.length < this.#said.length) await this.#global.update(saidKey, kept)
  }

  get #said(): readonly string[] {
    return this.#global.get<readonly string[]>(saidKey, [])
  }

  get #silenced(): readonly string[] {
    return this.#global.get<readonly string[]>(silencedKey, [])
  }

  /** A key of what the gate of this window tells: one on another host may tell the same. */
  #here(key: string): string {
    return `${this.#places.dataDir()} ${key}`
  }

  #at(place: string, key: string): unknown {
    return this.#global.get<Readonly<Record<string, unknown>>>(key, {})[place]
  }

  /** Keeps a value for a place. Of too many places those go that were kept longest ago. */
  async #setAt(place: string, key: string, value: unknown): Promise<void> {
    const others = Object.entries(this.#global.get<Readonly<Record<string, unknown>>>(key, {}))
    const kept = [...others.filter(([name]) => name !== place), [place, value] as const].slice(-rememberedPlaces)
    await this.#global.update(key, Object.fromEntries(kept))
  }
}

/** A kept time in milliseconds since the epoch, 0 where there is none. */
function timeOf(kept: unknown): number {
  return typeof kept === 'number' ? kept : 0
}
