import * as vscode from 'vscode'
import { changesBetween } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'

/**
 * The Spend view's rows for VS Code. Elements are the ids of nodes, because VS Code knows an element by what it is: an object
 * that is made anew at each drawing would be another row each time.
 */
export class SpendTree implements vscode.TreeDataProvider<string>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<string[] | undefined>()
  readonly #firstDrawing: () => Promise<void>
  #roots: readonly SpendNode[] = []
  #nodes = new Map<string, SpendNode>()
  #parents = new Map<string, string>()
  /** Nodes that a person opened or closed: a section that comes back stands as it was left. */
  readonly #steered = new Map<string, boolean>()

  readonly onDidChangeTreeData = this.#changed.event

  /** `firstDrawing` is awaited before the rows are asked for first; VS Code shows meanwhile that it waits. */
  constructor(firstDrawing: () => Promise<void>) {
    this.#firstDrawing = firstDrawing
  }

  /** The rows that are shown. */
  get roots(): readonly SpendNode[] {
    return this.#roots
  }

  /** A row by its id. */
  node(id: string): SpendNode | undefined {
    return this.#nodes.get(id)
  }

  /** Shows other rows; VS Code is told only of those that changed. */
  show(roots: readonly SpendNode[]): void {
    const changes = changesBetween(this.#roots, roots)
    this.#roots = roots
    this.#nodes = new Map()
    this.#parents = new Map()
    this.#index(roots, null)
    if (changes === 'all') this.#changed.fire(undefined)
    else if (changes.length > 0) this.#changed.fire([...changes])
  }

  /** Remembers that a person opened or closed a row. */
  steered(id: string, isOpen: boolean): void {
    this.#steered.delete(id)
    this.#steered.set(id, isOpen)
    const oldest = this.#steered.keys().next().value
    if (this.#steered.size > mostSteered && oldest !== undefined) this.#steered.delete(oldest)
  }

  async getChildren(id?: string): Promise<string[]> {
    if (id !== undefined) return (this.#nodes.get(id)?.children ?? []).map((child) => child.id)
    await this.#firstDrawing()
    return this.#roots.map((root) => root.id)
  }

  getParent(id: string): string | undefined {
    return this.#parents.get(id)
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.#nodes.get(id)
    // Asked for in the moment in which the row went away; the next look at its parent takes it out.
    if (node === undefined) return new vscode.TreeItem('')
    const item = new vscode.TreeItem(node.label, this.#stateOf(node))
    item.id = id
    item.tooltip = node.tooltip
    item.iconPath = new vscode.ThemeIcon(node.icon, colorOf(node.tone))
    item.accessibilityInformation = { label: node.spoken }
    if (node.description !== '') item.description = node.description
    if (node.menu.length > 0) item.contextValue = node.menu.join(' ')
    if (node.opens) item.command = { command: 'tollgate.spend.showCalls', title: '', arguments: [id] }
    return item
  }

  dispose(): void {
    this.#changed.dispose()
  }

  #stateOf({ id, open }: SpendNode): vscode.TreeItemCollapsibleState {
    if (open === 'leaf') return vscode.TreeItemCollapsibleState.None
    const isOpen = this.#steered.get(id) ?? open === 'open'
    return isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed
  }

  #index(nodes: readonly SpendNode[], parent: string | null): void {
    for (const node of nodes) {
      this.#nodes.set(node.id, node)
      if (parent !== null) this.#parents.set(node.id, parent)
      this.#index(node.children, node.id)
    }
  }
}

const mostSteered = 500

function colorOf(tone: SpendNode['tone']): vscode.ThemeColor | undefined {
  switch (tone) {
    case 'none':
      return undefined
    case 'warning':
      return new vscode.ThemeColor('list.warningForeground')
    case 'error':
      return new vscode.ThemeColor('list.errorForeground')
  }
}
