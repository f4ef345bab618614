import { refusalCodes, warningCodes } from '../../shared/codes.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { isUnnamed, labelOfTask, taskToName } from '../ui/taskName.ts'
import { withTasksApart } from '../ui/toldApart.ts'
import { moneyText, newTokens } from './charts/cells.ts'
import type { ChartWords } from './charts/cells.ts'
import { driftChart, refusalsChart, residualChart } from './charts/quality.ts'
import type { Refusals } from './charts/quality.ts'
import { spendChart } from './charts/spend.ts'
import { turnsChart } from './charts/turns.ts'
import type { DashboardData } from './data.ts'
import { createNumbers } from './numbers.ts'
import type { DashboardPage } from './page.ts'
import type { GateKey } from '../ui/gateView.ts'
import { measures, periods, unitsOf } from './view.ts'
import type { DashboardView } from './view.ts'
import { seriesGroups } from '../../shared/series.ts'
import type { Series } from '../../shared/series.ts'

/** Everything that the page follows from. */
export interface DashboardState {
  readonly view: DashboardView
  readonly data: DashboardData
  readonly gate: GateKey
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
export function pageOf(given: DashboardState, text: Text): DashboardPage {
  const words = wordsOf(given, text)
  const state = withTasksToldApart(given, words, text)
  const { view, data, status, language } = state
  const series = seriesOf(state)
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
    headline: headlineOf(series, words),
    notice: noticeOf(state, text),
    charts: {
      spend: spendChart(series, view, words),
      turns: turnsChart(
        shownTask(state),
        data.turns,
        series !== null,
        (id) => nameOfTask(id, state, words, text),
        words,
      ),
      residual: residualChart(status?.integrity.residual ?? null, words),
      refusals: refusalsChart(refusalsOf(state), state.startedAtMs, words),
      drift: driftChart(driftOf(status), status === null ? words : { ...words, unread: dashboard.notKnown }),
    },
  }
}

function withTasksToldApart(state: DashboardState, { numbers }: ChartWords, text: Text): DashboardState {
  const { status } = state
  if (status === null) return state
  return { ...state, status: withTasksApart(status, Date.parse(status.time), text, numbers.figures) }
}

/** Figures that were not read yet are on their way; else nobody knows when they come. */
function areComing({ gate, data }: DashboardState): boolean {
  return gate === 'starting' || (gate === 'up' && data.problem === null)
}

/** The series; null where it is not known. One of another view stays only until that of the chosen one comes. */
function seriesOf(state: DashboardState): Series | null {
  const { data, view } = state
  const { series, readFor } = data
  if (areComing(state)) return series
  const isOfView = readFor?.period === view.period && readFor.unit === view.unit && readFor.by === view.by
  return isOfView ? series : null
}

function refusalsOf({ status, data }: DashboardState): Refusals | null {
  if (status === null || data.readFor === null) return null
  return { counters: refusalCounters(status), refused: data.refused }
}

/** Without its ledger the gate has no reconciliation to tell of, which does not mean that there was none. */
function driftOf(status: Status | null): Status['integrity']['drift'] | null {
  if (status === null) return null
  const { drift, ledgerAvailable } = status.integrity
  return drift.length === 0 && !ledgerAvailable ? null : drift
}

function wordsOf(state: DashboardState, text: Text): ChartWords {
  const timezone = state.data.series?.timezone ?? state.status?.timezone ?? 'UTC'
  const titles: Readonly<Record<string, string>> = text.spend.refusalTitles
  return {
    text: text.dashboard,
    numbers: createNumbers(state.language, currencyOf(state), timezone),
    refusalTitle: (code) => (Object.hasOwn(titles, code) ? (titles[code] ?? code) : code),
    unread: areComing(state) ? text.dashboard.loading : text.dashboard.notKnown,
  }
}

function currencyOf({ data, status }: DashboardState): string {
  return data.series?.currency ?? status?.currency ?? 'EUR'
}

/** Running tasks, then those of the period; a chosen one is always among them. A name is cut where it is still another one then. */
function taskChoices(state: DashboardState, words: ChartWords, text: Text): DashboardPage['choices']['task'] {
  const { view, data, status } = state
  const { dashboard } = text
  const clients = new Map((status?.tasks ?? []).map(({ id, client }) => [id, client]))
  const names = new Set([
    ...(view.task === null ? [] : [view.task]),
    ...clients.keys(),
    ...data.tasks.map(({ name }) => name),
  ])
  const entries = [...names].slice(0, mostTasks).map((value) => {
    const client = clients.get(value)
    const called = nameOfTask(value, state, words, text)
    const label = (shown: string): string => (client && called === value ? dashboard.taskOf(shown, client) : shown)
    const short = called.length > mostIdLetters ? `${called.slice(0, mostIdLetters - 1)}…` : called
    return { value, short: label(short), whole: label(called) }
  })
  const isOne = (label: string): boolean => entries.filter(({ short }) => short === label).length === 1
  return [
    { value: '', label: dashboard.latestTask },
    ...entries.map(({ value, short, whole }) => ({ value, label: isOne(short) ? short : whole })),
  ]
}

/** The id where somebody chose it, else who calls and since when. */
function nameOfTask(id: string, { status }: DashboardState, { numbers }: ChartWords, text: Text): string {
  const task = taskToName(id, status?.tasks ?? [])
  return isUnnamed(task) ? labelOfTask(task, Date.parse(status?.time ?? ''), text, numbers.figures) : id
}

function headlineOf(series: Series | null, words: ChartWords): string[] {
  const { text, numbers } = words
  if (series === null) return []
  const { totals } = series
  return [
    text.spent(moneyText(totals, words)),
    text.calls(totals.calls, numbers.of('whole', totals.calls)),
    text.newTokens(numbers.of('tokens', newTokens(totals))),
    text.cachedTokens(numbers.of('tokens', totals.cacheRead)),
    ...(totals.listPriceEur > 0 ? [text.atListPrice(numbers.of('eur', totals.listPriceEur))] : []),
    ...(totals.unpricedCalls > 0
      ? [text.unpriced(totals.unpricedCalls, numbers.of('whole', totals.unpricedCalls))]
      : []),
  ]
}

function noticeOf({ gate, data, status }: DashboardState, text: Text): DashboardPage['notice'] {
  const { dashboard } = text
  switch (gate) {
    case 'down':
      return {
        text: status === null && data.readFor === null ? dashboard.downUnread : dashboard.down,
        action: { label: text.restart, command: 'tollgate.restartDaemon' },
      }
    case 'newer':
      return { text: text.unfollowed, action: { label: text.linkUpdate, command: 'tollgate.showExtension' } }
    case 'older':
      return { text: text.unfollowed, action: { label: text.showLog, command: 'tollgate.showLog' } }
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
function refusalCounters(status: Status): Readonly<Record<string, number>> {
  const warnings: readonly string[] = warningCodes
  const isRefusal = (name: string): boolean => Object.hasOwn(refusalCodes, name) && !warnings.includes(name)
  return Object.fromEntries(Object.entries(status.counters).filter(([name]) => isRefusal(name)))
}
