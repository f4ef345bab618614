import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { realTimers } from './coalesce.ts'
import { ItemPace } from './itemPace.ts'
import { renderStatusBar } from './statusBarModel.ts'
import type { StatusBarView } from './statusBarModel.ts'
import { tooltipCommands } from './tooltipLinks.ts'

/** The one status bar item. It is drawn from the model, changed only where the drawing changed, and never blanked. */
export class StatusBar implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #disposables: vscode.Disposable[]
  #item: vscode.StatusBarItem
  #alignment: 'left' | 'right'
  #shown: StatusBarView | undefined
  readonly #pace = new ItemPace(() => this.#draw(), realTimers)

  constructor(context: TollgateContext) {
    this.#context = context
    this.#alignment = context.settings.statusBarAlignment
    this.#item = createItem(context, this.#alignment)
    this.#disposables = [
      context.onDidChangeGate(() => this.#schedule()),
      context.terminals.onDidChange(() => this.#schedule()),
      context.onDidChangeSettings(() => this.#realign()),
    ]
    this.#pace.now()
  }

  /** What the item shows now. */
  get view(): StatusBarView {
    return this.#shown ?? this.#render()
  }

  dispose(): void {
    this.#pace.cancel()
    for (const disposable of this.#disposables) disposable.dispose()
    this.#item.dispose()
  }

  #schedule(): void {
    this.#pace.ask(this.#shown === undefined || iconOf(this.#render()) !== iconOf(this.#shown))
  }

  #draw(): void {
    const view = this.#render()
    const before = this.#shown
    this.#shown = view
    if (view.text !== before?.text) this.#item.text = view.text
    if (view.tooltip !== before?.tooltip) this.#item.tooltip = trusted(view.tooltip)
    if (view.background !== before?.background) this.#item.backgroundColor = background(view.background)
    if (view.accessibleLabel !== before?.accessibleLabel) {
      this.#item.accessibilityInformation = { label: view.accessibleLabel, role: 'button' }
    }
    if (before === undefined) this.#item.show()
  }

  #render(): StatusBarView {
    const { gate, terminals, settings, text, figures } = this.#context
    const host = vscode.env.remoteName ?? null
    const shown = { gate, terminals: terminals.state, host, show: settings.statusBarShow, nowMs: Date.now() }
    return renderStatusBar(shown, text, figures)
  }

  /** An item cannot change its side, so another one takes its place. */
  #realign(): void {
    const { statusBarAlignment } = this.#context.settings
    if (statusBarAlignment !== this.#alignment) {
      this.#alignment = statusBarAlignment
      this.#item.dispose()
      this.#item = createItem(this.#context, statusBarAlignment)
      this.#shown = undefined
    }
    this.#pace.now()
  }
}

/** The icon stands for the state: it changes when more than figures do. */
function iconOf(view: StatusBarView): string {
  return view.text.slice(0, view.text.indexOf(' '))
}

function createItem(context: TollgateContext, alignment: 'left' | 'right'): vscode.StatusBarItem {
  const side = alignment === 'left' ? vscode.StatusBarAlignment.Left : vscode.StatusBarAlignment.Right
  const item = vscode.window.createStatusBarItem('tollgate.spend', side, 100)
  item.name = context.text.itemName
  item.command = 'tollgate.showMenu'
  return item
}

function trusted(markdown: string): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString(markdown, true)
  tooltip.isTrusted = { enabledCommands: [...tooltipCommands] }
  return tooltip
}

function background(kind: StatusBarView['background']): vscode.ThemeColor | undefined {
  return kind === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${kind}Background`)
}
