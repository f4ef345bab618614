import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import type { NoticeKind } from '../memory.ts'
import { capNotice, exhaustedCap, isExhausted, settingOfCap, truncationNotice } from './notices.ts'
import type { DaemonEvent } from './notices.ts'

/**
 * The three things worth an interruption: a cap is reached (once per cap and window), a prompt was truncated (once per model
 * and workspace a day), the gate could not be started. The daemon marks one window, so only that one speaks.
 */
export class Notifications implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: vscode.Disposable[]
  #gaveUp = false

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      context.onDidReceiveEvent((event) => {
        if (event['notify'] !== true) return
        this.#hear(event).catch((error: unknown) => context.log.error(`A notification failed: ${String(error)}`))
      }),
      context.onDidChangeGate((gate) => {
        const gaveUp = gate.kind === 'down' && gate.gaveUp
        if (gaveUp && !this.#gaveUp) void this.#sayNotStarted(gate.reason)
        this.#gaveUp = gaveUp
      }),
    ]
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  async #hear(event: DaemonEvent): Promise<void> {
    const { text, figures, gate, settings } = this.#context
    const showLog = { title: text.showLog, run: () => this.#context.log.show() }
    if (event.event === 'truncated' && settings.notifyTruncation) {
      const workspace = vscode.workspace.name ?? ''
      const notice = truncationNotice(event, workspace, event.time.slice(0, 10), text, figures)
      if (notice) await this.#say('truncated', notice.key, notice.message, [showLog])
    }
    if (isExhausted(event) && gate.kind === 'up') {
      const cap = exhaustedCap(event, gate.status)
      if (!cap) return
      const notice = capNotice(event, cap, Date.now(), text, figures)
      const setting = settingOfCap(event, cap)
      await this.#say('capReached', notice.key, notice.message, [
        ...(setting === undefined
          ? []
          : [
              {
                title: text.raise,
                run: () => vscode.commands.executeCommand('workbench.action.openSettings', setting),
              },
            ]),
        { title: text.showWhy, run: () => this.#context.log.show() },
      ])
    }
  }

  async #say(
    kind: NoticeKind,
    key: string,
    message: string,
    actions: readonly { readonly title: string; run(): unknown }[],
  ): Promise<void> {
    const { memory, text } = this.#context
    if (memory.isSilenced(kind) || !(await memory.claim(key))) return
    const silence = { title: text.dontShowAgain, run: () => memory.silence(kind) }
    const chosen = await vscode.window.showWarningMessage(message, ...[...actions, silence])
    await chosen?.run()
  }

  async #sayNotStarted(reason: string): Promise<void> {
    const { text, supervisor, log } = this.#context
    const chosen = await vscode.window.showErrorMessage(text.couldNotStart(reason), text.retry, text.showLog)
    if (chosen === text.retry) supervisor.retry()
    if (chosen === text.showLog) log.show()
  }
}
