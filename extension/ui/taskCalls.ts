import * as vscode from 'vscode'
import { readCalls } from '../calls.ts'
import type { TollgateContext } from '../context.ts'
import { reasonOf } from '../log.ts'
import { callTable } from './callTable.ts'
import { coalesced, realTimers } from './coalesce.ts'
import { textField } from './eventFields.ts'
import { nameOfTask, taskToName } from './taskName.ts'
import { toldApart } from './toldApart.ts'

const scheme = 'tollgate-calls'

/** Most calls that one document lists. */
const mostCalls = 500

/** Least time between two readings of an open document, in milliseconds. */
const leastIntervalMs = 1000

/** Read-only documents with the calls of a task, drawn anew while the task runs. */
export class TaskCalls implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #context: TollgateContext
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly #disposables: readonly { dispose(): unknown }[]
  /** Tasks with a call that ended since their documents were read. */
  readonly #stale = new Set<string>()
  readonly #reread = coalesced(() => this.#readAgain(), leastIntervalMs, realTimers)

  readonly onDidChange = this.#changed.event

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      context.onDidReceiveEvent((event) => {
        const task = event.event === 'call_settled' ? textField(event, 'task') : undefined
        if (task === undefined || !vscode.workspace.textDocuments.some((one) => taskOf(one.uri) === task)) return
        this.#stale.add(task)
        this.#reread.ask()
      }),
    ]
  }

  /** Opens the document of a task. */
  async open(task: string): Promise<void> {
    const title = this.#context.text.spend.callsOfTask(this.#nameOf(task)).replaceAll('/', '-')
    const uri = vscode.Uri.from({ scheme, path: `/${title}.txt`, query: encodeURIComponent(task) })
    // A document that is still in memory shows what it read when it was opened.
    this.#changed.fire(uri)
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true })
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { supervisor, text, figures, log } = this.#context
    const task = taskOf(uri) ?? ''
    try {
      const query = new URLSearchParams({ task, limit: String(mostCalls) })
      const calls = readCalls(await supervisor.call('GET', `/api/calls?${query.toString()}`))
      return callTable({ id: task, name: this.#nameOf(task) }, calls, calls.length >= mostCalls, text, figures)
    } catch (error) {
      log.warn(`Calls of a task: ${reasonOf(error)}`)
      return `${text.spend.callsUnreadable(reasonOf(error))}\n`
    }
  }

  dispose(): void {
    this.#reread.cancel()
    for (const disposable of this.#disposables) disposable.dispose()
  }

  #nameOf(task: string): string {
    const { gate, text, figures } = this.#context
    const nowMs = Date.now()
    const known = taskToName(task, gate.kind === 'up' ? toldApart(gate.status.tasks, nowMs, text, figures) : [])
    return nameOfTask(known, nowMs, text, figures)
  }

  #readAgain(): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const task = taskOf(uri)
      if (task !== null && this.#stale.has(task)) this.#changed.fire(uri)
    }
    this.#stale.clear()
  }
}

function taskOf(uri: vscode.Uri): string | null {
  return uri.scheme === scheme ? decodeURIComponent(uri.query) : null
}
