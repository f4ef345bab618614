import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { reasonOf } from '../log.ts'
import { offer } from '../offerActions.ts'
import type { ClientText } from '../text/clients.ts'
import { disk } from './disk.ts'
import { WriteRefused } from './facts.ts'
import { shortPath } from './places.ts'
import { presentText } from './present.ts'
import { obstacleText } from './question.ts'
import { claudeSetting } from './target.ts'
import { isOf, parseUndo, restoring } from './undo.ts'
import type { Restored, UndoRecord } from './undo.ts'
import { userSettings } from './userSettings.ts'
import { showChange } from './virtual.ts'

/**
 * *Undo Client Configuration…*: restores what was there before. `argument` names the client, or its file or setting; where that
 * leaves several, or none, the user picks one.
 */
export async function undoClient(context: TollgateContext, argument?: unknown): Promise<void> {
  const { clients } = context.text
  const records = parseUndo(context.memory.clientUndo)
  if (records.length === 0) return offer(clients.noUndo)
  const named = records.filter(({ client, target }) => client === argument || target === argument)
  const items = (named.length === 0 ? records : named).map((one) => ({
    label: clients.names[one.client],
    description: shortPath(one.target),
    one,
  }))
  const record =
    named.length === 1 ? named[0] : (await vscode.window.showQuickPick(items, { placeHolder: clients.pickUndo }))?.one
  if (record !== undefined) await restore(context, record)
}

async function restore(context: TollgateContext, record: UndoRecord): Promise<void> {
  const { clients } = context.text
  const { client, target, madeFolder } = record
  const name = clients.names[client]
  const where = shortPath(target)
  const isSetting = target === claudeSetting
  const key = (await readKey(context.dataDir)) ?? ''
  const open = isSetting ? {} : { [clients.openFile]: () => vscode.window.showTextDocument(vscode.Uri.file(target)) }
  const present = await presentText(target, isSetting)
  if (present === undefined) return offer(clients.malformed(where), open)
  const outcome = restoring(record, present, key)
  if (outcome.kind === 'impossible') {
    // What was removed needs no undo, and what cannot be undone now may be later.
    if (present === null) await forget(context, record)
    return offer(clients.cannotUndo(where), present === null ? {} : open)
  }
  if (outcome.kind === 'changed') {
    const shown = await showChange(target, present ?? '', outcome.text ?? '', clients.undoTitle(name))
    const answer = await vscode.window.showInformationMessage(clients.askUndo(where), clients.restore)
    await shown.close()
    if (answer !== clients.restore) return
    if ((await presentText(target, isSetting)) !== present) return offer(clients.changedMeanwhile(where))
  }
  try {
    if (isSetting) await userSettings.write(target, outcome.text)
    else if (outcome.text === null) await disk.remove(target, madeFolder)
    else await disk.write(target, outcome.text)
  } catch (error) {
    context.log.warn(`Undo ${client}: ${reasonOf(error)}`)
    return error instanceof WriteRefused
      ? offer(obstacleText(error.obstacle, where, clients), open)
      : offer(clients.failed(where, reasonOf(error)))
  }
  await forget(context, record)
  context.log.info(`Restored the settings of ${client}: ${target}.`)
  offer(outcomeText(record, outcome, where, clients))
}

/** What was restored, and no more than that. */
function outcomeText({ isLastOnly }: UndoRecord, { kind, text }: Restored, where: string, clients: ClientText): string {
  if (text === null) return clients.removedAgain(where)
  if (kind === 'changed') return clients.takenOut(where)
  return isLastOnly ? clients.restoredLast(where) : clients.restored(where)
}

async function forget({ memory }: TollgateContext, forgotten: UndoRecord): Promise<void> {
  await memory.setClientUndo(parseUndo(memory.clientUndo).filter((record) => !isOf(record, forgotten)))
}
