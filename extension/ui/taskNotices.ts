import { pathPart } from '../../shared/addresses.ts'
import type { GrantRequest } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { allowanceFor } from './allowance.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import type { Choice, Offer } from './offer.ts'
import { dayOf } from './spendEvents.ts'
import { harmless, nameOfSession, nameOfTask, taskToName } from './taskName.ts'
import { toldApart } from './toldApart.ts'

/** The task or session that an event is about, as a person reads it. */
interface Subject {
  readonly ref: string
  /** The task that a click acts on: for a session its latest one. Null where none is known. */
  readonly task: string | null
  readonly name: string
}

/**
 * The question whether a task or session may go on that a ceiling constrained or halted. What a person did, and states below
 * these, are no reason to interrupt anybody: undefined. Neither is a ceiling that was reached exactly: if another call comes, it is
 * refused, and then the halt is said.
 */
export function stateNotice(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  const to = event['to']
  if (event['cause'] !== 'ceiling' || (to !== 'constrained' && to !== 'halted')) return undefined
  const subject = subjectOf(event, status, text, figures)
  const counter = textField(event, 'counter')
  const value = numberField(event, 'value')
  const limit = numberField(event, 'limit')
  if (subject === undefined || counter === undefined || value === undefined || limit === undefined) return undefined
  if (to === 'constrained' && value >= limit) return undefined
  const { ref, task, name } = subject
  const choices = [
    ...allowChoice(subject, counter, value, limit, text, figures),
    ...(to === 'halted' ? steer('resume', subject, text) : []),
    ...steer('stop', subject, text),
  ]
  const about = { key: keyOf(ref, to, event, status), about: task ?? ref, choices }
  if (to === 'halted') {
    const message = text.taskHalted(name, ceilingText(counter, limit, text, figures))
    return { ...about, kind: 'taskHalted', brief: text.haltedBriefly(name), message }
  }
  const sentences = [text.taskConstrained(name, shareText(counter, value, limit, text, figures))]
  const forecast = status.tasks.find(({ id }) => id === ref)?.forecast ?? null
  if (forecast !== null) sentences.push(text.forecast(forecast.haltsInTurns, figures.eur(forecast.eurAtHalt)))
  return {
    ...about,
    kind: 'taskConstrained',
    brief: text.constrainedBriefly(name),
    message: sentences.join(' '),
  }
}

/** That a task runs in circles and is halted: which tool, how often. More room would not help it, so none is offered. */
export function loopNotice(event: DaemonEvent, status: Status, text: Text, figures: Figures): Offer | undefined {
  const subject = subjectOf(event, status, text, figures)
  const repeats = numberField(event, 'repeats')
  if (event['state'] !== 'halted' || subject === undefined || repeats === undefined) return undefined
  const tool = textField(event, 'tool')
  const steps = numberField(event, 'cycleLength') ?? 1
  const what = tool === undefined ? null : harmless(tool)
  return {
    kind: 'loopHalted',
    key: keyOf(subject.ref, 'loop', event, status),
    about: subject.task ?? subject.ref,
    brief: text.haltedBriefly(subject.name),
    message: text.loopHalted(subject.name, what, figures.whole(repeats), steps),
    choices: [...steer('resume', subject, text), ...steer('stop', subject, text)],
  }
}

/** That a halted task still calls, and which process does it; once per process. */
export function stillCallingNotice(
  event: DaemonEvent,
  status: Status,
  text: Text,
  figures: Figures,
): Offer | undefined {
  const subject = subjectOf(event, status, text, figures)
  if (event['severed'] !== true || subject === undefined) return undefined
  const pid = numberField(event, 'pid')
  const program = harmless(textField(event, 'process') ?? '')
  const known = pid !== undefined && program !== '' ? { pid, name: program } : undefined
  return {
    kind: 'stillCalling',
    key: keyOf(subject.ref, `calls:${pid ?? ''}`, event, status),
    about: subject.task ?? subject.ref,
    brief: text.callingBriefly(subject.name),
    message:
      known === undefined
        ? text.somethingStillCalls(subject.name)
        : text.processStillCalls(subject.name, known.name, known.pid),
    choices: [
      ...(known === undefined
        ? []
        : [{ title: text.endProcess, step: { kind: 'endProcess', ...known, seen: null } } as const]),
      { title: text.showLog, step: { kind: 'showLog' } },
    ],
  }
}

/**
 * Beginnings of the keys that an event makes obsolete: a task that was given room, was resumed or has stopped to repeat itself
 * is asked about again when it comes to the same state again. The daemon tells each rise once.
 */
export function obsoleteKeys(event: DaemonEvent): readonly string[] {
  if (event.event === 'resumed') {
    const ref = event['scope'] === 'task' ? textField(event, 'ref') : undefined
    return ref === undefined ? [] : [keysOfTask(ref)]
  }
  const ref = textField(event, 'task')
  if (ref === undefined) return []
  const keys = keysOfTask(ref)
  if (event.event === 'loop') return event['state'] === 'halted' ? [] : [`${keys}loop:`]
  if (event.event !== 'state_changed') return []
  if (event['cause'] === 'resume') return [keys]
  switch (event['to']) {
    case 'ok':
    case 'warn':
      return [`${keys}constrained:`, `${keys}halted:`, `${keys}calls:`]
    case 'constrained':
      return [`${keys}halted:`, `${keys}calls:`]
    default:
      return []
  }
}

/**
 * Beginnings of the keys that an event leaves without a point: what is halted is not close to its ceiling any more. They are not said
 * again for that.
 */
export function overtakenKeys(event: DaemonEvent): readonly string[] {
  const ref = textField(event, 'task')
  const isHalt =
    (event.event === 'state_changed' && event['to'] === 'halted') ||
    (event.event === 'loop' && event['state'] === 'halted')
  return isHalt && ref !== undefined ? [`${keysOfTask(ref)}constrained:`] : []
}

/** Beginning of every key about a task. */
function keysOfTask(ref: string): string {
  return `task:${ref}:`
}

/** A task's id may come again another day. */
function keyOf(ref: string, state: string, event: DaemonEvent, { timezone }: Status): string {
  return `${keysOfTask(ref)}${state}:${dayOf(event.time, timezone)}`
}

function subjectOf(event: DaemonEvent, status: Status, text: Text, figures: Figures): Subject | undefined {
  const ref = textField(event, 'task')
  if (ref === undefined) return undefined
  const isSession = event['scope'] === 'session'
  const row = status.tasks.find((task) => (isSession ? task.session === ref : task.id === ref))
  const client = textField(event, 'client') ?? row?.client ?? ''
  const task = isSession ? (row?.id ?? null) : ref
  const atMs = Date.parse(event.time)
  const known = taskToName(ref, toldApart(status.tasks, atMs, text, figures))
  return {
    ref,
    task: task !== null && pathPart.test(task) ? task : null,
    name: isSession ? nameOfSession(ref, client, text) : nameOfTask({ ...known, client }, atMs, text, figures),
  }
}

function allowChoice(
  { task, name }: Subject,
  counter: string,
  value: number,
  limit: number,
  text: Text,
  figures: Figures,
): readonly Choice[] {
  const allowance = allowanceFor(counter, value, limit)
  if (task === null || allowance === null) return []
  const { unit, amount } = allowance
  const give = { scope: 'task', ref: task, by: 'extension' } as const
  const choice = (title: string, grant: GrantRequest, done: string): readonly Choice[] => [
    { title, step: { kind: 'allow', grant, done } },
  ]
  switch (unit) {
    case 'eur':
      return choice(
        text.allowEur(figures.eur(amount)),
        { ...give, eur: amount },
        text.allowedEur(name, figures.eur(amount)),
      )
    case 'iterations':
      return choice(text.allowCalls(amount), { ...give, iterations: amount }, text.allowedCalls(name, amount))
    case 'minutes':
      return choice(text.allowMinutes(amount), { ...give, minutes: amount }, text.allowedMinutes(name, amount))
  }
}

function steer(kind: 'resume' | 'stop', { task, name }: Subject, text: Text): readonly Choice[] {
  if (task === null) return []
  return [{ title: kind === 'resume' ? text.linkResume : text.stopTask, step: { kind, task, name } }]
}

/** Seconds from which a length of time is read in minutes. */
const secondsOfMinutes = 120

/** `22 of 25 calls`, `€4.30 of €5.00`, in the unit of the ceiling. */
function shareText(counter: string, value: number, limit: number, text: Text, figures: Figures): string {
  return text.share(amountText(counter, value, limit, figures), ceilingText(counter, limit, text, figures))
}

/** A ceiling in the unit of its counter: `25 calls`, `€5.00`. */
export function ceilingText(counter: string, limit: number, text: Text, figures: Figures): string {
  const amount = amountText(counter, limit, limit, figures)
  switch (counter) {
    case 'iterations':
      return text.calls(limit, amount)
    case 'inputTokens':
      return text.inputTokens(limit, amount)
    case 'wallSeconds':
      return limit < secondsOfMinutes
        ? text.seconds(Math.floor(limit), amount)
        : text.minutes(Math.floor(limit / 60), amount)
    default:
      return amount
  }
}

function amountText(counter: string, amount: number, limit: number, figures: Figures): string {
  switch (counter) {
    case 'eur':
      return figures.eur(amount)
    case 'inputTokens':
      return figures.tokens(amount)
    case 'wallSeconds':
      return figures.whole(Math.floor(limit < secondsOfMinutes ? amount : amount / 60))
    default:
      return figures.whole(amount)
  }
}
