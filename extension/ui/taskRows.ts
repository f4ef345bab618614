import { pathPart } from '../../shared/addresses.ts'
import type { Status, TaskStatus } from '../../shared/status.ts'
import { isTerminalTask } from '../guardedTerminal/taskId.ts'
import type { Text } from '../text/text.ts'
import { spentOf } from './costText.ts'
import type { Figures } from './figures.ts'
import { isUnnamed, labelOfTask } from './taskName.ts'
import { isHalted, loopText } from './taskState.ts'
import { heading, mostRows, plain, plainName } from './tooltipTable.ts'
import type { Row } from './tooltipTable.ts'

/**
 * Tasks that a person may want to do something about: halted ones first, then constrained ones, then those with a running
 * call, each with who makes its calls, its state in words and one link. Tasks that are well and quiet are left out.
 */
export function taskRows(status: Status, nowMs: number, text: Text, figures: Figures): readonly Row[] {
  const running = new Set(status.inFlight.map((call) => call.task))
  const shown = status.tasks
    .filter((task) => weightOf(task) > 0 || running.has(task.id))
    .sort((left, right) => weightOf(right) - weightOf(left))
  if (shown.length === 0) return []
  return [
    heading(text.headTask, text.headSpent, text.headCalls, text.headState),
    ...shown
      .slice(0, mostRows)
      .map((task): Row => [
        nameOf(task, nowMs, text, figures),
        spentOf(task.eur, task.costIncomplete, text, figures),
        figures.whole(task.iterations),
        [plain(stateText(task, text)), ...linkTo(task, text)].join(' · '),
      ]),
    ...(shown.length > mostRows ? [[text.andMore(shown.length - mostRows), '', '', ''] as const] : []),
  ]
}

/** `shop-3 · claude-cli/2.1`. A guarded terminal is known by its id alone, and a task without a name is called by its client. */
function nameOf(task: TaskStatus, nowMs: number, text: Text, figures: Figures): string {
  const hasClient = isUnnamed(task) || isTerminalTask(task.id)
  return [labelOfTask(task, nowMs, text, figures), hasClient ? '' : task.client]
    .filter((part) => part !== '')
    .map(plainName)
    .join(' · ')
}

function weightOf(task: TaskStatus): number {
  if (isHalted(task)) return 2
  return task.state === 'constrained' ? 1 : 0
}

function stateText(task: TaskStatus, text: Text): string {
  if (task.loop !== null) return loopText(task.loop, text)
  const state = {
    ok: text.stateOk,
    warn: text.stateWarn,
    constrained: text.stateConstrained,
    halted: text.stateHalted,
  }[task.state]
  return task.forecast === null || task.state === 'ok'
    ? state
    : text.stateForecast(state, text.callsLeft(task.forecast.haltsInTurns))
}

/** A task with an id that no address can carry has no link. */
function linkTo(task: TaskStatus, text: Text): readonly string[] {
  if (!pathPart.test(task.id)) return []
  const argument = encodeURIComponent(JSON.stringify([task.id]))
  return isHalted(task)
    ? [`[${text.linkResume}](command:tollgate.resumeTask?${argument})`]
    : [`[${text.linkStopTask}](command:tollgate.stopTask?${argument})`]
}
