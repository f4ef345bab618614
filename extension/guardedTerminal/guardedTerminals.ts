import * as vscode from 'vscode'
import type { TaskStatus } from '../../shared/status.ts'
import type { TollgateContext } from '../context.ts'
import { isHalted } from '../ui/taskState.ts'
import { stateWord, taskOfEnvironment, taskOfName, terminalName } from './taskId.ts'

/** How long the status bar says that the state of a terminal in the background changed, in milliseconds. */
const hintMs = 8000

interface Guarded {
  readonly terminal: vscode.Terminal
  state: TaskStatus['state']
}

/**
 * The guarded terminals of this window: which task is which terminal, and the task's state in its name.
 *
 * VS Code renames only the active terminal (`workbench.action.terminal.renameWithArg`), and to make another one active would take
 * the keyboard away from whoever types. So the active one is renamed at once, a line in the status bar tells of the others, and
 * these get their name as soon as somebody looks at them.
 */
export class GuardedTerminals implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #byTask = new Map<string, Guarded>()
  readonly #disposables: vscode.Disposable[]
  #renaming: Promise<void> = Promise.resolve()

  constructor(context: TollgateContext) {
    this.#context = context
    this.#disposables = [
      vscode.window.onDidOpenTerminal((terminal) => void this.#recognise(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => this.#closed(terminal)),
      vscode.window.onDidChangeActiveTerminal(() => this.#renameActive()),
      context.onDidChangeGate(() => this.#refresh()),
    ]
    for (const terminal of vscode.window.terminals) void this.#recognise(terminal)
  }

  /** Ids of their tasks. */
  get tasks(): readonly string[] {
    return [...this.#byTask.keys()]
  }

  /** Whether a task is a terminal of this window. */
  has(task: string): boolean {
    return this.#byTask.has(task)
  }

  /** Opens one, which has the keyboard then. */
  open(task: string, options: vscode.TerminalOptions): vscode.Terminal {
    const terminal = vscode.window.createTerminal({ ...options, name: terminalName(task, 'ok', this.#context.text) })
    this.#add(task, terminal)
    terminal.show()
    return terminal
  }

  /** Shows a task's terminal and gives it the keyboard; false where it is closed. */
  show(task: string): boolean {
    const guarded = this.#byTask.get(task)
    guarded?.terminal.show()
    return guarded !== undefined
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  /**
   * Finds the task of a terminal that this window did not open just now, after a reload: by its variables where VS Code still
   * tells them, by its shell's process, and after a restart, when the shell is another one, by its name.
   */
  async #recognise(terminal: vscode.Terminal): Promise<void> {
    if ([...this.#byTask.values()].some((one) => one.terminal === terminal)) return
    const options: Readonly<vscode.TerminalOptions> = 'pty' in terminal.creationOptions ? {} : terminal.creationOptions
    const known = taskOfEnvironment(options.env ?? {})
    if (known !== undefined) return this.#add(known, terminal)
    const remembered = this.#context.memory.guardedTerminals
    if (remembered.length === 0) return
    const processId = await terminal.processId
    const named = taskOfName(terminal.name)
    const found =
      remembered.find((one) => processId !== undefined && one.processId === processId) ??
      remembered.find(({ task }) => task === named)
    if (found !== undefined && !this.#byTask.has(found.task) && terminal.exitStatus === undefined) {
      this.#add(found.task, terminal)
    }
  }

  #add(task: string, terminal: vscode.Terminal): void {
    const { memory, log } = this.#context
    this.#byTask.set(task, { terminal, state: this.#stateOf(task) ?? 'ok' })
    void memory.rememberTerminal({ task, processId: null }).then(async () => {
      const processId = (await terminal.processId) ?? null
      if (this.#byTask.get(task)?.terminal === terminal) await memory.rememberTerminal({ task, processId })
    })
    log.info(`Task ${task} is a guarded terminal of this window.`)
    this.#renameActive()
  }

  #closed(terminal: vscode.Terminal): void {
    for (const [task, guarded] of this.#byTask) {
      if (guarded.terminal !== terminal) continue
      this.#byTask.delete(task)
      // A window that closes does not close its terminals: they come back with it.
      if (terminal.exitStatus?.reason !== vscode.TerminalExitReason.Shutdown) {
        void this.#context.memory.forgetTerminal(task)
      }
    }
  }

  #refresh(): void {
    const { text } = this.#context
    for (const [task, guarded] of this.#byTask) {
      const state = this.#stateOf(task)
      if (state === undefined || state === guarded.state) continue
      guarded.state = state
      if (vscode.window.activeTerminal !== guarded.terminal && state !== 'ok') {
        const line = text.terminal.guardedChanged(task, stateWord(state, text))
        vscode.window.setStatusBarMessage(`$(shield) ${line}`, hintMs)
      }
    }
    this.#renameActive()
  }

  /** Undefined where the gate does not tell: before the first call, and while it is away. */
  #stateOf(task: string): TaskStatus['state'] | undefined {
    const { gate } = this.#context
    if (gate.kind !== 'up') return undefined
    if (gate.status.kills.some(({ scope, ref }) => scope === 'task' && ref === task)) return 'halted'
    const found = gate.status.tasks.find(({ id }) => id === task)
    return found !== undefined && isHalted(found) ? 'halted' : found?.state
  }

  /** Brings the active terminal's name in line with its task; one rename after the other. */
  #renameActive(): void {
    if (this.#byTask.size === 0) return
    this.#renaming = this.#renaming
      .then(() => this.#rename())
      .catch((error: unknown) => this.#context.log.warn(`A terminal was not renamed: ${String(error)}`))
  }

  async #rename(): Promise<void> {
    const active = vscode.window.activeTerminal
    const [task, guarded] = [...this.#byTask].find(([, { terminal }]) => terminal === active) ?? []
    if (active === undefined || task === undefined || guarded === undefined) return
    const name = terminalName(task, guarded.state, this.#context.text)
    // A person may have named it, and that name stays.
    if (active.name === name || taskOfName(active.name) !== task) return
    const namesBefore = new Map(vscode.window.terminals.map((terminal) => [terminal, terminal.name]))
    await rename(name)
    // Somebody who changed terminals in that very moment has another one called guarded now.
    const struck = vscode.window.terminals.find((terminal) => terminal !== active && terminal.name === name)
    const before = struck && namesBefore.get(struck)
    if (before !== undefined && vscode.window.activeTerminal === struck) await rename(before)
  }
}

async function rename(name: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name })
}
