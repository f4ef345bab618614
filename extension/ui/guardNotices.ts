import { pathPart } from '../../shared/addresses.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import type { Choice, Offer } from './offer.ts'
import { dayOf } from './spendEvents.ts'
import { harmless, nameOfTask, taskToName } from './taskName.ts'
import { loopNotice, stateNotice, stillCallingNotice } from './taskNotices.ts'
import { toldApart } from './toldApart.ts'

/**
 * What the guards did, as far as it is worth an interruption: see docs/extension.md for the list. Undefined for everything
 * else; a prompt that may be too large for its window (`over_window`) is in the log only, because the answer will tell.
 */
export function guardNotice(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  switch (event.event) {
    case 'state_changed':
      return stateNotice(event, status, text, figures)
    case 'loop':
      return loopNotice(event, status, text, figures)
    case 'degraded':
      return degradedNotice(event, status, text)
    case 'refused':
      if (event['severed'] === true) return stillCallingNotice(event, status, text, figures)
      if (event['code'] === 'restart_storm') return stormNotice(event, status, text, figures)
      if (event['code'] === 'velocity') return velocityNotice(event, status, text, figures)
      return undefined
    default:
      return undefined
  }
}

/** Once per key and day: the task is a new one each time. */
function stormNotice(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  const limit = numberField(event, 'limit')
  if (limit === undefined) return undefined
  const account = textField(event, 'scopeRef') ?? ''
  return {
    kind: 'restartStorm',
    key: `storm:${account}:${dayOf(event.time, status.timezone)}`,
    about: null,
    brief: text.stormBriefly,
    message: text.restartStorm(limit, figures.whole(limit)),
    choices: [showWhy(text)],
  }
}

/** Once per task, or per key, and day. */
function velocityNotice(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  const limit = numberField(event, 'limit')
  const ref = textField(event, 'scopeRef')
  if (limit === undefined || ref === undefined) return undefined
  const isTask = event['scope'] === 'task'
  const atMs = Date.parse(event.time)
  const name = isTask
    ? nameOfTask(taskToName(ref, toldApart(status.tasks, atMs, text, figures)), atMs, text, figures)
    : text.keyNamed(harmless(ref))
  const stop: readonly Choice[] =
    isTask && pathPart.test(ref) ? [{ title: text.stopTask, step: { kind: 'stop', task: ref, name } }] : []
  return {
    kind: 'velocity',
    key: `velocity:${isTask ? 'task' : 'key'}:${ref}:${dayOf(event.time, status.timezone)}`,
    about: isTask ? ref : null,
    brief: text.velocityBriefly(name),
    message: limit === 0 ? text.velocityZero : text.velocity(name, figures.eur(limit)),
    choices: [...stop, showWhy(text)],
  }
}

/** Once per model and day. */
function degradedNotice(event: DaemonEvent, status: Status, text: Text): Offer | undefined {
  const model = textField(event, 'model')
  const to = textField(event, 'to')
  if (model === undefined || to === undefined) return undefined
  const shown = harmless(model)
  return {
    kind: 'degraded',
    key: `degraded:${model}:${dayOf(event.time, status.timezone)}`,
    about: null,
    brief: text.degradedBriefly(shown),
    message: to === 'cache' ? text.degradedToCache(shown) : text.degraded(shown, harmless(to)),
    choices: [showWhy(text)],
  }
}

function showWhy(text: Text): Choice {
  return { title: text.showWhy, step: { kind: 'showLog' } }
}
