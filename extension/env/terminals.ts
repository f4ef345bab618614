import * as vscode from 'vscode'
import { projectSlug } from '../../shared/addresses.ts'
import { searchPathVariable } from '../commandLine/searchPath.ts'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { injection } from './injection.ts'
import type { InjectedVariable, SkippedFamily, TerminalState } from './injection.ts'

/**
 * Keeps the environment of new terminals equal to the settings. Values are replaced one by one and only when they changed,
 * never cleared and set again, so that open terminals are not marked as stale without a reason.
 */
export class Terminals implements vscode.Disposable {
  readonly #context: TollgateContext
  readonly #collection: vscode.GlobalEnvironmentVariableCollection
  readonly #changed = new vscode.EventEmitter<TerminalState>()
  readonly #disposables: vscode.Disposable[]
  #state: TerminalState
  #applying: Promise<void> = Promise.resolve()

  /** Fires when new terminals are set up differently. */
  readonly onDidChange = this.#changed.event

  constructor(context: TollgateContext) {
    this.#context = context
    this.#collection = context.extension.environmentVariableCollection
    this.#collection.persistent = true
    this.#state = { bypassed: context.memory.bypassed, wrongHost: this.#isWrongHost(), skipped: [] }
    this.#disposables = [
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.apply()),
      context.onDidChangeSettings(() => this.apply()),
    ]
    void this.apply()
  }

  /** The present set-up. */
  get state(): TerminalState {
    return this.#state
  }

  /** Brings the collection in line with settings, key and folders; calls run one after the other. */
  apply(): Promise<void> {
    this.#applying = this.#applying
      .then(() => this.#apply())
      .catch((error: unknown) => this.#context.log.error(`The terminal environment was not set: ${String(error)}`))
    return this.#applying
  }

  /** Lets new terminals of this workspace go past the gate, or through it again. */
  async setBypassed(bypassed: boolean): Promise<void> {
    await this.#context.memory.setBypassed(bypassed)
    await this.apply()
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose()
    this.#changed.dispose()
  }

  async #apply(): Promise<void> {
    const { settings, memory, log } = this.#context
    const wrongHost = this.#isWrongHost()
    const key = await readKey(this.#context.dataDir)
    const guarded = settings.enabled && !memory.bypassed && !wrongHost && key !== undefined
    const folders = vscode.workspace.workspaceFolders ?? []
    const single = folders.length === 1 ? folders[0] : undefined
    const skipped: SkippedFamily[] = []

    const valuesFor = (folder: vscode.WorkspaceFolder | undefined): readonly InjectedVariable[] => {
      if (!guarded) return []
      const result = injection({
        origin: this.#context.gateOrigin,
        key,
        project: folder === undefined ? null : projectSlug(folder.name) || null,
        inject: settings.inject,
        environment: process.env,
      })
      if (skipped.length === 0) skipped.push(...result.skipped)
      return result.variables
    }
    // The command answers where terminals bypass the gate, too. Unscoped values reach every terminal, so it is added once.
    const command =
      settings.enabled && !wrongHost
        ? [searchPathVariable(this.#context.commandLauncher.binDir, process.env['PATH'], process.platform)]
        : []
    this.#collection.description = guarded ? this.#context.text.environment : this.#context.text.environmentCommand
    // Terminals without a folder of their own get the unscoped values, so these are set in every case.
    update(this.#collection, [...valuesFor(single), ...command])
    for (const folder of folders) {
      const scoped = this.#collection.getScoped({ workspaceFolder: folder })
      update(scoped, single === undefined ? valuesFor(folder) : [])
    }
    for (const skip of skipped) {
      log.info(`Terminals are not guarded for ${skip.family} clients: ${skip.variable} is set (${skip.why}).`)
    }
    this.#state = { bypassed: memory.bypassed, wrongHost, skipped }
    this.#changed.fire(this.#state)
  }

  #isWrongHost(): boolean {
    const { extensionKind } = this.#context.extension.extension
    return extensionKind === vscode.ExtensionKind.UI && vscode.env.remoteName !== undefined
  }
}

function update(collection: vscode.EnvironmentVariableCollection, wanted: readonly InjectedVariable[]): void {
  const names = new Set(wanted.map((variable) => variable.name))
  const obsolete: string[] = []
  collection.forEach((name) => {
    if (!names.has(name)) obsolete.push(name)
  })
  for (const name of obsolete) collection.delete(name)
  for (const { name, value, action } of wanted) {
    const present = collection.get(name)
    const type =
      action === 'append' ? vscode.EnvironmentVariableMutatorType.Append : vscode.EnvironmentVariableMutatorType.Replace
    if (present?.value === value && present.type === type) continue
    if (action === 'append') collection.append(name, value)
    else collection.replace(name, value)
  }
}
