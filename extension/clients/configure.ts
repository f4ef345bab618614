import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { reasonOf } from '../log.ts'
import { offer, startActions } from '../offerActions.ts'
import { disk } from './disk.ts'
import { factsOf, WriteRefused } from './facts.ts'
import { placesHere } from './here.ts'
import { clientIds } from './plan.ts'
import type { ClientId, Plan } from './plan.ts'
import { shortPath } from './places.ts'
import { presentText } from './present.ts'
import { nameOf, obstacleText, questionFor } from './question.ts'
import type { GateBase } from './servers.ts'
import { targetOf, targetsOf } from './target.ts'
import type { ClientTarget } from './target.ts'
import { isOf, parseUndo, undoRecord } from './undo.ts'
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
  const target = await pickTarget(context, client, gate)
  if (target === undefined) return
  if (target.plan.kind !== 'edit' || target.target === null) return offer(...unchanged(context, target))
  await confirmAndWrite(context, { ...target, target: target.target, plan: target.plan }, gate)
}

function isClient(value: unknown): value is ClientId {
  return (clientIds as readonly unknown[]).includes(value)
}

async function pickClient(context: TollgateContext, gate: GateBase): Promise<ClientId | undefined> {
  const { clients } = context.text
  const places = placesHere(context)
  const targets = await Promise.all(clientIds.map((client) => targetOf(client, gate, disk, places, userSettings)))
  const items = targets.map(({ client, target, plan }) => ({
    label: clients.names[client],
    description: stateOf(plan, context),
    ...(target === null ? {} : { detail: shortPath(target) }),
    client,
  }))
  return (await vscode.window.showQuickPick(items, { placeHolder: clients.pick }))?.client
}

/** The client's settings; where each VS Code profile has its own, those of the one that the user picks. */
async function pickTarget(
  context: TollgateContext,
  client: ClientId,
  gate: GateBase,
): Promise<ClientTarget | undefined> {
  const { clients } = context.text
  const targets = await targetsOf(client, gate, disk, placesHere(context), userSettings)
  if (targets.length === 1) return targets[0]
  const items = targets.map((one) => ({
    label: one.profile || clients.defaultProfile,
    description: stateOf(one.plan, context),
    detail: shortPath(one.target ?? ''),
    one,
  }))
  return (await vscode.window.showQuickPick(items, { placeHolder: clients.pickProfile }))?.one
}

function stateOf(plan: Plan, { text: { clients } }: TollgateContext): string {
  switch (plan.kind) {
    case 'edit':
      return clients.canChange
    case 'already':
      return plan.left.length === 0 ? clients.isGuarded : clients.isPartlyGuarded
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
  found: ClientTarget,
): [string, Record<string, () => unknown>] {
  const { client, target, isSetting, plan } = found
  const name = nameOf(found, clients)
  const open = target === null || isSetting ? {} : { [clients.openFile]: () => openFile(target) }
  const copy = { [clients.copyUrl]: () => vscode.commands.executeCommand('tollgate.copyBaseUrl') }
  switch (plan.kind) {
    case 'edit':
      return [clients.already(name), {}]
    case 'already':
      return plan.left.length === 0
        ? [clients.already(name), {}]
        : [clients.alreadyPartly(name, plan.left.join(', ')), { ...open, ...copy }]
    case 'azure':
      return [clients.azure(name), copy]
    case 'elsewhere':
      return [clients.elsewhere(name, plan.server), copy]
    case 'nothing':
      if (client === 'copilot') return [target === null ? clients.nothingElsewhere : clients.nothingCopilot, copy]
      return [clients.nothing(name), copy]
    case 'malformed':
      return [clients.malformed(shortPath(target ?? '')), open]
  }
}

async function confirmAndWrite(
  context: TollgateContext,
  found: ClientTarget & { target: string; plan: Plan & { kind: 'edit' } },
  gate: GateBase,
): Promise<void> {
  const { memory, log } = context
  const { clients } = context.text
  const { client, target, isSetting, text: before, plan } = found
  const name = nameOf(found, clients)
  const where = shortPath(target)
  const fail = (error: unknown): void => {
    log.warn(`Configure ${client}: ${reasonOf(error)}`)
    const obstacle = error instanceof WriteRefused ? error.obstacle : null
    if (obstacle === null) offer(clients.failed(where, reasonOf(error)))
    else offer(obstacleText(obstacle, where, clients), { [clients.openFile]: () => openFile(target) })
  }
  let madeFolder: string | null = null
  let question: string
  try {
    const facts = isSetting ? null : await factsOf(target)
    if (facts !== null && facts.obstacle !== null) throw new WriteRefused(facts.obstacle)
    madeFolder = facts?.missingFolder ?? null
    question = questionFor(found, facts, clients)
  } catch (error) {
    return fail(error)
  }
  const shown = await showChange(target, before ?? '', plan.after, clients.diffTitle(name))
  const answer = await vscode.window.showInformationMessage(question, clients.apply)
  await shown.close()
  if (answer !== clients.apply) return
  const records = parseUndo(memory.clientUndo)
  try {
    if ((await presentText(target, isSetting)) !== before) return offer(clients.changedMeanwhile(where))
    const last = records.find((record) => isOf(record, { client, target }))
    const { steps, after } = plan
    const record = undoRecord({ client, target, steps, madeFolder, before, after, key: gate.key }, last)
    // Kept first: what is written can be taken back in every case.
    await memory.setClientUndo([...records.filter((one) => one !== last), record])
    if (isSetting) await userSettings.write(target, after)
    else await disk.write(target, after)
  } catch (error) {
    fail(error)
    // Nothing was written, so there is nothing more to take back than before.
    await memory.setClientUndo(records)
    return
  }
  log.info(`Configured ${client}: ${target}.`)
  offer(clients.applied(name), { [clients.undo]: () => undoClient(context, target) })
}

function openFile(path: string): Thenable<unknown> {
  return vscode.window.showTextDocument(vscode.Uri.file(path))
}
