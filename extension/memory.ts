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

const saidKey = 'notices.said.v1'
const silencedKey = 'notices.silenced.v1'
const bypassedKey = 'terminals.bypassed.v1'
const ceilingsKey = 'guardedTerminal.ceilings.v1'
const terminalTaskKey = 'guardedTerminal.lastTask.v1'
const guardedTerminalsKey = 'guardedTerminal.open.v1'
const clientUndoKey = 'clients.undo.v1'
const tryModelsKey = 'tryIt.models.v1'
const spendLookedAtKey = 'spend.lookedAt.v1'
const notStartedKey = 'notices.notStarted.v1'
const rememberedNotices = 200
const rememberedTerminals = 50

/** A guarded terminal of this workspace, as it is found again after a reload. */
export interface RememberedTerminal {
  readonly task: string
  /** The shell's process, null before it is known. */
  readonly processId: number | null
}

/** What the extension remembers between sessions, by name; nothing else reads or writes a memento. */
export class Memory {
  readonly #global: vscode.Memento
  readonly #workspace: vscode.Memento

  constructor(global: vscode.Memento, workspace: vscode.Memento) {
    this.#global = global
    this.#workspace = workspace
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

  /** The task id that was last given to a guarded terminal, in any window of this machine; empty before the first. */
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
   * When the Spend view was looked at last, in any window of this machine, in milliseconds since the epoch; 0 before the first
   * time. Calls are the machine's and not a workspace's, so a look in one window has seen them for all.
   */
  get spendLookedAtMs(): number {
    return this.#global.get(spendLookedAtKey, 0)
  }

  /** Keeps it. */
  async setSpendLookedAtMs(ms: number): Promise<void> {
    await this.#global.update(spendLookedAtKey, ms)
  }

  /** Takes a moment as the first look where there was none: what was refused before the extension was there, nobody missed. */
  async beginSpendLooks(ms: number): Promise<void> {
    if (this.spendLookedAtMs === 0) await this.setSpendLookedAtMs(ms)
  }

  /** How to take back what was written into clients' settings, as it was kept. */
  get clientUndo(): unknown {
    return this.#global.get(clientUndoKey)
  }

  /** Keeps it. */
  async setClientUndo(records: unknown): Promise<void> {
    await this.#global.update(clientUndoKey, records)
  }

  /**
   * When it was said last that the gate could not be started, in any window of this machine, in milliseconds since the epoch; 0
   * where that may be said at once.
   */
  get notStartedSaidMs(): number {
    return this.#global.get(notStartedKey, 0)
  }

  /** Keeps it; nothing is written where it is the same. */
  async setNotStartedSaidMs(ms: number): Promise<void> {
    if (ms !== this.notStartedSaidMs) await this.#global.update(notStartedKey, ms)
  }

  /** Whether the user chose not to see this kind of notification again. */
  isSilenced(kind: NoticeKind): boolean {
    return this.#global.get<readonly string[]>(silencedKey, []).includes(kind)
  }

  /** Never shows this kind again. */
  async silence(kind: NoticeKind): Promise<void> {
    const silenced = this.#global.get<readonly string[]>(silencedKey, [])
    if (!silenced.includes(kind)) await this.#global.update(silencedKey, [...silenced, kind])
  }

  /** Whether a key was claimed, in any window of this machine. */
  wasSaid(key: string): boolean {
    return this.#said.includes(key)
  }

  /** True the first time it is asked for a key, in any window of this machine; the oldest keys are forgotten first. */
  async claim(key: string): Promise<boolean> {
    if (this.wasSaid(key)) return false
    await this.#global.update(saidKey, [...this.#said, key].slice(-rememberedNotices))
    return true
  }

  /** Lets keys that begin so be claimed again. */
  async forget(prefixes: readonly string[]): Promise<void> {
    const kept = this.#said.filter((key) => !prefixes.some((prefix) => key.startsWith(prefix)))
    if (kept.length < this.#said.length) await this.#global.update(saidKey, kept)
  }

  get #said(): readonly string[] {
    return this.#global.get<readonly string[]>(saidKey, [])
  }
}
