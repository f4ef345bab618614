import type * as vscode from 'vscode'

/** Kinds of notification that the user can silence for good. */
export type NoticeKind =
  | 'truncated'
  | 'capReached'
  | 'taskConstrained'
  | 'taskHalted'
  | 'loopHalted'
  | 'stillCalling'
  | 'restartStorm'
  | 'velocity'
  | 'degraded'

const saidKey = 'notices.said.v1'
const silencedKey = 'notices.silenced.v1'
const bypassedKey = 'terminals.bypassed.v1'
const rememberedNotices = 200

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
