import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { reasonOf } from '../log.ts'
import { offer } from '../offerActions.ts'
import { presentText, shortPath } from './present.ts'
import { disk } from './disk.ts'
import type { ClientId } from './plan.ts'
import { claudeSetting } from './target.ts'
import { parseUndo, restoring } from './undo.ts'
import type { UndoRecord } from './undo.ts'
import { userSettings } from './userSettings.ts'
import { showChange } from './virtual.ts'

/** *Undo Client Configuration…*: restores what was there before. `argument` names the client, else the user picks one. */
export async function undoClient(context: TollgateContext, argument?: unknown): Promise<void> {
  const { clients } = context.text
  const records = parseUndo(context.memory.clientUndo)
  if (records.length === 0) return offer(clients.noUndo)
  const record =
    records.find(({ client }) => client === argument) ??
    (
      await vscode.window.showQuickPick(
        records.map((one) => ({ label: clients.names[one.client], description: shortPath(one.target), one })),
        { placeHolder: clients.pickUndo },
      )
    )?.one
  if (record !== undefined) await restore(context, record)
}

async function restore(context: TollgateContext, record: UndoRecord): Promise<void> {
  const { clients } = context.text
  const { client, target } = record
  const name = clients.names[client]
  const where = shortPath(target)
  const isSetting = target === claudeSetting
  const key = (await readKey(context.dataDir)) ?? ''
  const present = (await presentText(target, isSetting)) ?? null
  const outcome = restoring(record, present, key)
  if (outcome.kind === 'impossible') {
    // A file that was removed needs no undo, and one that cannot be undone now may be later.
    if (present === null) await forget(context, client)
    return offer(
      clients.cannotUndo(where),
      isSetting || present === null
        ? {}
        : { [clients.openFile]: () => vscode.window.showTextDocument(vscode.Uri.file(target)) },
    )
  }
  if (outcome.kind === 'changed') {
    const shown = await showChange(target, present ?? '', outcome.text, clients.undoTitle(name))
    const answer = await vscode.window.showInformationMessage(clients.askUndo(where), clients.restore)
    await shown.close()
    if (answer !== clients.restore) return
    if ((await presentText(target, isSetting)) !== present) return offer(clients.changedMeanwhile(where))
  }
  try {
    if (isSetting) await userSettings.write(target, outcome.text)
    else if (outcome.text === null) await disk.remove(target)
    else await disk.write(target, outcome.text)
  } catch (error) {
    context.log.warn(`Undo ${client}: ${reasonOf(error)}`)
    return offer(clients.failed(where, reasonOf(error)))
  }
  await forget(context, client)
  context.log.info(`Restored the settings of ${client}: ${target}.`)
  offer(clients.restored(name))
}

async function forget({ memory }: TollgateContext, client: ClientId): Promise<void> {
  await memory.setClientUndo(parseUndo(memory.clientUndo).filter((record) => record.client !== client))
}
