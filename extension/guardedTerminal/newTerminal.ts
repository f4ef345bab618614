import * as vscode from 'vscode'
import { projectSlug } from '../../shared/addresses.ts'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { injection } from '../env/injection.ts'
import type { Injection } from '../env/injection.ts'
import { reasonOf } from '../log.ts'
import { offer, offerWithoutGate, startActions } from '../offerActions.ts'
import {
  ceilingNames,
  ceilingQuestions,
  ceilingsRequest,
  openingLines,
  planCeilings,
  readCeiling,
  readCeilings,
} from './ceilings.ts'
import type { Ceilings } from './ceilings.ts'
import { launcher, userShell } from './launcher.ts'
import type { UserShell } from './launcher.ts'
import { nextTaskId } from './taskId.ts'

/** Ids that are tried before one is taken that may have been used: another data directory has other tasks. */
const mostIdsTried = 50

/** *New Guarded Terminal…*: a terminal in which everything is one task with ceilings of its own. */
export async function newGuardedTerminal(context: TollgateContext): Promise<void> {
  const { text, settings, gate, terminals, memory, log } = context
  const openSettings = { [text.openSettings]: () => vscode.commands.executeCommand('tollgate.openSettings') }
  if (!settings.enabled) return offer(text.switchedOff, openSettings)
  if (terminals.state.wrongHost) return offer(text.skippedRemote)
  const key = await readKey(context.dataDir)
  if (gate.kind !== 'up' || key === undefined) return offerWithoutGate(context, text.terminal.terminalWhileDown)

  const folder = await pickFolder(context)
  if (folder === null) return
  // Before anybody types an amount: whether there is something to guard at all.
  const inject = (task: string): Injection =>
    injection({
      origin: context.gateOrigin,
      key,
      project: folder === undefined ? null : projectSlug(folder.name) || null,
      task,
      // `ollama serve`, which would listen on it, has no business in a terminal that is one task.
      inject: { ...settings.inject, ollamaHost: true },
      environment: process.env,
    })
  const { variables, skipped } = inject('none')
  if (variables.length === 0) {
    const why = skipped.map((one) =>
      one.why === 'azure' ? text.skippedAzure(one.variable) : text.skippedElsewhere(one.family, one.variable),
    )
    return offer(
      why.length === 0 ? text.terminal.nothingToGuard : text.terminal.nothingToGuardSkipped(why.join(' ')),
      openSettings,
    )
  }
  const ceilings = await askCeilings(context)
  if (ceilings === undefined) return
  await memory.setCeilings(ceilings)

  try {
    const task = await freeTaskId(context)
    await memory.setLastTerminalTask(task)
    await context.supervisor.call('POST', '/api/tasks', ceilingsRequest(task, ceilings))
    context.guardedTerminals.open(task, {
      // A folder of a virtual file system is no place for a process.
      ...(folder?.uri.scheme === 'file' ? { cwd: folder.uri } : {}),
      iconPath: new vscode.ThemeIcon('shield'),
      color: new vscode.ThemeColor('terminal.ansiCyan'),
      message: openingLines(task, ceilings, skipped, text, context.figures).join('\r\n'),
      ...launcher({
        variables: inject(task).variables,
        host: process.env,
        shell: shellOfUser(),
        platform: process.platform,
      }),
    })
  } catch (error) {
    log.warn(`New guarded terminal: ${reasonOf(error)}`)
    offer(text.terminal.terminalRefused(reasonOf(error)), startActions(context))
  }
}

/** The folder whose project it counts for: undefined without a folder, null where none was chosen. */
async function pickFolder({ text }: TollgateContext): Promise<vscode.WorkspaceFolder | undefined | null> {
  const folders = vscode.workspace.workspaceFolders ?? []
  if (folders.length <= 1) return folders[0]
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder: text.terminal.pickFolder })) ?? null
}

/** Asks for one ceiling after the other, beginning with those of the last time; undefined where that was given up. */
async function askCeilings({ text, memory, figures }: TollgateContext): Promise<Ceilings | undefined> {
  const questions = ceilingQuestions(text, figures)
  const last = readCeilings(memory.ceilings)
  let asked = planCeilings
  for (const [index, name] of ceilingNames.entries()) {
    const { prompt, placeHolder, problem } = questions[name]
    const typed = await vscode.window.showInputBox({
      title: text.terminal.newTerminalStep(index + 1, ceilingNames.length),
      prompt,
      placeHolder,
      value: last[name] === null ? '' : String(last[name]),
      validateInput: (value) => (readCeiling(name, value) === undefined ? problem : undefined),
    })
    const ceiling = typed === undefined ? undefined : readCeiling(name, typed)
    if (ceiling === undefined) return undefined
    asked = { ...asked, [name]: ceiling }
  }
  return asked
}

/** An id that no task of this ledger has: its counters would go on where that one stopped. */
async function freeTaskId({ gate, memory, guardedTerminals, supervisor }: TollgateContext): Promise<string> {
  const taken = new Set([
    memory.lastTerminalTask,
    ...guardedTerminals.tasks,
    ...(gate.kind === 'up' ? gate.status.tasks.map(({ id }) => id) : []),
  ])
  const now = new Date()
  for (let tried = 1; ; tried += 1) {
    const task = nextTaskId(now, taken)
    const { calls } = (await supervisor.call('GET', `/api/calls?task=${task}&limit=1`)) as { calls?: unknown }
    if (!Array.isArray(calls) || calls.length === 0 || tried >= mostIdsTried) return task
    taken.add(task)
  }
}

/** The shell that an ordinary terminal would have. */
function shellOfUser(): UserShell {
  const platform = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux'
  const configuration = vscode.workspace.getConfiguration('terminal.integrated')
  const profile: unknown = configuration.get(`defaultProfile.${platform}`)
  return userShell(vscode.env.shell, profile, configuration.get(`profiles.${platform}`), process.platform)
}
