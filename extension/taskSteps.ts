import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'
import { reasonOf } from './log.ts'
import { endProcess } from './process/ending.ts'
import type { Ending } from './process/ending.ts'
import { endingPorts } from './process/host.ts'
import { showCall } from './showCall.ts'
import { showText } from './shownText.ts'
import { windowGuide } from './truncation/guide.ts'
import type { Step } from './ui/offer.ts'

/** How long a line in the status bar says what was done, in milliseconds. */
const lineMs = 8000

/** Does what a person chose and says in one line what was done, or why it could not be. True where it changed something. */
export async function takeStep(context: TollgateContext, step: Step): Promise<boolean> {
  const { text, supervisor, log } = context
  try {
    switch (step.kind) {
      case 'allow':
        await supervisor.call('POST', '/api/grants', step.grant)
        return say(context, step.done)
      case 'resume':
        // Lifts a kill switch of the task as well.
        await supervisor.call('POST', '/api/resume', { scope: 'task', ref: step.task })
        return say(context, text.taskResumed(step.name))
      case 'stop':
        await supervisor.call('POST', `/api/tasks/${encodeURIComponent(step.task)}/halt`)
        return say(context, text.taskStopped(step.name))
      case 'endProcess':
        return await end(context, step)
      case 'openSetting':
        await vscode.commands.executeCommand('workbench.action.openSettings', step.setting)
        return false
      case 'raise':
        await vscode.commands.executeCommand('tollgate.raiseToday', step.cap)
        return false
      case 'showTerminal':
        if (!context.guardedTerminals.show(step.task))
          void vscode.window.showInformationMessage(text.terminal.terminalGone)
        return false
      case 'showLog':
        log.show()
        return false
      case 'showWindowGuide':
        await showText('Tollgate.md', windowGuide(step.truncation, text, context.figures))
        return false
      case 'setWindowPolicy':
        // The parser of settings files is seldom needed, so it is not loaded before.
        await (await import('./truncation/setPolicy.ts')).setWindowPolicy(context, step.plan, step.policy)
        return false
      case 'showCall':
        await showCall(context, step.call, step.sinceMs)
        return false
    }
  } catch (error) {
    log.warn(`${step.kind}: ${reasonOf(error)}`)
    const chosen = await vscode.window.showErrorMessage(text.stepFailed(reasonOf(error)), text.showLog)
    if (chosen === text.showLog) log.show()
    return false
  }
}

function say(context: TollgateContext, line: string): true {
  context.log.info(line)
  vscode.window.setStatusBarMessage(`$(check) ${line}`, lineMs)
  return true
}

/** Asks once more, with name and id: what is ended may have unsaved work. */
async function end(context: TollgateContext, step: Extract<Step, { kind: 'endProcess' }>): Promise<boolean> {
  const { text, log } = context
  const { pid, name, seen } = step
  const sure = await vscode.window.showWarningMessage(
    text.confirmEnd(name, pid),
    { modal: true, detail: text.confirmEndDetail },
    text.endProcess,
  )
  if (sure !== text.endProcess) return false
  const ending: Ending =
    seen === null
      ? 'gone'
      : await endProcess(seen, endingPorts(vscode.env.appRoot, context.supervisor.record?.pid ?? null))
  log.info(`End process ${name} (${pid}): ${ending}.`)
  const outcome = {
    ended: text.processEnded(name, pid),
    stays: text.processStays(name, pid),
    gone: text.processGone(name, pid),
    protected: text.processIsEditor,
    denied: text.processDenied(name, pid),
  }[ending]
  const message = ending === 'ended' || ending === 'gone' ? 'showInformationMessage' : 'showWarningMessage'
  void vscode.window[message](outcome)
  return ending === 'ended'
}
