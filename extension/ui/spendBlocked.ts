import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import { refusalSentence, refusalTitle } from './refusalSentence.ts'
import { isCutShort } from './spendEvents.ts'
import type { KeptEvents } from './spendEvents.ts'
import { bounded, nodeOf, oneLine } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'
import { bySubject, subjectFrom } from './spendSubjects.ts'
import type { Told } from './spendSubjects.ts'

/** Rows of one code before the others are behind *more*. */
const mostRows = 10
/** Letters of the daemon's own sentence in a tooltip. */
const mostTooltipLetters = 1000

/**
 * Today's refused calls: a node a code, the code that refused last first; below it what was refused and why. None: no node.
 * `tasks` are those of the status, `exactSinceMs` is when the running gate started: see `isCutShort`.
 */
export function blockedNode(
  events: KeptEvents,
  tasks: readonly TaskStatus[],
  exactSinceMs: number,
  nowMs: number,
  text: Text,
  figures: Figures,
): readonly SpendNode[] {
  const codes = [...events.values()]
    .filter((list) => list[0]?.event === 'refused')
    .sort((left, right) => lastMs(right) - lastMs(left))
  if (codes.length === 0) return []
  const all = codes.reduce((sum, list) => sum + list.length, 0)
  const isFloor = codes.some((list) => isCutShort(list, exactSinceMs))
  const count = countText(all, isFloor, text, figures)
  return [
    nodeOf({
      id: 'blocked',
      label: text.spend.blocked,
      description: count,
      spoken: text.spend.spokenSection(text.spend.blocked, count),
      icon: 'circle-slash',
      children: codes.map((list) => codeNode(list, tasks, exactSinceMs, nowMs, text, figures)),
    }),
  ]
}

function codeNode(
  list: readonly DaemonEvent[],
  tasks: readonly TaskStatus[],
  exactSinceMs: number,
  nowMs: number,
  text: Text,
  figures: Figures,
): SpendNode {
  const code = textField(list[0] as DaemonEvent, 'code') ?? ''
  const id = `blocked/${encodeURIComponent(code)}`
  const label = refusalTitle(code, text)
  const count = countText(list.length, isCutShort(list, exactSinceMs), text, figures)
  const subjectOf = (event: DaemonEvent): string => subjectOfRefusal(event, nowMs, text, figures)
  const rows = bySubject(list, subjectOf).map((told) => refusedNode(id, told, tasks, nowMs, text, figures))
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

function refusedNode(
  parent: string,
  told: Told,
  tasks: readonly TaskStatus[],
  nowMs: number,
  text: Text,
  figures: Figures,
): SpendNode {
  const { latest, count, subject } = told
  const says = refusalSentence(latest, nowMs, text, figures, tasks)
  const reason = says ?? refusalTitle(textField(latest, 'code') ?? '', text)
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
    // The last line is what the client was told, in the daemon's English: with the place in the configuration to change.
    tooltip: [reason, times, ...facts, ...(message === undefined ? [] : [oneLine(message, mostTooltipLetters)])].join(
      '\n',
    ),
    spoken: [asSentence(reason), ...[times, ...facts].map((fact) => `${fact}.`)].join(' '),
    icon: 'circle-slash',
    menu: task === null ? [] : ['calls'],
    task,
  })
}

/**
 * Refusals that differ in these are different things to a person; figures that move with each call are not among them. One that
 * names no scope and has no sentence of its own is told apart by what the client was told.
 */
function subjectOfRefusal(event: DaemonEvent, nowMs: number, text: Text, figures: Figures): string {
  const names = ['scope', 'scopeRef', 'window', 'unit', 'kind', 'project', 'task', 'upstream', 'process', 'pid']
  const isTold = textField(event, 'scope') !== undefined || refusalSentence(event, nowMs, text, figures) !== null
  return subjectFrom(event, isTold ? names : [...names, 'message'])
}

/** With a full stop, where it has none. */
function asSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`
}

/** The task whose calls may be looked at. */
function taskOf(event: DaemonEvent): string | null {
  const named = event['scope'] === 'task' ? textField(event, 'scopeRef') : undefined
  return textField(event, 'task') ?? named ?? null
}

function countText(count: number, isFloor: boolean, text: Text, figures: Figures): string {
  const shown = figures.whole(count)
  return text.spend.calls(count, isFloor ? text.spend.atLeast(shown) : shown)
}

function lastMs(list: readonly DaemonEvent[]): number {
  return Date.parse(list.at(-1)?.time ?? '') || 0
}
