import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { offer } from '../offerActions.ts'
import { grantText, raisableName } from './capTexts.ts'
import { gateUp, isNotFound, readCaps, sayFailed } from './gateCaps.ts'
import { allowancesOn, raisableCaps } from './raisableCaps.ts'
import type { Allowed } from './raisableCaps.ts'

/**
 * *Take Back What Was Allowed…*: the cap holds again as it is set. Not asked twice: it lets fewer calls pass, and is undone in two
 * clicks. `row` is the row of the Spend view that it was chosen on.
 */
export async function takeBackToday(context: TollgateContext, row?: unknown): Promise<void> {
  if (gateUp(context) === null) return
  try {
    const all = allowancesOn(raisableCaps(await readCaps(context), []))
    const own = all.filter(
      ({ cap }) =>
        cap.isOwn &&
        (row === 'today/allowed' ? cap.scope === 'user' : row === 'month/allowed' && cap.window === 'month'),
    )
    await takeBackOneOf(context, own.length > 0 ? own : all)
  } catch (error) {
    sayFailed(context, 'Take back', error)
  }
}

/** Takes the only one back, or the one that a person picks among several. */
export async function takeBackOneOf(context: TollgateContext, all: readonly Allowed[]): Promise<void> {
  if (all.length === 0) return offer(context.text.spend.nothingAllowed)
  const chosen = all.length > 1 ? await pickOne(context, all) : all[0]
  if (chosen !== undefined) await takeBack(context, chosen)
}

/** Takes one back and says so. */
export async function takeBack(context: TollgateContext, { cap, grant }: Allowed): Promise<void> {
  const { text, figures, supervisor, log } = context
  try {
    await supervisor.call('POST', `/api/grants/${grant.id}/withdraw`)
    const message = text.spend.tookBack(grantText(grant, text, figures), raisableName(cap, text, figures))
    log.info(message)
    offer(message)
  } catch (error) {
    // It ended meanwhile, or another window took it back.
    if (isNotFound(error)) offer(text.spend.nothingAllowed)
    else sayFailed(context, 'Take back', error)
  }
}

async function pickOne({ text, figures }: TollgateContext, all: readonly Allowed[]): Promise<Allowed | undefined> {
  const entries = all.map((allowed) => {
    const { cap, grant } = allowed
    const until = cap.grants.find(({ id }) => id === grant.id)?.until ?? ''
    return {
      label: grantText(grant, text, figures),
      description: text.spend.allowanceOf(raisableName(cap, text, figures), figures.when(until, Date.now())),
      allowed,
    }
  })
  return (await vscode.window.showQuickPick(entries, { placeHolder: text.spend.pickAllowance }))?.allowed
}
