import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { offer, startActions } from '../offerActions.ts'

/** Stops all calls and says how many, or what holds instead where the gate does not answer. */
export async function stopAll(context: TollgateContext): Promise<void> {
  const { text, log } = context
  const outcome = await context.stops.stop()
  log.info(`Stop all calls: ${JSON.stringify(outcome)}`)
  switch (outcome.kind) {
    case 'stopped':
      return offer(text.stopped(outcome.cancelled, outcome.tookMs), { [text.linkResume]: () => resume(context) })
    case 'waits':
      return offer(outcome.isThere ? text.stopUnanswered : text.stopWhileDown, startActions(context, outcome.isThere))
    case 'windowOnly':
      return sayFault(context, text.stopNotStored(outcome.reason))
    case 'refused':
      return sayFault(context, text.stepFailed(outcome.reason))
  }
}

/** Lets calls pass again and takes back a stop that waits, and says so. */
export async function resume(context: TollgateContext): Promise<void> {
  const { text, log } = context
  const outcome = await context.stops.resume()
  log.info(`Resume: ${JSON.stringify(outcome)}`)
  switch (outcome.kind) {
    case 'resumed':
      return offer(text.resumed)
    case 'away':
      return offer(
        outcome.isThere ? text.resumeUnanswered : text.resumeWhileDown,
        startActions(context, outcome.isThere),
      )
    case 'refused':
      return sayFault(context, text.stepFailed(outcome.reason))
  }
}

/** A stop or resume that is not there as it was asked for stays on the screen until it is read. */
function sayFault({ text, log }: TollgateContext, message: string): void {
  void vscode.window.showErrorMessage(message, text.showLog).then((chosen) => {
    if (chosen === text.showLog) log.show()
  })
}
