import { pathPart } from '../../shared/addresses.ts'
import type { Status, TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text.ts'
import type { Figures } from './figures.ts'
import type { LoopHalt, Loops } from './loops.ts'
import { harmless, shortId } from './taskName.ts'
import { heading, mostRows, plain } from './tooltipTable.ts'
import type { Row } from './tooltipTable.ts'

/**
 * Tasks that a person may want to do something about: halted ones first, then constrained ones, then those with a running
 * call, each with its state in words and one link. Tasks that are well and quiet are left out.
 */
export function taskRows(status: Status, loops: Loops, text: Text, figures: Figures): readonly Row[] {
  const running = new Set(status.inFlight.map((call) => call.task))
  const shown = status.tasks
    .map((task) => ({ task, loop: loops.get(task.id), weight: weightOf(task, loops.has(task.id)) }))
    .filter(({ task, weight }) => weight > 0 || running.has(task.id))
    .sort((left, right) => right.weight - left.weight)
  if (shown.length === 0) return []
  return [
    heading(text.headTask, text.headSpent, text.headCalls, text.headState),
    ...shown
      .slice(0, mostRows)
      .map(({ task, loop }): Row => [
        plain(shortId(task.id)),
        figures.eur(task.eur),
        figures.whole(task.iterations),
        [plain(stateText(task, loop, text)), ...linkTo(task, loop !== undefined, text)].join(' · '),
      ]),
    ...(shown.length > mostRows ? [[text.andMore(shown.length - mostRows), '', '', ''] as const] : []),
  ]
}

function weightOf(task: TaskStatus, isLoop: boolean): number {
  if (isLoop || task.state === 'halted') return 2
  return task.state === 'constrained' ? 1 : 0
}

function stateText(task: TaskStatus, loop: LoopHalt | undefined, text: Text): string {
  if (loop !== undefined) return loop.tool === null ? text.stateLoop : text.stateLoopOf(harmless(loop.tool))
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
function linkTo(task: TaskStatus, isLoop: boolean, text: Text): readonly string[] {
  if (!pathPart.test(task.id)) return []
  const isHalted = isLoop || task.state === 'halted'
  const argument = encodeURIComponent(JSON.stringify([task.id]))
  return isHalted
    ? [`[${text.linkResume}](command:tollgate.resumeTask?${argument})`]
    : [`[${text.linkStopTask}](command:tollgate.stopTask?${argument})`]
}
