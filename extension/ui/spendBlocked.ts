import { refusalCodes } from '../../shared/codes.ts'
import type { RefusalCode } from '../../shared/codes.ts'
import type { Text } from '../text.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import { capName, capNotice } from './notices.ts'
import { mostOfKind } from './spendEvents.ts'
import type { KeptEvents } from './spendEvents.ts'
import { bounded, nodeOf, oneLine } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'
import { bySubject, subjectFrom } from './spendSubjects.ts'
import type { Told } from './spendSubjects.ts'

/** Rows of one code before the others are behind *more*. */
const mostRows = 10
/** Letters of a reason that a row shows; the tooltip has all of it. */
const mostLetters = 200
const mostTooltipLetters = 1000

/** Today's refused calls: a node a code, the code that refused last first; below it what was refused and why. None: no node. */
export function blockedNode(events: KeptEvents, nowMs: number, text: Text, figures: Figures): readonly SpendNode[] {
  const codes = [...events.values()]
    .filter((list) => list[0]?.event === 'refused')
    .sort((left, right) => lastMs(right) - lastMs(left))
  if (codes.length === 0) return []
  const all = codes.reduce((sum, list) => sum + list.length, 0)
  const isFloor = codes.some((list) => list.length >= mostOfKind)
  const count = countText(all, isFloor, text, figures)
  return [
    nodeOf({
      id: 'blocked',
      label: text.spend.blocked,
      description: count,
      spoken: text.spend.spokenSection(text.spend.blocked, count),
      icon: 'circle-slash',
      children: codes.map((list) => codeNode(list, nowMs, text, figures)),
    }),
  ]
}

function codeNode(list: readonly DaemonEvent[], nowMs: number, text: Text, figures: Figures): SpendNode {
  const code = textField(list[0] as DaemonEvent, 'code') ?? ''
  const id = `blocked/${encodeURIComponent(code)}`
  const label = titleOf(code, text)
  const count = countText(list.length, list.length >= mostOfKind, text, figures)
  const rows = bySubject(list, subjectOf).map((told) => refusedNode(id, told, nowMs, text, figures))
  return nodeOf({
    id,
    label,
    description: count,
    tooltip: `${label} (${oneLine(code)})`,
    spoken: text.spend.spokenSection(label, count),
    icon: 'circle-slash',
    children: bounded(id, rows, mostRows, text.spend.moreRows),
  })
}

function refusedNode(parent: string, told: Told, nowMs: number, text: Text, figures: Figures): SpendNode {
  const { latest, count, subject } = told
  const reason = reasonOf(latest, nowMs, text, figures)
  const project = textField(latest, 'project')
  const upstream = textField(latest, 'upstream')
  const task = taskOf(latest)
  const when = figures.when(latest.time, nowMs)
  const times = text.spend.timesLastAt(count, figures.whole(count), when)
  const message = textField(latest, 'message')
  const facts = [
    ...(project === undefined ? [] : [text.spend.lineProject(oneLine(project))]),
    ...(task === null ? [] : [text.spend.lineTask(oneLine(task))]),
    ...(upstream === undefined ? [] : [text.spend.lineProvider(oneLine(upstream))]),
  ]
  return nodeOf({
    id: `${parent}/${subject}`,
    label: reason,
    description: [...(count > 1 ? [text.spend.times(figures.whole(count))] : []), when].join(' · '),
    tooltip: [message === undefined ? reason : oneLine(message, mostTooltipLetters), times, ...facts].join('\n'),
    spoken: [reason, ...[times, ...facts].map((fact) => `${fact}.`)].join(' '),
    icon: 'circle-slash',
    menu: task === null ? [] : ['calls'],
    task,
  })
}

/** The reason in a sentence: in the user's figures where the event has them, else as the client was told. */
function reasonOf(event: DaemonEvent, nowMs: number, text: Text, figures: Figures): string {
  if (event['severed'] === true) {
    const program = textField(event, 'process')
    const pid = numberField(event, 'pid')
    return program === undefined || pid === undefined
      ? text.spend.severedUnknown
      : text.spend.severed(oneLine(program), pid)
  }
  const limit = numberField(event, 'limit')
  if (event['code'] === 'budget_exhausted' && limit !== undefined) {
    const cap = { unit: event['unit'] === 'tokens' ? 'tokens' : 'eur', limit, resetsAtMs: null } as const
    if (limit === 0) return text.spend.capIsZero(capName(event, cap, text, figures))
    if (event['kind'] === 'held') return text.spend.held(capName(event, cap, text, figures))
    return capNotice(event, cap, nowMs, text, figures).message
  }
  const message = textField(event, 'message')
  return message === undefined
    ? titleOf(textField(event, 'code') ?? '', text)
    : oneLine(firstSentence(oneLine(message, mostTooltipLetters)), mostLetters)
}

/** Up to the first full stop that a new sentence follows; `gpt-4.1` has none. */
function firstSentence(message: string): string {
  return /^.+?[.!?](?=\s+["\p{Lu}])/u.exec(message)?.[0] ?? message
}

/** Refusals that differ in these are different things to a person; figures that move with each call are not among them. */
function subjectOf(event: DaemonEvent): string {
  const names = ['scope', 'scopeRef', 'window', 'unit', 'kind', 'project', 'task', 'upstream', 'process', 'pid']
  const isScoped = textField(event, 'scope') !== undefined || event['severed'] === true
  return subjectFrom(event, isScoped ? names : [...names, 'message'])
}

/** The task whose calls may be looked at. */
function taskOf(event: DaemonEvent): string | null {
  const named = event['scope'] === 'task' ? textField(event, 'scopeRef') : undefined
  return textField(event, 'task') ?? named ?? null
}

function titleOf(code: string, text: Text): string {
  return isRefusalCode(code) ? text.spend.refusalTitles[code] : text.spend.otherRefusal
}

/** A newer daemon may refuse for reasons that this version does not know. */
function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(refusalCodes, code)
}

function countText(count: number, isFloor: boolean, text: Text, figures: Figures): string {
  const shown = figures.whole(count)
  return text.spend.calls(count, isFloor ? text.spend.atLeast(shown) : shown)
}

function lastMs(list: readonly DaemonEvent[]): number {
  return Date.parse(list.at(-1)?.time ?? '') || 0
}
