import { mostTurns, parseRefused, parseSeries, parseTasks, parseTurns } from './data.ts'
import type { DashboardData } from './data.ts'
import { periodDays } from './view.ts'
import type { DashboardView } from './view.ts'

/** Parts of the data that are read by themselves. */
export const dataParts = ['series', 'tasks', 'turns', 'refused'] as const

/** One of `dataParts`. */
export type DataPart = (typeof dataParts)[number]

/** Tasks of the list that a person can choose from. */
const mostTasks = 50
const mostRefused = 1000

/** Asks the control API. Throws where nothing answers or it refuses. */
export type Ask = (path: string) => Promise<unknown>

/**
 * Data in which some parts are as they are now. `taskOf` names the task whose turns are shown, once the tasks are known. Throws
 * what `ask` throws, and an Error for an answer that is not understood.
 */
export async function readParts(
  ask: Ask,
  view: DashboardView,
  parts: ReadonlySet<DataPart>,
  before: DashboardData,
  taskOf: (data: DashboardData) => string | null,
): Promise<DashboardData> {
  const days = periodDays[view.period]
  const read = async <Value>(
    part: DataPart,
    path: string,
    parse: (answer: unknown) => Value,
    kept: Value,
  ): Promise<Value> => (parts.has(part) ? parse(await ask(path)) : kept)
  const [series, tasks, refused] = await Promise.all([
    read('series', `/api/series?unit=${view.unit}&by=${view.by}&days=${days}`, parseSeries, before.series),
    read('tasks', `/api/report?by=task&days=${days}&limit=${mostTasks}`, parseTasks, before.tasks),
    read('refused', `/api/events?event=refused&limit=${mostRefused}`, parseRefused, before.refused),
  ])
  const { period, unit, by } = view
  const readFor = parts.has('series') ? { period, unit, by } : before.readFor
  const data = { ...before, series, readFor, tasks, refused, problem: null }
  const task = taskOf(data)
  if (task === null) return { ...data, turns: null }
  const path = `/api/calls?task=${encodeURIComponent(task)}&limit=${mostTurns}`
  const isStale = parts.has('turns') || before.turns?.task !== task
  return { ...data, turns: isStale ? parseTurns(await ask(path), task) : before.turns }
}
