import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import type { GateView } from './gateView.ts'
import { wasSaidElsewhere } from './saidElsewhere.ts'

/** Why the gate was not started, and when this window gave up. */
interface GivenUp {
  readonly reason: string
  /** The setting that helps; undefined where the log says more. */
  readonly setting: string | undefined
  readonly atMs: number
}

/**
 * Says that the gate could not be started, once over all windows. Each of them tries and gives up by itself, and without a daemon
 * nobody chooses one: the window that has the focus says it, else the one that gets it first.
 */
export class NotStarted implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: readonly vscode.Disposable[]
  #hasGivenUp = false
  /** What this window has not said yet. */
  #unsaid: GivenUp | null = null

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      context.onDidChangeGate((gate) => this.#gateChanged(gate)),
      vscode.window.onDidChangeWindowState(() => this.#sayWithFocus()),
    ]
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  #gateChanged(gate: GateView): void {
    if (gate.kind === 'down' && gate.gaveUp) {
      if (this.#hasGivenUp) return
      this.#hasGivenUp = true
      this.#unsaid = { reason: gate.reason, setting: gate.setting, atMs: Date.now() }
      this.#sayWithFocus()
      return
    }
    // It runs, or somebody asked for another attempt: what comes of that is news.
    if (this.#hasGivenUp) void this.#context.memory.setNotStartedSaidMs(0)
    this.#hasGivenUp = false
    this.#unsaid = null
  }

  #sayWithFocus(): void {
    const unsaid = this.#unsaid
    if (unsaid === null || !vscode.window.state.focused) return
    this.#unsaid = null
    const { memory } = this.#context
    if (memory.isSilenced('notStarted') || wasSaidElsewhere(memory.notStartedSaidMs, unsaid.atMs)) return
    void this.#say(unsaid)
  }

  async #say({ reason, setting }: GivenUp): Promise<void> {
    const { memory, text, supervisor, log } = this.#context
    await memory.setNotStartedSaidMs(Date.now())
    const buttons = [
      ...(setting === undefined ? [] : [text.openSettings]),
      text.retry,
      text.showLog,
      text.dontShowAgain,
    ]
    const chosen = await vscode.window.showErrorMessage(text.couldNotStart(reason), ...buttons)
    if (chosen === text.openSettings) await vscode.commands.executeCommand('tollgate.openSettings', setting)
    if (chosen === text.retry) supervisor.retry()
    if (chosen === text.showLog) log.show()
    if (chosen === text.dontShowAgain) await memory.silence('notStarted')
  }
}
