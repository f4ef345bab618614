import * as vscode from 'vscode'
import type { GrantAnswer } from '../../shared/protocol.ts'
import type { TollgateContext } from '../context.ts'
import { offer } from '../offerActions.ts'
import { readRefusals } from '../ui/spendPast.ts'
import { amountText, fillText, raisableName, raisedText } from './capTexts.ts'
import { gateUp, readCaps, sayFailed } from './gateCaps.ts'
import type { GateUp } from './gateCaps.ts'
import {
  allowancesOn,
  amountsFor,
  grantFor,
  isMeant,
  nearCaps,
  raisableCaps,
  readAmount,
  stillHolding,
} from './raisableCaps.ts'
import type { RaisableCap } from './raisableCaps.ts'
import { takeBack, takeBackOneOf } from './takeBack.ts'

/** A day, and the hour of a clock change. */
const dayMs = 25 * 3_600_000

/**
 * *Raise a Cap for Today…*: more for the rest of the day, on top of a cap that itself stays. Two clicks where one cap is near: the
 * command, and an amount. `row` is the row of the Spend view that it was chosen on, or the cap that a message was about. Escape
 * changes nothing.
 */
export async function raiseToday(context: TollgateContext, row?: unknown): Promise<void> {
  const gate = gateUp(context)
  if (gate === null) return
  try {
    const all = await capsOf(context)
    if (all.length === 0) {
      offer(context.text.spend.noCapIsSet)
      await vscode.commands.executeCommand('tollgate.openCaps')
      return
    }
    await raiseOneOf(context, gate, all, row)
  } catch (error) {
    sayFailed(context, 'Raise for today', error)
  }
}

async function capsOf(context: TollgateContext): Promise<readonly RaisableCap[]> {
  const { supervisor } = context
  const ask = (path: string): Promise<unknown> => supervisor.call('GET', path)
  const [answer, refusals] = await Promise.all([readCaps(context), readRefusals(ask, Date.now() - dayMs)])
  return raisableCaps(answer, refusals)
}

async function raiseOneOf(
  context: TollgateContext,
  gate: GateUp,
  all: readonly RaisableCap[],
  row: unknown,
): Promise<void> {
  const ofRow = all.filter((cap) => isOfRow(cap, row) || isMeant(cap, row))
  const meant = ofRow.length > 0 ? ofRow : all
  const near = nearCaps(meant, gate.status.alertAt)
  let cap = near.length > 1 ? await pickCap(context, meant) : meant[0]
  while (cap !== undefined) {
    const chosen = await pickAmount(context, gate, cap, all.length > 1)
    if (chosen === undefined) return
    if (chosen === 'takeBack') return takeBackOneOf(context, allowancesOn([cap]))
    if (typeof chosen === 'number') return raise(context, gate, cap, chosen)
    cap = await pickCap(context, all)
  }
}

/** The rows of the Spend view are the own day and the own month. */
function isOfRow({ isOwn, scope, window }: RaisableCap, row: unknown): boolean {
  return isOwn && ((row === 'today' && scope === 'user') || (row === 'month' && window === 'month'))
}

async function pickCap({ text, figures }: TollgateContext, caps: readonly RaisableCap[]) {
  const entries = caps.map((cap) => ({
    label: raisableName(cap, text, figures),
    description: [fillText(cap, text, figures), ...(cap.hasRefused ? [text.spend.hasRefused] : [])].join(' · '),
    cap,
  }))
  return (await vscode.window.showQuickPick(entries, { placeHolder: text.spend.pickCap, matchOnDescription: true }))
    ?.cap
}

async function pickAmount(
  context: TollgateContext,
  gate: GateUp,
  cap: RaisableCap,
  hasOthers: boolean,
): Promise<number | 'takeBack' | 'otherCap' | undefined> {
  const { text, figures } = context
  const { unit } = cap
  const until = untilText(context, gate.status.today.resetsAt)
  const amounts = amountsFor(cap).map((amount) => ({
    label: amountText(unit, amount, text, figures),
    description: text.spend.inAll(amountText(unit, cap.limit + amount, text, figures)),
    choice: amount,
  }))
  const granted = cap.limit - cap.cap
  const others = [
    { label: text.spend.otherAmount, choice: 'otherAmount' as const },
    ...(hasOthers ? [{ label: text.spend.otherCap, choice: 'otherCap' as const }] : []),
    ...(granted > 0
      ? [{ label: text.spend.takeBackAmount(amountText(unit, granted, text, figures)), choice: 'takeBack' as const }]
      : []),
  ]
  const picked = await vscode.window.showQuickPick([...amounts, ...others], {
    title: text.spend.raiseTitle(raisableName(cap, text, figures)),
    placeHolder: text.spend.howMuchMore(fillText(cap, text, figures), until),
  })
  if (picked?.choice !== 'otherAmount') return picked?.choice
  const typed = await vscode.window.showInputBox({
    title: text.spend.raiseTitle(raisableName(cap, text, figures)),
    prompt: unit === 'eur' ? text.spend.askEurForToday(until) : text.spend.askTokensForToday(until),
    validateInput: (value) => (readAmount(unit, value) === undefined ? text.spend.noAmount : undefined),
  })
  return typed === undefined ? undefined : readAmount(unit, typed)
}

async function raise(context: TollgateContext, gate: GateUp, cap: RaisableCap, amount: number): Promise<void> {
  const { text, figures, supervisor, log } = context
  const asked = grantFor(cap, amount)
  const { id, until } = (await supervisor.call('POST', '/api/grants', asked)) as GrantAnswer
  // It is allowed by now, whether the other caps can be read or not.
  const answer = await readCaps(context).catch(() => ({ caps: [] }))
  const all = raisableCaps(answer, [])
  // The day may have ended while somebody was asked.
  const raised = { cap, amount, until: untilText(context, until ?? gate.status.today.resetsAt) }
  const message = raisedText(raised, stillHolding(cap, amount, all), isKilled(context), text, figures)
  log.info(message)
  const grant = { id, eur: asked.eur ?? 0, tokens: asked.tokens ?? 0 }
  offer(message, { [text.spend.takeBack]: () => takeBack(context, { cap, grant }) })
}

function isKilled({ gate }: TollgateContext): boolean {
  return gate.kind === 'up' && gate.status.killed
}

/** Whatever the window of a cap, what is allowed for today ends with the day. */
function untilText({ figures }: TollgateContext, endOfDay: string): string {
  return figures.when(endOfDay, Date.now())
}
