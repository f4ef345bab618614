import * as vscode from 'vscode'
import { copyBaseUrl } from './baseUrl.ts'
import type { TollgateContext } from './context.ts'
import { newGuardedTerminal } from './guardedTerminal/newTerminal.ts'
import { reasonOf } from './log.ts'
import { offer } from './offerActions.ts'
import { takeStep } from './taskSteps.ts'
import { tryIt } from './tryIt/tryIt.ts'
import { besideLabel, labelOfTask, nameOfTask, taskToName } from './ui/taskName.ts'
import { isHalted } from './ui/taskState.ts'

/** A command of the extension. It has to make sense with the daemon away as well. A link may pass an argument. */
type Command = (context: TollgateContext, argument?: unknown) => unknown

const commands: Readonly<Record<string, Command>> = {
  'tollgate.showMenu': showMenu,
  'tollgate.stopAll': stopAll,
  'tollgate.resume': resume,
  'tollgate.openCaps': () => vscode.commands.executeCommand('workbench.action.openSettings', 'tollgate.caps'),
  'tollgate.openSettings': () => vscode.commands.executeCommand('workbench.action.openSettings', 'tollgate.'),
  'tollgate.showLog': (context) => context.log.show(),
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
    vscode.commands.registerCommand(id, (argument: unknown) => run(context, argument)),
  )
}

async function stopAll(context: TollgateContext): Promise<void> {
  const { text, supervisor } = context
  try {
    const { cancelled, tookMs } = parseKillResult(await supervisor.call('POST', '/api/kill', { scope: 'global' }))
    context.log.info(`Stopped all calls: ${cancelled} cancelled in ${tookMs} ms.`)
    offer(text.stopped(cancelled, tookMs), { [text.linkResume]: () => resume(context) })
  } catch (error) {
    context.log.warn(`Stop all: ${reasonOf(error)}`)
    context.stopWhenBack()
    offer(text.stopWhileDown, startActions(context))
  }
}

async function resume(context: TollgateContext): Promise<void> {
  const { text, supervisor } = context
  context.forgetStop()
  try {
    await supervisor.call('POST', '/api/resume', { scope: 'global' })
    context.log.info('Calls pass again.')
    offer(text.resumed)
  } catch (error) {
    context.log.warn(`Resume: ${reasonOf(error)}`)
    offer(text.resumeWhileDown, startActions(context))
  }
}

/** Stops a task or lets it go on: the one that a link names, else one that the user picks. */
async function steerTask(context: TollgateContext, kind: 'stop' | 'resume', argument: unknown): Promise<void> {
  const { text, gate, figures } = context
  const tasks = gate.kind === 'up' ? gate.status.tasks : []
  const entries = tasks
    .filter((task) => (kind === 'resume' ? isHalted(task) : task.state !== 'halted'))
    .map((task) => ({
      label: labelOfTask(task, Date.now(), text, figures),
      description: `${besideLabel(task)} · ${figures.eur(task.eur)}`,
      id: task.id,
    }))
  if (typeof argument !== 'string' && entries.length === 0) {
    return offer(kind === 'stop' ? text.noTaskToStop : text.noTaskToResume)
  }
  const placeHolder = kind === 'stop' ? text.pickTaskToStop : text.pickTaskToResume
  const id = typeof argument === 'string' ? argument : (await vscode.window.showQuickPick(entries, { placeHolder }))?.id
  if (id === undefined) return
  const name = nameOfTask(taskToName(id, tasks), Date.now(), text, figures)
  await takeStep(context, { kind, task: id, name })
}

async function restartDaemon(context: TollgateContext): Promise<void> {
  const { text, gate, settings, supervisor } = context
  if (!settings.enabled) {
    return offer(text.switchedOff, {
      [text.openSettings]: () => vscode.commands.executeCommand('tollgate.openSettings'),
    })
  }
  const running = gate.kind === 'up' ? gate.status.inFlight.length : 0
  if (running > 0) {
    const sure = await vscode.window.showWarningMessage(text.confirmRestart(running), { modal: true }, text.restart)
    if (sure !== text.restart) return
  }
  await supervisor.restart()
}

async function setBypassed(context: TollgateContext, bypassed: boolean): Promise<void> {
  await context.terminals.setBypassed(bypassed)
  await setBypassedKey(context)
  offer(bypassed ? context.text.nowBypassed : context.text.nowGuarded)
}

/** The id is read, not written down, because a fork publishes under another name. */
function openWalkthrough(extensionId: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#start`)
}

async function showMenu(context: TollgateContext): Promise<void> {
  const { text, gate, terminals } = context
  const killed = gate.kind === 'up' && gate.status.killed
  const entry = (
    icon: string,
    label: string,
    command: string,
  ): vscode.QuickPickItem & { readonly command: string } => ({
    label: `$(${icon}) ${label}`,
    command,
  })
  const picked = await vscode.window.showQuickPick(
    [
      killed
        ? entry('play-circle', text.linkResume, 'tollgate.resume')
        : entry('stop-circle', text.linkStop, 'tollgate.stopAll'),
      entry('add', text.linkRaise, 'tollgate.raiseToday'),
      entry('settings-gear', text.linkCaps, 'tollgate.openCaps'),
      entry('output', text.linkLog, 'tollgate.showLog'),
      entry('shield', text.menuNewTerminal, 'tollgate.newGuardedTerminal'),
      entry('copy', text.menuCopyUrl, 'tollgate.copyBaseUrl'),
      entry('beaker', text.menuTryIt, 'tollgate.tryIt'),
      entry('checklist', text.doctor.title, 'tollgate.doctor'),
      terminals.state.bypassed
        ? entry('shield', text.linkGuard, 'tollgate.guard')
        : entry('debug-disconnect', text.linkBypass, 'tollgate.bypass'),
      entry('debug-restart', text.linkRestart, 'tollgate.restartDaemon'),
    ],
    { title: text.menuTitle },
  )
  if (picked) await vscode.commands.executeCommand(picked.command)
}

function startActions(context: TollgateContext): Record<string, () => unknown> {
  const { text } = context
  return {
    [text.restart]: () => restartDaemon(context),
    [text.showLog]: () => context.log.show(),
  }
}

async function setBypassedKey(context: TollgateContext): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'tollgate.bypassed', context.memory.bypassed)
}

function parseKillResult(value: unknown): { readonly cancelled: number; readonly tookMs: number } {
  const { cancelled, tookMs } = (value ?? {}) as { cancelled?: unknown; tookMs?: unknown }
  return {
    cancelled: typeof cancelled === 'number' ? cancelled : 0,
    tookMs: typeof tookMs === 'number' ? Math.round(tookMs) : 0,
  }
}
