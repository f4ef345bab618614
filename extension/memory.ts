import type * as vscode from 'vscode'

/** Kinds of notification that the user can silence for good. */
export type NoticeKind = 'truncated' | 'capReached'

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

  /** True the first time it is asked for a key, in any window of this machine; the oldest keys are forgotten first. */
  async claim(key: string): Promise<boolean> {
    const said = this.#global.get<readonly string[]>(saidKey, [])
    if (said.includes(key)) return false
    await this.#global.update(saidKey, [...said, key].slice(-rememberedNotices))
    return true
  }
}
