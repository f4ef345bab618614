import type { Status } from '../../shared/status.ts'
import type { Text } from '../text.ts'
import { eurStep } from './allowance.ts'
import { eurCap, tokenCap } from './caps.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import type { ExhaustedCap } from './gateView.ts'
import type { Choice, Notice } from './offer.ts'

/**
 * The warning that a provider answered on a truncated prompt: both numbers and a remedy that works on that route. Once per
 * model and workspace a day. Undefined when the event lacks a number.
 */
export function truncationNotice(
  event: DaemonEvent,
  workspace: string,
  today: string,
  text: Text,
  figures: Figures,
): Notice | undefined {
  const model = textField(event, 'model')
  const estimated = numberField(event, 'estimated')
  const reported = numberField(event, 'reported')
  if (model === undefined || estimated === undefined || reported === undefined) return undefined
  const sentence = text.truncated(model, figures.whole(estimated), figures.whole(reported))
  return { key: `truncated ${today} ${workspace} ${model}`, message: `${sentence} ${truncationRemedy(event, text)}` }
}

/** What helps against a truncated prompt. `num_ctx` exists on Ollama's own routes only; its OpenAI and Anthropic routes silently ignore it. */
export function truncationRemedy(event: DaemonEvent, text: Text): string {
  if (event['ollama'] === true) return text.remedyNumCtx
  return textField(event, 'upstream')?.startsWith('ollama') ? text.remedyNoNumCtx : text.remedyShorter
}

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
  return { unit, limit, resetsAtMs: Number.isNaN(resetsAtMs) ? null : resetsAtMs }
}

/** The notification that a cap is reached, once per cap and window. */
export function capNotice(event: DaemonEvent, cap: ExhaustedCap, nowMs: number, text: Text, figures: Figures): Notice {
  const window = textField(event, 'window') ?? 'task'
  const scope = textField(event, 'scope') ?? 'user'
  const name = textField(event, 'scopeRef') ?? ''
  const resetsAt = textField(event, 'resetsAt')
  const capped = capName(event, cap, text, figures)
  return {
    key: `cap ${scope} ${name} ${window} ${cap.unit} ${cap.limit} ${resetsAt ?? ''}`,
    message:
      resetsAt === undefined ? text.capNoticeNoReset(capped) : text.capNotice(capped, figures.when(resetsAt, nowMs)),
  }
}

/** The cap of a refusal by name: `€10.00 a day for you`. */
export function capName(event: DaemonEvent, cap: ExhaustedCap, text: Text, figures: Figures): string {
  const window = textField(event, 'window') ?? 'task'
  const scope = textField(event, 'scope') ?? 'user'
  const name = textField(event, 'scopeRef') ?? ''
  const amount = cap.unit === 'eur' ? figures.eur(cap.limit) : text.tokenCap(figures.tokens(cap.limit))
  const windowText = window === 'day' ? text.perDay : window === 'month' ? text.perMonth : text.perTask
  const scopeText =
    scope === 'user' ? text.scopeUser : scope === 'tenant' ? text.scopeTenant : text.scopeNamed(scope, name)
  return text.capOf(amount, windowText, scopeText)
}

/** The setting that raises the cap of an event; undefined for a scope that only `config.json` knows. */
export function settingOfCap(event: DaemonEvent, cap: ExhaustedCap): string | undefined {
  const unit = cap.unit === 'eur' ? 'Eur' : 'Tokens'
  if (event['scope'] === 'user' && event['window'] === 'day') return `tollgate.caps.daily${unit}`
  if (event['scope'] === 'tenant' && event['window'] === 'month') return `tollgate.caps.monthly${unit}`
  return undefined
}

/**
 * What can be done about a reached cap: allow a fifth of it more until the window ends, where it is the user's own for a day,
 * or change the setting behind it. A cap of 0 was set to refuse every paid call, so nothing more is offered there.
 */
export function capChoices(event: DaemonEvent, cap: ExhaustedCap, text: Text, figures: Figures): readonly Choice[] {
  const choices: Choice[] = []
  const user = event['scope'] === 'user' && event['window'] === 'day' ? textField(event, 'scopeRef') : undefined
  if (user !== undefined && cap.unit === 'eur' && cap.limit > 0) {
    const eur = eurStep(cap.limit)
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
  return [...choices, { title: text.showWhy, step: { kind: 'showLog' } }]
}
