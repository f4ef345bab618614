import 'uplot/dist/uPlot.min.css'
import './dashboard.css'
import { createNumbers } from '../numbers.ts'
import { chartNames } from '../page.ts'
import type { ChartName, DashboardPage, NumberKind } from '../page.ts'
import { defaultView, readView } from '../view.ts'
import type { DashboardView } from '../view.ts'
import { Control } from './controls.ts'
import { element, setText } from './elements.ts'
import { ChartFigure } from './figure.ts'
import { keepState, keptState, listen, tell } from './host.ts'
import { currentTheme, onThemeChange } from './theme.ts'

const before = keptState()
const open = new Set<string>(before.open)
const loads = before.loads + 1
let view: DashboardView = before.view ?? defaultView
let page: DashboardPage | null = null

function keep(): void {
  keepState({ view, open: [...open], loads })
}

function choose(change: Partial<DashboardView>): void {
  view = readView({ ...view, ...change }, view)
  keep()
  tell({ type: 'view', view })
}

const controls = {
  period: new Control('period', (period) => choose({ period: period as DashboardView['period'] })),
  unit: new Control('unit', (unit) => choose({ unit: unit as DashboardView['unit'] })),
  by: new Control('by', (by) => choose({ by: by as DashboardView['by'] })),
  measure: new Control('measure', (measure) => choose({ measure: measure as DashboardView['measure'] })),
  task: new Control('task', (task) => choose({ task: task === '' ? null : task })),
}

const figures = Object.fromEntries(
  chartNames.map((name) => [
    name,
    new ChartFigure(
      name,
      {
        exportCsv: () => tell({ type: 'export', chart: name }),
        toggled: (isOpen) => {
          if (isOpen) open.add(name)
          else open.delete(name)
          keep()
        },
        painted: () => reportSoon(),
      },
      open.has(name),
    ),
  ]),
) as Record<ChartName, ChartFigure>

const title = element('h1')
const headline = element('p', { class: 'headline' })
const noticeText = element('span')
const noticeButton = element('button', { type: 'button' })
const notice = element('div', { class: 'notice', role: 'status' }, noticeText, noticeButton)
const toolbar = element(
  'div',
  { class: 'controls', role: 'group' },
  ...[controls.period, controls.unit, controls.by, controls.measure].map((control) => control.root),
)
figures.turns.addTool(controls.task.root)
noticeButton.addEventListener('click', () => {
  const command = page?.notice?.action?.command
  if (command !== undefined) tell({ type: 'run', command })
})

function show(): void {
  if (page === null) return
  const { labels, choices } = page
  const numbers = createNumbers(page.language, page.currency, 'UTC')
  const setting = {
    labels,
    theme: currentTheme(),
    numberText: (kind: NumberKind, value: number) => numbers.of(kind, value),
  }
  document.title = labels.title
  setText(title, labels.title)
  setText(headline, page.headline.join(' · '))
  toolbar.setAttribute('aria-label', labels.controls)
  notice.hidden = page.notice === null
  setText(noticeText, page.notice?.text ?? '')
  noticeButton.hidden = !page.notice?.action
  setText(noticeButton, page.notice?.action?.label ?? '')
  controls.period.show(labels.period, choices.period, view.period)
  controls.unit.show(labels.unit, choices.unit, view.unit)
  controls.by.show(labels.by, choices.by, view.by)
  controls.measure.show(labels.measure, choices.measure, view.measure)
  controls.task.show(labels.task, choices.task, view.task ?? '')
  for (const name of chartNames) figures[name].show(page.charts[name], setting)
  reportSoon()
}

let isReporting = false

/** Tells what is on the canvases, once all of them are painted: the library paints at the end of a turn. */
function reportSoon(): void {
  if (isReporting || page === null) return
  isReporting = true
  setTimeout(() => {
    isReporting = false
    const charts = Object.fromEntries(chartNames.map((name) => [name, figures[name].report])) as Record<
      ChartName,
      ChartFigure['report']
    >
    tell({ type: 'drawn', theme: currentTheme().name, view, loads, charts })
  }, 0)
}

function build(): void {
  const main = document.getElementById('dashboard')
  main?.replaceChildren(
    element('header', { class: 'top' }, title, toolbar),
    headline,
    notice,
    figures.spend.root,
    figures.turns.root,
    element('div', { class: 'row' }, figures.residual.root, figures.refusals.root, figures.drift.root),
  )
}

listen((message) => {
  if (page === null) build()
  page = message.page
  if (message.setsView) {
    view = page.view
    keep()
  }
  show()
})
onThemeChange(show)
keep()
tell({ type: 'ready' })
