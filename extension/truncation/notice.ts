import { numberField, textField } from '../ui/eventFields.ts'
import type { DaemonEvent } from '../ui/eventFields.ts'
import type { Figures } from '../ui/figures.ts'
import type { Choice, Offer } from '../ui/offer.ts'
import { harmless } from '../ui/taskName.ts'
import type { Text } from '../text/text.ts'
import { dayOf } from '../ui/spendEvents.ts'
import { canBeRaised, routeOf, truncationOf } from './truncation.ts'
import type { Truncation } from './truncation.ts'

/** A call lasts no longer than this, in milliseconds: how far before its end it is looked for. */
const longestCallMs = 3_600_000

/**
 * The warning that a provider answered on a truncated prompt: both numbers, and what helps on that route. Once per model and
 * workspace a day of the gate's zone. Undefined when the event lacks a number.
 */
export function truncationNotice(
  event: DaemonEvent,
  workspace: string,
  timezone: string,
  text: Text,
  figures: Figures,
): Offer | undefined {
  const truncation = truncationOf(event)
  if (truncation === undefined) return undefined
  const { model, sentTokens, readTokens } = truncation
  const sentence = text.truncated(harmless(model), figures.whole(sentTokens), figures.whole(readTokens))
  return {
    kind: 'truncated',
    key: keyOf('truncated', event, workspace, timezone, model),
    about: null,
    brief: '',
    message: `${sentence} ${truncationRemedy(event, text)}`,
    choices: [
      { title: text.window.showHow, step: { kind: 'showWindowGuide', truncation } },
      ...policyChoice(event, truncation, text),
      ...callChoice(event, text),
    ],
  }
}

/** The warning that a model used all its output for thinking and wrote nothing; as often as the one about truncated prompts. */
export function emptyAnswerNotice(
  event: DaemonEvent,
  workspace: string,
  timezone: string,
  text: Text,
  figures: Figures,
): Offer | undefined {
  const model = textField(event, 'model')
  const outputTokens = numberField(event, 'outputTokens')
  if (model === undefined || outputTokens === undefined) return undefined
  const { spend } = text
  return {
    kind: 'emptyAnswer',
    key: keyOf('empty', event, workspace, timezone, model),
    about: null,
    brief: '',
    message: `${spend.emptyAnswer(harmless(model), figures.whole(outputTokens))} ${spend.remedyEmpty}`,
    choices: callChoice(event, text),
  }
}

/** What helps against a truncated prompt, in a sentence. */
export function truncationRemedy(event: DaemonEvent, text: Text): string {
  switch (routeOf(event)) {
    case 'ollamaNative':
      return text.remedyNumCtx
    case 'ollamaOther':
      return text.remedyNoNumCtx
    case 'other':
      return text.remedyShorter
  }
}

function keyOf(kind: string, event: DaemonEvent, workspace: string, timezone: string, model: string): string {
  return `${kind} ${dayOf(event.time, timezone)} ${workspace} ${model}`
}

/**
 * The gate can raise a window that a request names, up to its largest one; it can refuse what does not fit. A policy that the plan has
 * already did not help.
 */
function policyChoice(event: DaemonEvent, truncation: Truncation, text: Text): readonly Choice[] {
  const plan = textField(event, 'plan')
  const before = textField(event, 'before')
  if (plan === undefined || before === 'refuse') return []
  return canBeRaised(truncation) && before !== 'raise'
    ? [{ title: text.window.raiseAlways, step: { kind: 'setWindowPolicy', plan, policy: 'raise' } }]
    : [{ title: text.window.refuseInstead, step: { kind: 'setWindowPolicy', plan, policy: 'refuse' } }]
}

function callChoice(event: DaemonEvent, text: Text): readonly Choice[] {
  const call = textField(event, 'call')
  if (call === undefined) return []
  const sinceMs = Date.parse(event.time) - longestCallMs
  return [{ title: text.window.showCall, step: { kind: 'showCall', call, sinceMs } }]
}
