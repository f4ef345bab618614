import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { offer } from '../offerActions.ts'
import { amountText, raisableName } from './capTexts.ts'
import { gateUp, isNotFound, readCaps, sayFailed } from './gateCaps.ts'
import { raisableCaps } from './raisableCaps.ts'
import type { RaisableCap } from './raisableCaps.ts'

/** Something that is allowed on top of a cap, by its id. */
export interface Allowed {
  readonly id: number
  readonly cap: RaisableCap
  readonly amount: number
}

/**
 * *Take Back What Was Allowed…*: the cap holds again as it is set. Not asked twice: it lets fewer calls pass, and is undone in two
 * clicks. `row` is the row of the Spend view that it was chosen on.
 */
export async function takeBackToday(context: TollgateContext, row?: unknown): Promise<void> {
  if (gateUp(context) === null) return
  try {
    const all = await allowances(context)
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

/** What is allowed on top of a cap. */
export function allowedOn(cap: RaisableCap): readonly Allowed[] {
  return cap.grants.map((grant) => ({ id: grant.id, cap, amount: grant[cap.unit] }))
}

/** Takes one back and says so. */
export async function takeBack(context: TollgateContext, { id, cap, amount }: Allowed): Promise<void> {
  const { text, figures, supervisor, log } = context
  try {
    await supervisor.call('POST', `/api/grants/${id}/withdraw`)
    const message = text.spend.tookBack(amountText(cap.unit, amount, text, figures), raisableName(cap, text, figures))
    log.info(message)
    offer(message)
  } catch (error) {
    // It ended meanwhile, or another window took it back.
    if (isNotFound(error)) offer(text.spend.nothingAllowed)
    else sayFailed(context, 'Take back', error)
  }
}

async function allowances(context: TollgateContext): Promise<readonly Allowed[]> {
  return raisableCaps(await readCaps(context), []).flatMap(allowedOn)
}

async function pickOne({ text, figures }: TollgateContext, all: readonly Allowed[]): Promise<Allowed | undefined> {
  const entries = all.map((allowed) => {
    const { id, cap, amount } = allowed
    const until = cap.grants.find((grant) => grant.id === id)?.until ?? ''
    return {
      label: amountText(cap.unit, amount, text, figures),
      description: text.spend.allowanceOf(raisableName(cap, text, figures), figures.when(until, Date.now())),
      allowed,
    }
  })
  return (await vscode.window.showQuickPick(entries, { placeHolder: text.spend.pickAllowance }))?.allowed
}
