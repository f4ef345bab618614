import * as vscode from 'vscode'
import type { TaskStatus } from '../shared/status.ts'
import { copyBaseUrl } from './baseUrl.ts'
import type { TollgateContext } from './context.ts'
import { newGuardedTerminal } from './guardedTerminal/newTerminal.ts'
import { showMenu } from './menu.ts'
import { offer, offerWithoutGate } from './offerActions.ts'
import { restartDaemon } from './restart.ts'
import { resume, stopAll } from './stop/commands.ts'
import { takeStep } from './taskSteps.ts'
import { tryIt } from './tryIt/tryIt.ts'
import { taskEntries } from './ui/taskEntries.ts'
import { nameOfTask, taskToName } from './ui/taskName.ts'
import { isHalted } from './ui/taskState.ts'
import { toldApart } from './ui/toldApart.ts'

/** A command of the extension. It has to make sense with the daemon away as well. A link may pass an argument. */
type Command = (context: TollgateContext, argument?: unknown) => unknown

const commands: Readonly<Record<string, Command>> = {
  'tollgate.showMenu': showMenu,
  'tollgate.stopAll': stopAll,
  'tollgate.resume': resume,
  'tollgate.openCaps': () => vscode.commands.executeCommand('workbench.action.openSettings', 'tollgate.caps'),
  'tollgate.openSettings': openSettings,
  'tollgate.openDocumentation': async (context) => (await import('./documentation.ts')).openDocumentation(context),
  'tollgate.showLog': (context) => context.log.show(),
  'tollgate.showAllMessages': showAllMessages,
  'tollgate.copyBaseUrl': copyBaseUrl,
  'tollgate.newGuardedTerminal': newGuardedTerminal,
  'tollgate.tryIt': tryIt,
  // These are seldom used, so they are not loaded before.
  'tollgate.raiseToday': async (context, row) => (await import('./raise/raiseToday.ts')).raiseToday(context, row),
  'tollgate.takeBackToday': async (context, row) => (await import('./raise/takeBack.ts')).takeBackToday(context, row),
  'tollgate.doctor': async (context) => (await import('./doctor/doctor.ts')).runDoctor(context),
  'tollgate.configureClient': async (context, client) =>
    (await import('./clients/configure.ts')).configureClient(context, client),
  'tollgate.undoClient': async (context, client) =>
    (await import('./clients/undoConfigure.ts')).undoClient(context, client),
  'tollgate.restartDaemon': restartDaemon,
  'tollgate.showExtension': ({ extension }) => showExtension(extension.extension.id),
  'tollgate.getStarted': ({ extension }) => openWalkthrough(extension.extension.id),
  'tollgate.bypass': (context) => setBypassed(context, true),
  'tollgate.guard': (context) => setBypassed(context, false),
  'tollgate.stopTask': (context, task) => steerTask(context, 'stop', task),
  'tollgate.resumeTask': (context, task) => steerTask(context, 'resume', task),
}

/** Registers every command. */
export function registerCommands(context: TollgateContext): readonly vscode.Disposable[] {
  void setBypassedKey(context)
  return Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, (argument: unknown) => {
      context.supervisor.lookAgain()
      return run(context, argument)
    }),
  )
}

/** Stops a task or lets it go on: the one that a link names, else one that the user picks. */
async function steerTask(context: TollgateContext, kind: 'stop' | 'resume', argument: unknown): Promise<void> {
  const { text, gate, figures } = context
  const tasks = gate.kind === 'up' ? gate.status.tasks : []
  const mayBePicked = kind === 'resume' ? isHalted : ({ state }: TaskStatus) => state !== 'halted'
  const nowMs = Date.now()
  const entries = taskEntries(tasks, mayBePicked, nowMs, text, figures)
  if (typeof argument !== 'string' && entries.length === 0) {
    const none = kind === 'stop' ? text.noTaskToStop : text.noTaskToResume
    return gate.kind === 'unfollowed' ? offerWithoutGate(context, none) : offer(none)
  }
  const placeHolder = kind === 'stop' ? text.pickTaskToStop : text.pickTaskToResume
  const id = typeof argument === 'string' ? argument : (await vscode.window.showQuickPick(entries, { placeHolder }))?.id
  if (id === undefined) return
  const known = taskToName(id, toldApart(tasks, nowMs, text, figures))
  const name = nameOfTask(known, nowMs, text, figures)
  await takeStep(context, { kind, task: id, name })
}

/** All settings, or the one that a link names. */
function openSettings(_context: TollgateContext, setting: unknown): Thenable<unknown> {
  const query = typeof setting === 'string' && setting.startsWith('tollgate.') ? setting : 'tollgate.'
  return vscode.commands.executeCommand('workbench.action.openSettings', query)
}

/** Takes every *Don't Show Again* back. */
async function showAllMessages({ text, memory }: TollgateContext): Promise<void> {
  offer((await memory.endSilence()) ? text.shownAgain : text.noneSilenced)
}

async function setBypassed(context: TollgateContext, bypassed: boolean): Promise<void> {
  await context.terminals.setBypassed(bypassed)
  await setBypassedKey(context)
  offer(bypassed ? context.text.nowBypassed : context.text.nowGuarded)
}

/** Among those that are installed, where it can be updated; its page would ask a marketplace, which is not there for everybody. */
function showExtension(extensionId: string): Thenable<unknown> {
  const name = extensionId.slice(extensionId.indexOf('.') + 1)
  return vscode.commands.executeCommand('workbench.extensions.search', `@installed ${name}`)
}

/** The id is read, not written down, because a fork publishes under another name. */
function openWalkthrough(extensionId: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#start`)
}

async function setBypassedKey(context: TollgateContext): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'tollgate.bypassed', context.memory.bypassed)
}
