import { pathPart } from '../../shared/addresses.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { eurStep } from './allowance.ts'
import { capText, eurCap, tokenCap } from './caps.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import type { ExhaustedCap } from './gateView.ts'
import type { Choice, Notice } from './offer.ts'
import { shortId } from './taskName.ts'

const dayMs = 86_400_000

/** How much a cap allows. */
export type CapAmount = Pick<ExhaustedCap, 'unit' | 'limit'>

/** A refusal by a budget that is spent, not only held by running calls. */
export function isExhausted(event: DaemonEvent): boolean {
  return event.event === 'refused' && event['code'] === 'budget_exhausted' && event['kind'] === 'spent'
}

/** The cap that a refusal was about. The event's own limit counts, else the status knows the caps of user and tenant. */
export function exhaustedCap(event: DaemonEvent, status: Status): ExhaustedCap | undefined {
  const spend = event['window'] === 'month' ? status.month : status.today
  const unit = event['unit'] === 'tokens' ? 'tokens' : 'eur'
  const limit = numberField(event, 'limit') ?? (unit === 'tokens' ? tokenCap(spend) : eurCap(spend))
  if (limit === null) return undefined
  const resetsAtMs = Date.parse(textField(event, 'resetsAt') ?? '')
  return { unit, limit, resetsAtMs: Number.isNaN(resetsAtMs) ? null : resetsAtMs, ...ownerOf(event) }
}

/** What the cap of a refusal is of, and for how long. An event that does not say whose it is comes from before it was said. */
function ownerOf(event: DaemonEvent): Pick<ExhaustedCap, 'scope' | 'ref' | 'window' | 'isOwn'> {
  const scope = textField(event, 'scope') ?? 'user'
  return {
    scope,
    ref: textField(event, 'scopeRef') ?? '',
    window: textField(event, 'window') ?? 'task',
    isOwn: (scope === 'user' || scope === 'tenant') && event['own'] !== false,
  }
}

/** The notification that a cap is reached, once per cap and window. */
export function capNotice(event: DaemonEvent, cap: CapAmount, nowMs: number, text: Text, figures: Figures): Notice {
  const window = textField(event, 'window') ?? 'task'
  const scope = textField(event, 'scope') ?? 'user'
  const name = textField(event, 'scopeRef') ?? ''
  const resetsAt = textField(event, 'resetsAt')
  const capped = capName(event, cap, text, figures)
  const sentence =
    resetsAt === undefined
      ? text.capNoticeNoReset(capped)
      : isNextMidnight(resetsAt, window, nowMs)
        ? text.capNoticeMidnight(capped)
        : text.capNotice(capped, figures.when(resetsAt, nowMs))
  const requested = numberField(event, 'requested')
  return {
    key: `cap ${scope} ${name} ${window} ${cap.unit} ${cap.limit} ${resetsAt ?? ''}`,
    message:
      requested === undefined || requested <= 0
        ? sentence
        : `${sentence} ${text.capNeeds(capText(cap.unit, requested, figures, text))}`,
  }
}

/** Whether a window ends when this day does. Its end is written in the gate's zone, whose days are counted. */
function isNextMidnight(resetsAt: string, window: string, nowMs: number): boolean {
  const isMidnight = /T00:00(?::00(?:\.0+)?)?(?:[+-]\d\d:\d\d|Z)$/.test(resetsAt)
  return isMidnight && (window === 'day' || Date.parse(resetsAt) - nowMs <= dayMs)
}

/** The cap of a refusal by name: `€10.00 a day for you`. */
export function capName(event: DaemonEvent, cap: CapAmount, text: Text, figures: Figures): string {
  return nameOfCap({ ...cap, ...ownerOf(event) }, text, figures)
}

/** A cap by name: `€10.00 a day for you`, `€2.00 a day for project checkout-bot`. */
export function nameOfCap(cap: Omit<ExhaustedCap, 'resetsAtMs'>, text: Text, figures: Figures): string {
  const { scope, ref, window, isOwn } = cap
  const windowText = window === 'day' ? text.perDay : window === 'month' ? text.perMonth : text.perTask
  const own = scope === 'user' ? text.scopeUser : text.scopeTenant
  const scopeText = isOwn ? own : text.scopeNamed(scope, ref)
  return text.capOf(capText(cap.unit, cap.limit, figures, text), windowText, scopeText)
}

/** The setting that raises the cap of an event; undefined for a scope that only `config.json` knows. */
export function settingOfCap(event: DaemonEvent, cap: CapAmount): string | undefined {
  const unit = cap.unit === 'eur' ? 'Eur' : 'Tokens'
  if (event['scope'] === 'user' && event['window'] === 'day') return `tollgate.caps.daily${unit}`
  if (event['scope'] === 'tenant' && event['window'] === 'month') return `tollgate.caps.monthly${unit}`
  return undefined
}

/**
 * What can be done about a reached cap: allow a fifth of it more until the window ends, or what the refused call needs, where it
 * is the user's own for a day; change the setting behind it; stop the task that ran into it. A cap of 0 was set to refuse every paid
 * call, so nothing more is offered there.
 */
export function capChoices(event: DaemonEvent, cap: CapAmount, text: Text, figures: Figures): readonly Choice[] {
  const choices: Choice[] = []
  const user = event['scope'] === 'user' && event['window'] === 'day' ? textField(event, 'scopeRef') : undefined
  if (user !== undefined && cap.unit === 'eur' && cap.limit > 0) {
    const eur = eurStep(cap.limit, numberField(event, 'requested') ?? 0)
    const amount = figures.eur(eur)
    choices.push({
      title: text.allowToday(amount),
      step: {
        kind: 'allow',
        grant: { scope: 'user', ref: user, eur, by: 'extension' },
        done: text.allowedToday(amount),
      },
    })
  }
  const setting = settingOfCap(event, cap)
  if (setting !== undefined) choices.push({ title: text.raise, step: { kind: 'openSetting', setting } })
  const task = textField(event, 'task')
  if (task !== undefined && pathPart.test(task)) {
    choices.push({ title: text.stopTask, step: { kind: 'stop', task, name: text.task(shortId(task)) } })
  }
  // More buttons than are needed would be cut off at their ends.
  return choices.length > 0 ? choices : [{ title: text.showWhy, step: { kind: 'showLog' } }]
}
