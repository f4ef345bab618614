import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { ownProcesses } from '../process/host.ts'
import { readProcess } from '../process/identity.ts'
import { mayEnd } from '../process/protection.ts'
import { withTerminalChoice } from '../guardedTerminal/terminalChoice.ts'
import { takeStep } from '../taskSteps.ts'
import { emptyAnswerNotice, truncationNotice } from '../truncation/notice.ts'
import type { DaemonEvent } from './eventFields.ts'
import { guardNotice } from './guardNotices.ts'
import { capChoices, capNotice, exhaustedCap, isExhausted } from './notices.ts'
import { NotStarted } from './notStarted.ts'
import type { Offer } from './offer.ts'
import { OpenMessages } from './openMessages.ts'
import { obsoleteKeys } from './taskNotices.ts'

/** How long the status bar says what waits behind an open message, in milliseconds. */
const briefMs = 10_000

/**
 * What is worth an interruption: docs/extension.md lists it. Each thing is said once, only in the window that the daemon
 * marks, can be silenced for good, and never with two messages open about one task.
 */
export class Notifications implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: readonly { dispose(): unknown }[]
  readonly #messages = new OpenMessages()
  /** Keys of what is about to be shown or is open: a client that keeps calling brings the same thing many times a second. */
  readonly #saying = new Set<string>()

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      context.onDidReceiveEvent((event) => {
        if (event['notify'] !== true) return
        this.#hear(event).catch((error: unknown) => context.log.error(`A notification failed: ${String(error)}`))
      }),
      new NotStarted(context),
    ]
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  async #hear(event: DaemonEvent): Promise<void> {
    const obsolete = obsoleteKeys(event)
    if (obsolete.length > 0) {
      this.#messages.drop(obsolete)
      await this.#context.memory.forget(obsolete)
    }
    const offer = this.#offerFor(event)
    if (offer === undefined) return
    const { guardedTerminals, text } = this.#context
    await this.#say(withTerminalChoice(offer, (task) => guardedTerminals.has(task), text))
  }

  #offerFor(event: DaemonEvent): Offer | undefined {
    const { text, figures, gate, settings } = this.#context
    if (settings.notifyTruncation) {
      const workspace = vscode.workspace.name ?? ''
      if (event.event === 'truncated') return truncationNotice(event, workspace, text, figures)
      if (event.event === 'empty_answer') return emptyAnswerNotice(event, workspace, text, figures)
    }
    if (gate.kind !== 'up') return undefined
    if (isExhausted(event)) {
      const cap = exhaustedCap(event, gate.status)
      if (!cap) return undefined
      const notice = capNotice(event, cap, Date.now(), text, figures)
      return { ...notice, kind: 'capReached', about: null, brief: '', choices: capChoices(event, cap, text, figures) }
    }
    return settings.notifyTasks ? guardNotice(event, gate.status, text, figures) : undefined
  }

  async #say(offer: Offer): Promise<void> {
    const { memory } = this.#context
    const { kind, key } = offer
    if (memory.isSilenced(kind) || memory.wasSaid(key) || this.#saying.has(key) || this.#messages.waits(key)) return
    this.#saying.add(key)
    try {
      const seen = await this.#withProcess(offer)
      const isOpen = seen.about !== null && this.#messages.has(seen.about)
      if (isOpen) vscode.window.setStatusBarMessage(`$(warning) ${seen.brief}`, briefMs)
      await this.#messages.show(seen.about, { key, show: () => this.#ask(seen) })
    } finally {
      this.#saying.delete(key)
    }
  }

  /** Shows the message and does what was chosen; true where that changed something. */
  async #ask({ kind, key, message, choices }: Offer): Promise<boolean> {
    const { memory, text } = this.#context
    if (memory.isSilenced(kind) || !(await memory.claim(key))) return false
    const titles = choices.map(({ title }) => title)
    const chosen = await vscode.window.showWarningMessage(message, ...titles, text.dontShowAgain)
    if (chosen === text.dontShowAgain) await memory.silence(kind)
    const step = choices.find(({ title }) => title === chosen)?.step
    if (step === undefined) return false
    const isDone = await takeStep(this.#context, step)
    // A cap that was raised for today is said again when that is used up too.
    if (isDone && step.kind === 'allow') await memory.forget([key])
    return isDone
  }

  /** Looks at the process to end while it still calls; one that is not to be ended loses its button, and the message says why. */
  async #withProcess(offer: Offer): Promise<Offer> {
    const step = offer.choices.find((choice) => choice.step.kind === 'endProcess')?.step
    if (step?.kind !== 'endProcess') return offer
    const { supervisor, text } = this.#context
    const seen = await readProcess(step.pid)
    const own = await ownProcesses(vscode.env.appRoot, supervisor.record?.pid ?? null)
    if (seen !== null && mayEnd(seen, own)) {
      const choices = offer.choices.map((choice) =>
        choice.step.kind === 'endProcess' ? { ...choice, step: { ...choice.step, seen } } : choice,
      )
      return { ...offer, choices }
    }
    return {
      ...offer,
      message: seen === null ? offer.message : `${offer.message} ${text.processIsEditor}`,
      choices: offer.choices.filter((choice) => choice.step.kind !== 'endProcess'),
    }
  }
}
