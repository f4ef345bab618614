import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { ownProcesses } from '../process/host.ts'
import { readProcess } from '../process/identity.ts'
import { mayEnd } from '../process/protection.ts'
import { withTerminalChoice } from '../guardedTerminal/terminalChoice.ts'
import { takeStep } from '../taskSteps.ts'
import { emptyAnswerNotice, truncationNotice } from '../truncation/notice.ts'
import { realTimers } from './coalesce.ts'
import type { DaemonEvent } from './eventFields.ts'
import { guardNotice } from './guardNotices.ts'
import { capOffer, isExhausted, overtakenCaps } from './notices.ts'
import { NotStarted } from './notStarted.ts'
import { weightOf } from './offer.ts'
import type { Offer } from './offer.ts'
import { OpenMessages } from './openMessages.ts'
import { whenOffScreen } from './screenTime.ts'
import type { WindowFocus } from './screenTime.ts'
import { obsoleteKeys, overtakenKeys } from './taskNotices.ts'

/** How long the status bar says what waits for another message, in milliseconds. */
const briefMs = 10_000

/** The focus of this window. */
const windowFocus: WindowFocus = {
  isFocused: () => vscode.window.state.focused,
  onceFocused: (run) => {
    const listener = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) return
      listener.dispose()
      run()
    })
    return () => {
      listener.dispose()
    }
  },
}

/**
 * What is worth an interruption: docs/extension.md lists it. Each thing is said once, only in the window that the daemon
 * marks, and can be silenced. What is over is not said any more, whichever window it ended in.
 */
export class Notifications implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: readonly { dispose(): unknown }[]
  readonly #messages = new OpenMessages(realTimers, (run) => whenOffScreen(realTimers, windowFocus, run))
  /** Keys of what is being prepared: a client that keeps calling brings the same thing many times a second. */
  readonly #preparing = new Set<string>()

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      context.onDidReceiveEvent((event) => this.#hear(event)),
      new NotStarted(context),
      this.#messages,
    ]
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  /** What is over is over in every window, also in one that says nothing of it and holds a message that waits. */
  #hear(event: DaemonEvent): void {
    const { memory, guardedTerminals, text } = this.#context
    const obsolete = obsoleteKeys(event)
    this.#drop([...obsolete, ...overtakenKeys(event), ...overtakenCaps(event)])
    if (obsolete.length > 0) this.#run(memory.forget(obsolete))
    if (event['notify'] !== true) return
    const offer = this.#offerFor(event)
    if (offer === undefined) return
    this.#run(this.#say(withTerminalChoice(offer, (task) => guardedTerminals.has(task), text)))
  }

  #drop(prefixes: readonly string[]): void {
    if (prefixes.length === 0) return
    for (const key of this.#preparing)
      if (prefixes.some((prefix) => key.startsWith(prefix))) this.#preparing.delete(key)
    this.#messages.drop(prefixes)
  }

  #run(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#failed(error))
  }

  #failed(error: unknown): false {
    this.#context.log.error(`A notification failed: ${String(error)}`)
    return false
  }

  #offerFor(event: DaemonEvent): Offer | undefined {
    const { text, figures, gate, settings } = this.#context
    if (settings.notifyTruncation) {
      const workspace = vscode.workspace.name ?? ''
      const timezone = gate.kind === 'up' ? gate.status.timezone : 'UTC'
      if (event.event === 'truncated') return truncationNotice(event, workspace, timezone, text, figures)
      if (event.event === 'empty_answer') return emptyAnswerNotice(event, workspace, timezone, text, figures)
    }
    if (gate.kind !== 'up') return undefined
    if (isExhausted(event)) return capOffer(event, gate.status, text, figures)
    return settings.notifyTasks ? guardNotice(event, gate.status, text, figures) : undefined
  }

  async #say(offer: Offer): Promise<void> {
    const { memory } = this.#context
    const { kind, key, about, brief } = offer
    if (memory.isSilenced(kind) || memory.wasSaid(key) || this.#preparing.has(key) || this.#messages.knows(key)) return
    this.#preparing.add(key)
    const seen = await this.#withProcess(offer).catch((error: unknown) => {
      this.#preparing.delete(key)
      throw error
    })
    // It may have been dropped meanwhile.
    if (!this.#preparing.delete(key)) return
    const show = (): Promise<boolean> => this.#ask(seen).catch((error: unknown) => this.#failed(error))
    const isShown = this.#messages.add({ key, about, weight: weightOf(kind), show })
    if (!isShown && brief !== '') vscode.window.setStatusBarMessage(`$(warning) ${brief}`, briefMs)
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
