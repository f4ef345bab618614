import { pathPart } from '../../shared/addresses.ts'
import { grantScopes } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { eurStep } from './allowance.ts'
import { capText, eurCap, tokenCap } from './caps.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import type { ExhaustedCap } from './gateView.ts'
import type { Choice, Notice, Offer } from './offer.ts'
import { nameOfTask, taskToName } from './taskName.ts'
import { toldApart } from './toldApart.ts'

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
function ownerOf(event: DaemonEvent): Pick<ExhaustedCap, 'scope' | 'ref' | 'tenant' | 'window' | 'isOwn'> {
  const scope = textField(event, 'scope') ?? 'user'
  return {
    scope,
    ref: textField(event, 'scopeRef') ?? '',
    tenant: textField(event, 'tenant') ?? null,
    window: textField(event, 'window') ?? 'task',
    isOwn: (scope === 'user' || scope === 'tenant') && event['own'] !== false,
  }
}

/** Beginning of every key about a cap. */
const capKeys = 'cap '

/**
 * The question whether a reached cap is raised: with what the task that ran into it would come to without it, where that is known.
 * Undefined where the cap is not known.
 */
export function capOffer(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  const cap = exhaustedCap(event, status)
  if (cap === undefined) return undefined
  const { key, message } = capNotice(event, cap, Date.parse(event.time), text, figures)
  const forecast = status.tasks.find(({ id }) => id === event['task'])?.forecast ?? null
  return {
    kind: 'capReached',
    key,
    about: null,
    brief: '',
    message:
      forecast === null
        ? message
        : `${message} ${text.capForecast(forecast.haltsInTurns, figures.eur(forecast.eurAtHalt))}`,
    choices: capChoices(event, cap, status, text, figures),
  }
}

/** Beginnings of the keys of messages about caps that an event makes obsolete: one that still refuses is said again. */
export function overtakenCaps(event: DaemonEvent): readonly string[] {
  return event.event === 'caps_changed' || event.event === 'granted' ? [capKeys] : []
}

/** The notification that a cap is reached, once per cap and window. */
export function capNotice(event: DaemonEvent, cap: CapAmount, nowMs: number, text: Text, figures: Figures): Notice {
  const window = textField(event, 'window') ?? 'task'
  const scope = textField(event, 'scope') ?? 'user'
  const { ref, tenant } = ownerOf(event)
  const name = scope === 'user' && tenant !== null ? `${tenant}/${ref}` : ref
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
    key: `${capKeys}${scope} ${name} ${window} ${cap.unit} ${cap.limit} ${resetsAt ?? ''}`,
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
export function nameOfCap(cap: Omit<ExhaustedCap, 'resetsAtMs' | 'tenant'>, text: Text, figures: Figures): string {
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
 * What can be done about a reached cap: allow more of it for today, by one click where it is the user's own for a day in money, else by
 * the command that asks how much; change the setting behind it; stop the task that ran into it. A cap of 0 was set to refuse every paid
 * call, so nothing more is offered there. VS Code cuts the words of all buttons where they need more room than there is: the setting is
 * left out beside the long words of that command and a task.
 */
function capChoices(
  event: DaemonEvent,
  cap: ExhaustedCap,
  status: Status,
  text: Text,
  figures: Figures,
): readonly Choice[] {
  const more = cap.limit > 0 ? moreForToday(event, cap, text, figures) : []
  const task = textField(event, 'task')
  const stop = task === undefined || !pathPart.test(task) ? [] : [stopChoice(task, event, status, text, figures)]
  const setting = settingOfCap(event, cap)
  const hasRoom = stop.length === 0 || more.every(({ step }) => step.kind === 'allow')
  const change: readonly Choice[] =
    setting === undefined || !hasRoom ? [] : [{ title: text.raise, step: { kind: 'openSetting', setting } }]
  const choices = [...more, ...change, ...stop]
  return choices.length > 0 ? choices : [{ title: text.showWhy, step: { kind: 'showLog' } }]
}

/** A fifth of a cap, or what the refused call needs; where that is no amount for one click, the question how much. */
function moreForToday(event: DaemonEvent, cap: ExhaustedCap, text: Text, figures: Figures): readonly Choice[] {
  const { scope, ref, tenant, window, unit, limit } = cap
  if (scope === 'user' && window === 'day' && unit === 'eur' && ref !== '') {
    const eur = eurStep(limit, numberField(event, 'requested') ?? 0)
    const amount = figures.eur(eur)
    const grant = { scope, ref: tenant === null ? ref : `${tenant}/${ref}`, eur, by: 'extension' } as const
    return [{ title: text.allowToday(amount), step: { kind: 'allow', grant, done: text.allowedToday(amount) } }]
  }
  const isGranted = grantScopes.some((one) => one === scope && one !== 'task') && window !== 'task'
  return isGranted
    ? [{ title: text.raiseForToday, step: { kind: 'raise', cap: { scope, ref, tenant, window, unit } } }]
    : []
}

function stopChoice(task: string, event: DaemonEvent, status: Status, text: Text, figures: Figures): Choice {
  const atMs = Date.parse(event.time)
  const name = nameOfTask(taskToName(task, toldApart(status.tasks, atMs, text, figures)), atMs, text, figures)
  return { title: text.stopTask, step: { kind: 'stop', task, name } }
}
