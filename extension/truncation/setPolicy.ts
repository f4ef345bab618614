import { join } from 'node:path'
import * as vscode from 'vscode'
import { disk } from '../clients/disk.ts'
import type { TollgateContext } from '../context.ts'
import { reasonOf } from '../log.ts'
import { offer } from '../offerActions.ts'
import { changePolicy } from './policy.ts'
import type { WindowPolicy } from './policy.ts'

/** Writes the policy for prompts that do not fit into `config.json`, which the gate reads again by itself, and offers to undo it. */
export async function setWindowPolicy(context: TollgateContext, plan: string, policy: WindowPolicy): Promise<void> {
  const { window } = context.text
  const path = join(context.dataDir, 'config.json')
  const open = { [window.openFile]: () => vscode.window.showTextDocument(vscode.Uri.file(path)) }
  const found = await disk.read(path)
  if (found.kind === 'unreadable') return offer(window.policyFailed(found.reason), open)
  const before = found.kind === 'text' ? found.text : undefined
  const change = changePolicy(before ?? '', plan, policy)
  if (change.kind === 'already') return offer(window.policyHolds(plan), open)
  if (change.kind === 'malformed') return offer(window.policyMalformed, open)
  try {
    await disk.write(path, change.after)
  } catch (error) {
    return offer(window.policyFailed(reasonOf(error)), open)
  }
  context.log.info(`config.json: plans.${plan}.truncation.before is "${policy}" now.`)
  const sentence = policy === 'raise' ? window.willRaise(plan) : window.willRefuse(plan)
  offer(sentence, { ...open, [window.undo]: () => undo(context, path, before, change.after) })
}

/** Puts back what was there, where nobody has changed the file since. */
async function undo({ text: { window } }: TollgateContext, path: string, before: string | undefined, after: string) {
  try {
    const found = await disk.read(path)
    if (found.kind !== 'text' || found.text !== after) return offer(window.policyChanged)
    if (before === undefined) await disk.remove(path)
    else await disk.write(path, before)
    offer(window.policyUndone)
  } catch (error) {
    offer(window.policyFailed(reasonOf(error)))
  }
}
