import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import * as vscode from 'vscode'
import type { Status } from '../../shared/status.ts'
import type { TollgateContext } from '../context.ts'
import { reasonOf } from '../log.ts'
import type { DaemonEvent } from '../ui/eventFields.ts'
import { gateKey } from '../ui/gateView.ts'
import { Coalescer } from './coalescer.ts'
import { csvOf } from './csv.ts'
import { noData } from './data.ts'
import type { DashboardData } from './data.ts'
import { documentOf } from './document.ts'
import { parseFromPage, parseState } from './messages.ts'
import type { Drawn, FromPage, ToPage } from './messages.ts'
import type { ChartName } from './page.ts'
import { pageOf, shownTask } from './pageOf.ts'
import type { DashboardState } from './pageOf.ts'
import { dataParts, readParts } from './reading.ts'
import type { DataPart } from './reading.ts'
import { defaultView, readView } from './view.ts'
import type { DashboardView } from './view.ts'

const viewType = 'tollgate.dashboard'

/** What has to be done: parts of the data to read, or only the page to build. */
type Work = DataPart | 'page'

/**
 * The dashboard's one panel. It asks the control API when it is opened, when a person chooses something else and when the
 * extension's connection says that something happened; a panel that nobody sees asks nothing.
 */
export class Dashboard implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: vscode.Disposable[]
  readonly #work: Coalescer<Work>
  #panel: vscode.WebviewPanel | null = null
  #view: DashboardView = defaultView
  /** The view was changed from outside and the page does not know it yet. */
  #setsView = false
  #data: DashboardData = noData
  #status: Status | null = null
  #wasUp = false
  #isReady = false
  #drawn: Drawn | null = null
  #sent = ''

  constructor(context: TollgateContext) {
    this.#context = context
    this.#work = new Coalescer<Work>(
      {
        nowMs: Date.now,
        later: (ms, run) => {
          const timer = setTimeout(run, ms)
          return () => clearTimeout(timer)
        },
      },
      (work) => this.#do(work),
    )
    this.#disposables = [
      vscode.commands.registerCommand('tollgate.openDashboard', (view: unknown) => this.open(view)),
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (panel, state) => {
          this.#view = parseState(state).view ?? defaultView
          this.#adopt(panel)
          return Promise.resolve()
        },
      }),
      context.onDidChangeGate(() => this.#gateChanged()),
      context.onDidReceiveEvent((event) => this.#hear(event)),
    ]
  }

  /** What the page said last about what it has drawn; null while there is none. */
  get drawn(): Drawn | null {
    return this.#drawn
  }

  /** Opens or shows the panel, with what an argument says about the view. */
  open(argument?: unknown): void {
    const view = readView(argument, this.#view)
    if (JSON.stringify(view) !== JSON.stringify(this.#view)) {
      this.#view = view
      this.#setsView = true
      this.#data = { ...this.#data, problem: null }
    }
    if (this.#panel === null) {
      this.#adopt(
        vscode.window.createWebviewPanel(viewType, this.#context.text.dashboard.panelTitle, vscode.ViewColumn.Active),
      )
    } else {
      this.#panel.reveal()
      this.#refresh()
    }
  }

  /** The table behind a chart as CSV; null where there is nothing. */
  csv(chart: ChartName): string | null {
    const { table } = pageOf(this.#state(), this.#context.text).charts[chart]
    return table.rows.length === 0 ? null : csvOf(table)
  }

  dispose(): void {
    this.#work.dispose()
    this.#panel?.dispose()
    for (const disposable of this.#disposables) disposable.dispose()
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { extension, text } = this.#context
    // Two restored panels of one window: the later one stays.
    this.#panel?.dispose()
    this.#panel = panel
    this.#isReady = false
    const dist = vscode.Uri.joinPath(extension.extensionUri, 'dist')
    panel.iconPath = vscode.Uri.joinPath(extension.extensionUri, 'media', 'icon.png')
    panel.title = text.dashboard.panelTitle
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] }
    panel.onDidDispose(() => {
      if (this.#panel !== panel) return
      this.#panel = null
      this.#isReady = false
      this.#drawn = null
      this.#sent = ''
      this.#work.clear()
    })
    panel.onDidChangeViewState(() => {
      // A page that is hidden is thrown away by VS Code; it says that it is ready when it is loaded anew.
      if (panel.visible) return
      this.#isReady = false
      this.#drawn = null
      this.#work.clear()
    })
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const parsed = parseFromPage(message)
      if (parsed === undefined) this.#context.log.debug('The dashboard sent a message that is not understood.')
      else void this.#receive(parsed)
    })
    panel.webview.html = documentOf({
      nonce: randomBytes(24).toString('base64url'),
      scriptUri: String(panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'dashboard.js'))),
      styleUri: String(panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'dashboard.css'))),
      language: vscode.env.language,
      title: text.dashboard.panelTitle,
      loading: text.dashboard.loading,
    })
  }

  async #receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#setsView = true
        this.#sent = ''
        return this.#refresh()
      case 'view':
        this.#view = readView(message.view, this.#view)
        return this.#refresh()
      case 'export':
        return this.#export(message.chart)
      case 'run':
        await vscode.commands.executeCommand(message.command)
        return
      case 'drawn':
        this.#drawn = message
    }
  }

  /** Reads everything anew, at once. */
  #refresh(): void {
    if (this.#isReady) this.#work.hurry(...dataParts, 'page')
  }

  #gateChanged(): void {
    const { gate } = this.#context
    const wasUp = this.#wasUp
    this.#wasUp = gate.kind === 'up'
    if (gate.kind === 'up') this.#status = gate.status
    if (!this.#isReady) return
    const isBack = this.#wasUp && (!wasUp || this.#data.problem !== null || this.#data.series === null)
    this.#work.mark('page', ...(isBack ? dataParts : []))
  }

  #hear(event: DaemonEvent): void {
    if (!this.#isReady) return
    if (event.event === 'refused') this.#work.mark('refused', 'page')
    if (event.event !== 'call_settled') return
    const isShown = event['task'] === shownTask(this.#state()) || this.#view.task === null
    this.#work.mark('series', 'page', ...(isShown ? (['turns'] as const) : []))
  }

  async #do(work: ReadonlySet<Work>): Promise<void> {
    const view = this.#view
    const parts = new Set(dataParts.filter((part) => work.has(part)))
    const { gate } = this.#context
    if (parts.size > 0 && gate.kind === 'up') {
      try {
        const read = await readParts(
          (path) => this.#context.supervisor.call('GET', path),
          view,
          parts,
          this.#data,
          (data) => shownTask({ ...this.#state(), view, data }),
        )
        // What a person chose in the meantime is read next, and this is not what they want to see.
        if (view !== this.#view) return
        this.#data = read
      } catch (error) {
        this.#context.log.warn(`The dashboard could not be filled: ${reasonOf(error)}`)
        this.#data = { ...this.#data, problem: reasonOf(error) }
      }
    }
    this.#show()
  }

  #show(): void {
    if (this.#panel === null || !this.#isReady) return
    const page = pageOf(this.#state(), this.#context.text)
    const text = JSON.stringify(page)
    if (text === this.#sent && !this.#setsView) return
    const message: ToPage = { type: 'show', page, setsView: this.#setsView }
    this.#sent = text
    this.#setsView = false
    void this.#panel.webview.postMessage(message)
  }

  #state(): DashboardState {
    const { gate, supervisor } = this.#context
    return {
      view: this.#view,
      data: this.#data,
      gate: gateKey(gate),
      status: gate.kind === 'up' ? gate.status : this.#status,
      startedAtMs: supervisor.record?.startedAtMs ?? null,
      language: vscode.env.language,
    }
  }

  async #export(chart: ChartName): Promise<void> {
    const { dashboard } = this.#context.text
    const csv = this.csv(chart)
    if (csv === null) return
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir())
    const day = this.#data.series?.to ?? new Date().toISOString().slice(0, 10)
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(folder, `tollgate-${chart}-${day}.csv`),
      filters: { CSV: ['csv'] },
      saveLabel: dashboard.saveLabel,
    })
    if (target === undefined) return
    try {
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(csv))
    } catch (error) {
      void vscode.window.showErrorMessage(dashboard.notSaved(reasonOf(error)))
      return
    }
    const name = target.path.slice(target.path.lastIndexOf('/') + 1)
    const chosen = await vscode.window.showInformationMessage(dashboard.saved(name), dashboard.open)
    if (chosen === dashboard.open) await vscode.commands.executeCommand('vscode.open', target)
  }
}
