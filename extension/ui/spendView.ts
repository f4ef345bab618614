import * as vscode from 'vscode'
import type { Report } from '../../shared/report.ts'
import type { TollgateContext } from '../context.ts'
import { reasonOf } from '../log.ts'
import { offerWithoutGate } from '../offerActions.ts'
import { takeStep } from '../taskSteps.ts'
import { coalesced, realTimers } from './coalesce.ts'
import type { DaemonEvent } from './eventFields.ts'
import { isKept, noEvents, refusedUnseen, withEvents } from './spendEvents.ts'
import type { KeptEvents } from './spendEvents.ts'
import { spendMessage, spendNodes } from './spendModel.ts'
import type { SpendNode } from './spendNode.ts'
import { readPast, readRefusals } from './spendPast.ts'
import { readReport, todaysReport } from './spendReports.ts'
import { SpendTree } from './spendTree.ts'
import { TaskCalls } from './taskCalls.ts'
import { taskEntries } from './taskEntries.ts'
import { nameOfTask, taskToName } from './taskName.ts'
import { toldApart } from './toldApart.ts'

/** Least time between two drawings, and between two badges, in milliseconds. */
const leastDrawIntervalMs = 1000
/** Least time between two readings of the reports, in milliseconds. */
const leastReportIntervalMs = 2000
/** Least time between two notes of the last look, in milliseconds: a burst of refusals must not be a burst of writes. */
const leastLookIntervalMs = 5000
/** Most events that wait for the next drawing. */
const mostWaiting = 500

/** What the view shows, for tests and other extensions. */
export interface SpendShown {
  readonly nodes: readonly SpendNode[]
  /** Calls that were blocked since the view was looked at last. */
  readonly badge: number
  /** The line above the rows; empty where there is none. */
  readonly message: string
  readonly isVisible: boolean
}

/**
 * The Spend view. Until it is opened it only keeps today's refusals and warnings; of what was before this window it asks the
 * daemon once for the refusals that its badge counts. Rows are made, and everything of today is read, once it is looked at.
 */
export class SpendView implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #view: vscode.TreeView<string>
  readonly #calls: TaskCalls
  readonly #disposables: readonly { dispose(): unknown }[]
  readonly #draws = coalesced(() => this.#draw(), leastDrawIntervalMs, realTimers)
  readonly #badges = coalesced(() => this.#showBadge(), leastDrawIntervalMs, realTimers)
  readonly #looks = coalesced(() => this.#keepLook(), leastLookIntervalMs, realTimers)
  readonly #reports = coalesced(
    () => void this.#readReports().then(() => this.#drawSoon()),
    leastReportIntervalMs,
    realTimers,
  )
  readonly #tree = new SpendTree(() => this.#firstDrawing())
  #events: KeptEvents = noEvents
  /** Kept events that are not among `#events` yet: sorting them in one by one would cost a burst of refusals dear. */
  #waiting: DaemonEvent[] = []
  #byProject: Report | null = null
  #byModel: Report | null = null
  /** Reading of what was before; null where it has to be read again. */
  #past: Promise<void> | null = null
  /** The gate's, by whose days the badge counts; it stays while the gate is away. */
  #timezone = 'UTC'
  /** The refusals that the badge counts were asked for since the gate came up. */
  #isBadgeRead = false
  #reading = 0

  constructor(context: TollgateContext) {
    this.#context = context
    this.#written(context.memory.beginSpendLooks(Date.now()))
    this.#view = vscode.window.createTreeView('tollgate.spend', { treeDataProvider: this.#tree, showCollapseAll: true })
    this.#calls = new TaskCalls(context)
    this.#disposables = [
      this.#view,
      this.#tree,
      this.#calls,
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) return this.#opened()
        // One that comes later would tell of refusals that nobody saw.
        this.#looks.cancel()
        this.#keepLook()
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (!focused) return
        if (this.#view.visible) this.#keepLook()
        // Somebody may have looked in another window.
        else this.#badges.ask()
      }),
      this.#view.onDidCollapseElement(({ element }) => this.#tree.steered(element, false)),
      this.#view.onDidExpandElement(({ element }) => this.#tree.steered(element, true)),
      context.onDidReceiveEvent((event) => this.#hear(event)),
      context.onDidChangeGate((gate) => {
        // Of what happens while it is away nobody tells this window.
        if (gate.kind !== 'up') this.#forgetPast()
        else if (this.#view.visible) void this.#readPast()
        else if (!this.#isBadgeRead) void this.#readForBadge()
        if (this.#view.badge !== undefined) this.#badges.ask()
        this.#drawSoon()
      }),
      vscode.commands.registerCommand('tollgate.spend.stopTask', (id: unknown) => this.#steer('stop', id)),
      vscode.commands.registerCommand('tollgate.spend.resumeTask', (id: unknown) => this.#steer('resume', id)),
      vscode.commands.registerCommand('tollgate.spend.showCalls', (id: unknown) => this.#showCalls(id)),
      vscode.commands.registerCommand('tollgate.spend.openDashboard', (id: unknown) => this.#openDashboard(id)),
    ]
  }

  /** What the view shows now. */
  get shown(): SpendShown {
    return {
      nodes: this.#tree.roots,
      badge: this.#view.badge?.value ?? 0,
      message: this.#view.message ?? '',
      isVisible: this.#view.visible,
    }
  }

  dispose(): void {
    for (const work of [this.#draws, this.#badges, this.#looks, this.#reports]) work.cancel()
    for (const disposable of this.#disposables) disposable.dispose()
  }

  #opened(): void {
    this.#keepLook()
    this.#showBadge()
    if (this.#context.gate.kind !== 'up') return this.#drawSoon()
    // Without what was before, the first drawing would be half of the rows, so it waits for them.
    if (this.#past === null) return void this.#readPast()
    // What was settled while nobody looked.
    this.#reports.ask()
    this.#drawSoon()
  }

  #hear(event: DaemonEvent): void {
    if (event.event === 'call_settled' && this.#view.visible) this.#reports.ask()
    if (!isKept(event)) return
    this.#waiting.push(event)
    if (this.#waiting.length >= mostWaiting) this.#sortIn()
    if (event.event === 'refused') {
      if (!this.#view.visible) this.#badges.ask()
      // Behind another window nobody sees it.
      else if (vscode.window.state.focused) this.#looks.ask()
    }
    this.#drawSoon()
  }

  #sortIn(): void {
    this.#events = withEvents(this.#events, this.#waiting)
    this.#waiting = []
  }

  async #firstDrawing(): Promise<void> {
    if (this.#context.gate.kind === 'up') await this.#readPast()
    this.#draw()
  }

  #drawSoon(): void {
    if (this.#view.visible) this.#draws.ask()
  }

  #draw(): void {
    const { gate, text, figures } = this.#context
    this.#sortIn()
    const nowMs = Date.now()
    const gateSinceMs = this.#gateSinceMs
    const state = { gate, events: this.#events, byProject: this.#byProject, byModel: this.#byModel, gateSinceMs, nowMs }
    const nodes = spendNodes(state, text, figures)
    // A message would stand in the place of the view's welcome.
    const message = nodes.length === 0 ? '' : (spendMessage(gate, text, figures) ?? '')
    if (message !== (this.#view.message ?? '')) this.#view.message = message
    this.#tree.show(nodes)
  }

  #showBadge(): void {
    const { memory, text, figures, gate } = this.#context
    this.#sortIn()
    const lookedAtMs = this.#view.visible ? Infinity : memory.spendLookedAtMs
    if (gate.kind === 'up') this.#timezone = gate.status.timezone
    const { count, isFloor } = refusedUnseen(this.#events, lookedAtMs, Date.now(), this.#timezone, this.#gateSinceMs)
    const whole = figures.whole(count)
    const tooltip = text.spend.badge(count, isFloor ? text.spend.atLeast(whole) : whole)
    const { badge } = this.#view
    if (count === (badge?.value ?? 0) && (count === 0 || tooltip === badge?.tooltip)) return
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip }
  }

  /** What has been refused up to now counts as seen, in this window and for every other. */
  #keepLook(): void {
    this.#written(this.#context.memory.setSpendLookedAtMs(Date.now()))
  }

  #written(look: Promise<void>): void {
    look.catch((error: unknown) => this.#context.log.warn(`Last look: ${reasonOf(error)}`))
  }

  get #gateSinceMs(): number {
    return this.#context.supervisor.record?.startedAtMs ?? 0
  }

  #forgetPast(): void {
    this.#past = null
    this.#isBadgeRead = false
  }

  /** Reads what was before this window, once for each time that the gate comes up. */
  #readPast(): Promise<void> {
    this.#isBadgeRead = true
    this.#past ??= Promise.all([this.#readEvents(), this.#readReports()]).then(() => this.#drawSoon())
    return this.#past
  }

  async #readEvents(): Promise<void> {
    const { log } = this.#context
    try {
      const { events, isWhole } = await readPast(this.#ask, Date.now() - dayMs)
      this.#events = withEvents(this.#events, events)
      if (!isWhole) log.warn('Past events: there are more than are read, so the oldest are left out.')
    } catch (error) {
      log.warn(`Past events: ${reasonOf(error)}`)
    }
  }

  /** Nobody looks yet, so only what the badge counts is read, once for each time that the gate comes up. */
  async #readForBadge(): Promise<void> {
    this.#isBadgeRead = true
    try {
      const sinceMs = Math.max(this.#context.memory.spendLookedAtMs + 1, Date.now() - dayMs)
      this.#events = withEvents(this.#events, await readRefusals(this.#ask, sinceMs))
      this.#badges.ask()
    } catch (error) {
      this.#context.log.warn(`Refused calls: ${reasonOf(error)}`)
    }
  }

  readonly #ask = (path: string): Promise<unknown> => this.#context.supervisor.call('GET', path)

  async #readReports(): Promise<void> {
    const { supervisor, log } = this.#context
    if (this.#context.gate.kind !== 'up') return
    this.#reading += 1
    const mine = this.#reading
    try {
      const [byProject, byModel] = await Promise.all([
        supervisor.call('GET', todaysReport('project')),
        supervisor.call('GET', todaysReport('model')),
      ])
      // A later reading may have been answered sooner.
      if (mine !== this.#reading) return
      this.#byProject = readReport(byProject)
      this.#byModel = readReport(byModel)
    } catch (error) {
      log.warn(`Report of today: ${reasonOf(error)}`)
    }
  }

  async #steer(kind: 'stop' | 'resume', id: unknown): Promise<void> {
    const { text, gate, figures } = this.#context
    const task = this.#taskOf(id)
    if (task === null) {
      vscode.window.setStatusBarMessage(`$(info) ${text.spend.taskIsGone}`, lineMs)
      return
    }
    const nowMs = Date.now()
    const known = taskToName(task, gate.kind === 'up' ? toldApart(gate.status.tasks, nowMs, text, figures) : [])
    await takeStep(this.#context, { kind, task, name: nameOfTask(known, nowMs, text, figures) })
  }

  async #showCalls(id: unknown): Promise<void> {
    const task = this.#taskOf(id) ?? (id === undefined ? await this.#pickTask() : null)
    if (task !== null) await this.#calls.open(task)
  }

  /** Opens the dashboard with the turns of a row's task. */
  async #openDashboard(id: unknown): Promise<void> {
    const task = this.#taskOf(id)
    await vscode.commands.executeCommand('tollgate.openDashboard', task === null ? undefined : { task })
  }

  async #pickTask(): Promise<string | null> {
    const { text, gate, figures } = this.#context
    if (gate.kind === 'unfollowed') {
      offerWithoutGate(this.#context, text.spend.gateIsAway)
      return null
    }
    if (gate.kind !== 'up') {
      const chosen = await vscode.window.showInformationMessage(text.spend.gateIsAway, text.restart)
      if (chosen === text.restart) await vscode.commands.executeCommand('tollgate.restartDaemon')
      return null
    }
    const { tasks } = gate.status
    if (tasks.length === 0) {
      void vscode.window.showInformationMessage(text.spend.noTaskToShow)
      return null
    }
    const entries = taskEntries(tasks, () => true, Date.now(), text, figures)
    return (await vscode.window.showQuickPick(entries, { placeHolder: text.spend.pickTaskToShow }))?.id ?? null
  }

  /** The task of a row, which a menu names by its id. */
  #taskOf(id: unknown): string | null {
    return typeof id === 'string' ? (this.#tree.node(id)?.task ?? null) : null
  }
}

/** A day that is longer by the hour of a clock change. */
const dayMs = 25 * 3_600_000
/** How long a line in the status bar is shown, in milliseconds. */
const lineMs = 8000
