import { refusalCodes, warningCodes } from '../../shared/codes.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { isUnnamed, labelOfTask, taskToName } from '../ui/taskName.ts'
import { costText, newTokens } from './charts/cells.ts'
import type { ChartWords } from './charts/cells.ts'
import { driftChart, refusalsChart, residualChart } from './charts/quality.ts'
import { spendChart } from './charts/spend.ts'
import { turnsChart } from './charts/turns.ts'
import type { DashboardData } from './data.ts'
import { createNumbers } from './numbers.ts'
import type { DashboardPage } from './page.ts'
import { measures, periods, unitsOf } from './view.ts'
import type { DashboardView } from './view.ts'
import { seriesGroups } from '../../shared/series.ts'

/** Everything that the page follows from. */
export interface DashboardState {
  readonly view: DashboardView
  readonly data: DashboardData
  readonly gate: 'off' | 'starting' | 'up' | 'down'
  /** The last status; it stays while the gate is away. Null before the first. */
  readonly status: Status | null
  /** Start of the gate, in milliseconds since the epoch; null where it is not known. */
  readonly startedAtMs: number | null
  readonly language: string
}

/** Tasks of the list. */
const mostTasks = 60
/** Longer ids are cut in the list. */
const mostIdLetters = 40

/** The task whose turns are shown: the chosen one, else the one that made the last call, else the dearest of the period. */
export function shownTask({ view, status, data }: Pick<DashboardState, 'view' | 'status' | 'data'>): string | null {
  return view.task ?? status?.tasks[0]?.id ?? data.tasks[0]?.name ?? null
}

/** The page in the user's language. Pure. */
export function pageOf(state: DashboardState, text: Text): DashboardPage {
  const { view, data, status, language } = state
  const words = wordsOf(state, text)
  const { dashboard } = text
  return {
    language,
    currency: currencyOf(state),
    view,
    labels: {
      title: dashboard.title,
      controls: dashboard.controls,
      period: dashboard.period,
      unit: dashboard.unit,
      by: dashboard.by,
      measure: dashboard.measure,
      task: dashboard.task,
      table: dashboard.showTable,
      exportCsv: dashboard.exportCsv,
      readHint: dashboard.readHint,
      total: dashboard.total,
    },
    choices: {
      period: periods.map((value) => ({ value, label: dashboard.periods[value] })),
      unit: unitsOf(view.period).map((value) => ({ value, label: dashboard.units[value] })),
      by: seriesGroups.map((value) => ({ value, label: dashboard.groups[value] })),
      measure: measures.map((value) => ({ value, label: dashboard.measures[value] })),
      task: taskChoices(state, words, text),
    },
    headline: headlineOf(data, words),
    notice: noticeOf(state, text),
    charts: {
      spend: spendChart(data.series, view, words),
      turns: turnsChart(shownTask(state), data.turns, (id) => nameOfTask(id, state, words, text), words),
      residual: residualChart(status?.integrity.residual ?? {}, words),
      refusals: refusalsChart(refusalCounters(status), data.refused, state.startedAtMs, words),
      drift: driftChart(status?.integrity.drift ?? [], words),
    },
  }
}

function wordsOf(state: DashboardState, text: Text): ChartWords {
  const timezone = state.data.series?.timezone ?? state.status?.timezone ?? 'UTC'
  const titles: Readonly<Record<string, string>> = text.spend.refusalTitles
  return {
    text: text.dashboard,
    numbers: createNumbers(state.language, currencyOf(state), timezone),
    refusalTitle: (code) => (Object.hasOwn(titles, code) ? (titles[code] ?? code) : code),
  }
}

function currencyOf({ data, status }: DashboardState): string {
  return data.series?.currency ?? status?.currency ?? 'EUR'
}

/** Running tasks, then those of the period; a chosen one is always among them. */
function taskChoices(state: DashboardState, words: ChartWords, text: Text): DashboardPage['choices']['task'] {
  const { view, data, status } = state
  const { dashboard } = text
  const clients = new Map((status?.tasks ?? []).map(({ id, client }) => [id, client]))
  const names = new Set([
    ...(view.task === null ? [] : [view.task]),
    ...clients.keys(),
    ...data.tasks.map(({ name }) => name),
  ])
  return [
    { value: '', label: dashboard.latestTask },
    ...[...names].slice(0, mostTasks).map((name) => {
      const client = clients.get(name)
      const called = nameOfTask(name, state, words, text)
      const short = called.length > mostIdLetters ? `${called.slice(0, mostIdLetters - 1)}…` : called
      return { value: name, label: client && called === name ? dashboard.taskOf(short, client) : short }
    }),
  ]
}

/** The id where somebody chose it, else who calls and since when. */
function nameOfTask(id: string, { status }: DashboardState, { numbers }: ChartWords, text: Text): string {
  const task = taskToName(id, status?.tasks ?? [])
  return isUnnamed(task) ? labelOfTask(task, Date.parse(status?.time ?? ''), text, numbers.figures) : id
}

function headlineOf({ series }: DashboardData, words: ChartWords): string[] {
  const { text, numbers } = words
  if (series === null) return []
  const { totals } = series
  return [
    text.spent(costText(totals, words)),
    text.calls(totals.calls, numbers.of('whole', totals.calls)),
    text.newTokens(numbers.of('tokens', newTokens(totals))),
    text.cachedTokens(numbers.of('tokens', totals.cacheRead)),
    ...(totals.listPriceEur > 0 ? [text.atListPrice(numbers.of('eur', totals.listPriceEur))] : []),
    ...(totals.unpricedCalls > 0
      ? [text.unpriced(totals.unpricedCalls, numbers.of('whole', totals.unpricedCalls))]
      : []),
  ]
}

function noticeOf({ gate, data }: DashboardState, text: Text): DashboardPage['notice'] {
  const { dashboard } = text
  switch (gate) {
    case 'down':
      return { text: dashboard.down, action: { label: text.restart, command: 'tollgate.restartDaemon' } }
    case 'off':
      return { text: dashboard.off, action: { label: text.openSettings, command: 'tollgate.openSettings' } }
    case 'starting':
      return { text: dashboard.starting, action: null }
    case 'up':
      return data.problem === null
        ? null
        : {
            text: dashboard.problem(data.problem),
            action: { label: text.showLog, command: 'tollgate.showLog' },
          }
  }
}

/** The counters also have warnings, which refuse nothing; one that is both is told by its events. */
function refusalCounters(status: Status | null): Readonly<Record<string, number>> {
  const warnings: readonly string[] = warningCodes
  const isRefusal = (name: string): boolean => Object.hasOwn(refusalCodes, name) && !warnings.includes(name)
  return Object.fromEntries(Object.entries(status?.counters ?? {}).filter(([name]) => isRefusal(name)))
}
