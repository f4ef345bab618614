import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { reasonOf } from '../log.ts'
import { offer, startActions } from '../offerActions.ts'
import { disk } from './disk.ts'
import { placesHere } from './here.ts'
import { clientIds } from './plan.ts'
import type { ClientId, Plan } from './plan.ts'
import { presentText, shortPath } from './present.ts'
import type { GateBase } from './servers.ts'
import { claudeSetting, targetOf } from './target.ts'
import type { ClientTarget } from './target.ts'
import { parseUndo, undoRecord } from './undo.ts'
import { undoClient } from './undoConfigure.ts'
import { userSettings } from './userSettings.ts'
import { showChange } from './virtual.ts'

/** *Configure Client…*: shows what would change in a client's settings, and writes it when that is wanted. */
export async function configureClient(context: TollgateContext, argument?: unknown): Promise<void> {
  const { text } = context
  const key = await readKey(context.dataDir)
  if (key === undefined) return offer(text.noKeyYet, startActions(context))
  const gate: GateBase = { origin: context.gateOrigin, key }
  const client = isClient(argument) ? argument : await pickClient(context, gate)
  if (client === undefined) return
  const target = await look(context, client, gate)
  if (target.plan.kind !== 'edit' || target.target === null) return offer(...unchanged(context, target))
  await confirmAndWrite(context, { ...target, target: target.target, plan: target.plan }, gate)
}

function isClient(value: unknown): value is ClientId {
  return (clientIds as readonly unknown[]).includes(value)
}

function look(context: TollgateContext, client: ClientId, gate: GateBase): Promise<ClientTarget> {
  return targetOf(client, gate, disk, placesHere(context), userSettings)
}

async function pickClient(context: TollgateContext, gate: GateBase): Promise<ClientId | undefined> {
  const { clients } = context.text
  const targets = await Promise.all(clientIds.map((client) => look(context, client, gate)))
  const items = targets.map(({ client, target, plan }) => ({
    label: clients.names[client],
    description: stateOf(plan, context),
    ...(target === null ? {} : { detail: shortPath(target) }),
    client,
  }))
  return (await vscode.window.showQuickPick(items, { placeHolder: clients.pick }))?.client
}

function stateOf(plan: Plan, { text: { clients } }: TollgateContext): string {
  switch (plan.kind) {
    case 'edit':
      return clients.canChange
    case 'already':
      return clients.isGuarded
    case 'azure':
      return clients.usesAzure
    case 'elsewhere':
      return clients.usesOther
    case 'nothing':
      return clients.hasNothing
    case 'malformed':
      return clients.cannotRead
  }
}

/** Why nothing is changed, and what helps. */
function unchanged(
  { text: { clients } }: TollgateContext,
  { client, target, isSetting, plan }: ClientTarget,
): [string, Record<string, () => unknown>] {
  const name = clients.names[client]
  const open =
    target === null || isSetting
      ? {}
      : { [clients.openFile]: () => vscode.window.showTextDocument(vscode.Uri.file(target)) }
  const copy = { [clients.copyUrl]: () => vscode.commands.executeCommand('tollgate.copyBaseUrl') }
  switch (plan.kind) {
    case 'edit':
    case 'already':
      return [clients.already(name), {}]
    case 'azure':
      return [clients.azure(name), {}]
    case 'elsewhere':
      return [clients.elsewhere(name, plan.server), {}]
    case 'nothing':
      if (client === 'copilot') return [target === null ? clients.nothingElsewhere : clients.nothingCopilot, copy]
      return [clients.nothing(name), copy]
    case 'malformed':
      return [clients.malformed(shortPath(target ?? '')), open]
  }
}

async function confirmAndWrite(
  context: TollgateContext,
  { client, target, isSetting, text: before, plan }: ClientTarget & { target: string; plan: Plan & { kind: 'edit' } },
  gate: GateBase,
): Promise<void> {
  const { memory, log } = context
  const { clients } = context.text
  const name = clients.names[client]
  const where = shortPath(target)
  const question =
    client === 'codex'
      ? clients.askCodex(where)
      : client === 'claude' && target !== claudeSetting
        ? clients.askClaudeFile(where)
        : clients.ask(name, where)
  const shown = await showChange(target, before ?? '', plan.after, clients.diffTitle(name))
  const left = plan.left.length === 0 ? '' : ` ${clients.leaves(plan.left.join(', '))}`
  const answer = await vscode.window.showInformationMessage(question + left, clients.apply)
  await shown.close()
  if (answer !== clients.apply) return
  try {
    if ((await presentText(target, isSetting)) !== before) {
      offer(clients.changedMeanwhile(where))
      return
    }
    const records = parseUndo(memory.clientUndo)
    const last = records.find((record) => record.client === client)
    const record = undoRecord({ client, target, steps: plan.steps, before, after: plan.after, key: gate.key }, last)
    // Kept first: what is written can be taken back in every case.
    await memory.setClientUndo([...records.filter((one) => one !== last), record])
    if (isSetting) await userSettings.write(target, plan.after)
    else await disk.write(target, plan.after)
  } catch (error) {
    log.warn(`Configure ${client}: ${reasonOf(error)}`)
    offer(clients.failed(where, reasonOf(error)))
    return
  }
  log.info(`Configured ${client}: ${target}.`)
  offer(clients.applied(name), { [clients.undo]: () => undoClient(context, client) })
}
