import { pathPart } from '../../shared/addresses.ts'
import type { Status, TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { spentOf } from './costText.ts'
import type { Figures } from './figures.ts'
import { bounded, nodeOf, oneLine } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'
import { labelOfTask, nameOfTask, shortId } from './taskName.ts'
import { isHalted, loopText } from './taskState.ts'

/** Rows before the others are behind *more*. */
const mostRows = 15

/** The tasks of the status: those that need somebody first, then the dearest. None: no node. */
export function tasksNode(status: Status, nowMs: number, text: Text, figures: Figures): readonly SpendNode[] {
  const running = new Set(status.inFlight.map((call) => call.task))
  // One whose only calls were refused is no task to a person: the refusals are shown below.
  const shown = status.tasks.filter(
    ({ id, iterations, state, loop }) => iterations > 0 || state !== 'ok' || running.has(id) || loop !== null,
  )
  if (shown.length === 0) return []
  const rows = shown
    .sort((left, right) => weightOf(right) - weightOf(left) || right.eur - left.eur || (left.id < right.id ? -1 : 1))
    .map((task) => taskNode(task, running.has(task.id), nowMs, text, figures))
  const count = figures.whole(rows.length)
  return [
    nodeOf({
      id: 'tasks',
      label: text.spend.tasks,
      description: count,
      spoken: text.spend.spokenSection(text.spend.tasks, count),
      icon: 'tasklist',
      children: bounded('tasks', rows, mostRows, text.spend.moreRows),
    }),
  ]
}

function taskNode(task: TaskStatus, isRunning: boolean, nowMs: number, text: Text, figures: Figures): SpendNode {
  const halted = isHalted(task)
  const state = stateText(task, isRunning, text)
  const calls = text.spend.calls(task.iterations, figures.whole(task.iterations))
  const spent = costText(task, text, figures)
  const left = halted || task.forecast === null ? [] : [text.callsLeft(task.forecast.haltsInTurns)]
  // A task with an id that no address can carry cannot be steered.
  const steer = !pathPart.test(task.id) ? [] : halted ? (['resume'] as const) : (['stop'] as const)
  return nodeOf({
    id: `task/${task.id}`,
    label: oneLine(labelOfTask(task, nowMs, text, figures)),
    description: [state, calls, spent, ...left].join(' · '),
    tooltip: tooltip(task, state, text, figures),
    spoken: `${[nameOfTask(task, nowMs, text, figures), state, calls, spent, ...left].join(', ')}.`,
    ...lookOf(task, isRunning),
    menu: [...steer, 'calls'],
    task: task.id,
    opens: true,
  })
}

function stateText(task: TaskStatus, isRunning: boolean, text: Text): string {
  if (task.loop !== null) return loopText(task.loop, text)
  switch (task.state) {
    case 'ok':
      return isRunning ? text.stateOk : text.spend.stateIdle
    case 'warn':
      return text.stateWarn
    case 'constrained':
      return text.stateConstrained
    case 'halted':
      return text.stateHalted
  }
}

function lookOf(task: TaskStatus, isRunning: boolean): Pick<SpendNode, 'icon' | 'tone'> {
  if (isHalted(task)) return { icon: 'stop-circle', tone: 'error' }
  if (task.state !== 'ok') return { icon: 'warning', tone: 'warning' }
  return { icon: isRunning ? 'pulse' : 'circle-outline', tone: 'none' }
}

/** A cost that is not known in full is never shown as if it were. */
function costText({ eur, costIncomplete }: TaskStatus, text: Text, figures: Figures): string {
  return spentOf(eur, costIncomplete, text, figures)
}

function tooltip(task: TaskStatus, state: string, text: Text, figures: Figures): string {
  const { project, client, session, nearest } = task
  const forecast = isHalted(task) ? null : task.forecast
  const counters = {
    iterations: text.spend.counterIterations,
    inputTokens: text.spend.counterInputTokens,
    wallSeconds: text.spend.counterWallSeconds,
    eur: figures.currency,
  } as const
  const calls = text.spend.calls(task.iterations, figures.whole(task.iterations))
  return [
    oneLine(task.id, 160),
    state,
    `${calls} · ${costText(task, text, figures)}`,
    ...(forecast === null ? [] : [text.forecast(forecast.haltsInTurns, figures.eur(forecast.eurAtHalt))]),
    ...(nearest === null || forecast === null ? [] : [text.spend.lineNearest(counters[nearest])]),
    text.spend.lineInput(figures.whole(task.inputTokens)),
    text.spend.lineSeconds(figures.amount(Math.round(task.wallSeconds * 10) / 10)),
    text.spend.lineProject(project === null ? text.spend.noProject : oneLine(project)),
    ...(client === '' ? [] : [text.spend.lineClient(oneLine(client))]),
    ...(session === null ? [] : [text.spend.lineSession(oneLine(shortId(session)))]),
  ].join('\n')
}

function weightOf(task: TaskStatus): number {
  return isHalted(task) ? 3 : { ok: 0, warn: 1, constrained: 2, halted: 3 }[task.state]
}
