import type { ChartName, ChartPart, DashboardPage, NumberKind, RowChart, Said, StackedChart } from '../page.ts'
import { element, setText } from './elements.ts'
import { swatch } from './patterns.ts'
import type { Painted, Plot } from './plot.ts'
import { drawRows } from './rowPlot.ts'
import { drawStacked } from './stackedPlot.ts'
import { fillTable } from './table.ts'
import type { Theme } from './theme.ts'

/** What a figure tells the page. */
export interface FigureEvents {
  exportCsv(): void
  /** Its table was opened or closed. */
  toggled(isOpen: boolean): void
  painted(): void
}

/** What a figure is drawn with, beside its own part. */
export interface FigureSetting {
  readonly labels: DashboardPage['labels']
  readonly theme: Theme
  readonly numberText: (kind: NumberKind, value: number) => string
}

/**
 * One chart: heading, sentences, legend, the picture, a line that reads its values, the table behind it and the export. The
 * elements stay the same over updates, so that the keyboard's focus does.
 */
export class ChartFigure {
  readonly root: HTMLElement
  readonly #events: FigureEvents
  readonly #title: HTMLElement
  readonly #about = element('div', { class: 'about' })
  readonly #tools = element('div', { class: 'tools' })
  readonly #legend = element('ul', { class: 'legend' })
  readonly #picture: HTMLElement
  readonly #reading = element('p', { class: 'reading', 'aria-live': 'polite' })
  readonly #empty = element('p', { class: 'empty' })
  readonly #export = element('button', { type: 'button' })
  readonly #details: HTMLDetailsElement
  readonly #summary = element('summary')
  readonly #table: HTMLTableElement
  #part: ChartPart | null = null
  #setting: FigureSetting | null = null
  #plot: Plot | null = null
  #drawn = ''
  #drawnTable: ChartPart['table'] | null = null
  #width = 0
  #place: number | null = null
  #painted: Painted = { bars: 0, linePoints: 0 }

  constructor(name: ChartName, events: FigureEvents, isOpen: boolean) {
    this.#events = events
    this.#title = element('h2', { id: `${name}-title` })
    this.#picture = element('div', { class: 'picture', role: 'img', tabindex: '0' })
    this.#table = element('table', { 'aria-labelledby': `${name}-title` })
    const scroller = element(
      'div',
      { class: 'scroller', tabindex: '0', role: 'region', 'aria-labelledby': `${name}-title` },
      this.#table,
    )
    this.#details = element('details', {}, this.#summary, scroller)
    this.#details.open = isOpen
    this.#tools.append(this.#export)
    this.root = element(
      'section',
      { class: `chart ${name}`, 'aria-labelledby': `${name}-title` },
      element('header', {}, this.#title, this.#tools),
      this.#about,
      this.#empty,
      this.#legend,
      this.#picture,
      this.#reading,
      this.#details,
    )
    this.#export.addEventListener('click', () => events.exportCsv())
    this.#details.addEventListener('toggle', () => {
      this.#fillTable()
      events.toggled(this.#details.open)
    })
    this.#picture.addEventListener('keydown', (event) => this.#key(event))
    this.#picture.addEventListener('blur', () => this.#plot?.point(null))
    new ResizeObserver(() => this.#resized()).observe(this.#picture)
  }

  /** A control beside the heading. */
  addTool(tool: HTMLElement): void {
    this.#tools.prepend(tool)
  }

  /** Names of the legend and what is on the canvas. */
  get report(): { readonly names: string[]; readonly bars: number; readonly linePoints: number } {
    const names = [...this.#legend.children].map((item) => item.getAttribute('data-name') ?? '')
    return { names, bars: this.#painted.bars, linePoints: this.#painted.linePoints }
  }

  /** Draws what differs from before. */
  show(part: ChartPart, setting: FigureSetting): void {
    const { labels, theme } = setting
    this.#part = part
    this.#setting = setting
    setText(this.#title, part.title)
    setText(this.#summary, labels.table)
    setText(this.#export, labels.exportCsv)
    this.#export.setAttribute('aria-label', `${labels.exportCsv}: ${part.title}`)
    setParagraphs(this.#about, part.about)
    setText(this.#empty, part.empty)
    this.#empty.hidden = part.empty === ''
    for (const shown of [this.#picture, this.#reading, this.#legend]) shown.hidden = part.chart === null
    const hasTable = part.table.rows.length > 0
    this.#details.hidden = !hasTable
    this.#export.hidden = !hasTable
    this.#picture.setAttribute('aria-label', part.summary)
    this.#fillTable()
    const drawn = JSON.stringify([part.chart, theme])
    if (drawn === this.#drawn) return
    this.#drawn = drawn
    this.#draw()
  }

  #fillTable(): void {
    const table = this.#part?.table
    if (table === undefined || !this.#details.open || table === this.#drawnTable) return
    this.#drawnTable = table
    fillTable(this.#table, table)
  }

  #draw(): void {
    const { chart } = this.#part ?? { chart: null }
    const setting = this.#setting
    const place = this.#place
    this.#plot?.destroy()
    this.#plot = null
    this.#painted = { bars: 0, linePoints: 0 }
    if (chart === null || setting === null) {
      this.#legend.replaceChildren()
      this.#events.painted()
      return
    }
    this.#legend.replaceChildren(...legendOf(chart, setting))
    this.#legend.hidden = this.#legend.children.length === 0
    this.#width = this.#picture.clientWidth
    if (this.#width === 0) return
    const parts = {
      ...setting,
      target: this.#picture,
      width: this.#width,
      onPlace: (at: number | null) => this.#read(at),
      onDrawn: (painted: Painted) => {
        this.#painted = { ...painted }
        this.#events.painted()
      },
    }
    this.#plot = chart.kind === 'stacked' ? drawStacked(chart, parts) : drawRows(chart, parts)
    if (place !== null && place < this.#plot.places) this.#plot.point(place)
    else this.#read(null)
  }

  #resized(): void {
    const width = this.#picture.clientWidth
    if (width === 0 || width === this.#width) return
    this.#draw()
  }

  #key(event: KeyboardEvent): void {
    if (this.#plot === null) return
    const last = this.#plot.places - 1
    const at = this.#place
    const next: Readonly<Record<string, number | null>> = {
      ArrowRight: at === null ? 0 : Math.min(last, at + 1),
      ArrowDown: at === null ? 0 : Math.min(last, at + 1),
      ArrowLeft: at === null ? last : Math.max(0, at - 1),
      ArrowUp: at === null ? last : Math.max(0, at - 1),
      Home: 0,
      End: last,
      Escape: null,
    }
    if (!Object.hasOwn(next, event.key)) return
    event.preventDefault()
    this.#plot.point(next[event.key] ?? null)
  }

  /** Says the values of a place in words, and for the eye. */
  #read(place: number | null): void {
    this.#place = place
    const { chart } = this.#part ?? { chart: null }
    const setting = this.#setting
    if (chart === null || setting === null) return
    // Rows have their amounts beside them already.
    const hint = chart.kind === 'stacked' ? setting.labels.readHint : ''
    const text = place === null ? hint : readingOf(chart, place, setting)
    this.#reading.classList.toggle('hint', place === null)
    setText(this.#reading, text)
  }
}

function setParagraphs(target: HTMLElement, sentences: readonly string[]): void {
  if (target.childElementCount !== sentences.length) target.replaceChildren(...sentences.map(() => element('p')))
  sentences.forEach((sentence, at) => {
    const paragraph = target.children[at]
    if (paragraph) setText(paragraph, sentence)
  })
}

function legendOf(chart: StackedChart | RowChart, { theme }: FigureSetting): HTMLElement[] {
  const item = (index: number | 'line', name: string, total: string): HTMLElement =>
    element(
      'li',
      { 'data-name': name },
      swatch(index, theme),
      element('span', { class: 'name', title: name }, name),
      ...(total === '' ? [] : [element('span', { class: 'total' }, total)]),
    )
  if (chart.kind === 'rows') return chart.parts.length < 2 ? [] : chart.parts.map((name, part) => item(part, name, ''))
  return [
    ...chart.series.map(({ name, total }, part) => item(part, name, total)),
    ...(chart.line === null ? [] : [item('line', chart.line.name, chart.line.total)]),
  ]
}

function readingOf(chart: StackedChart | RowChart, place: number, setting: FigureSetting): string {
  const { numberText, labels } = setting
  if (chart.kind === 'rows') {
    const row = chart.rows[place]
    if (row === undefined) return ''
    const values = chart.parts
      .map((name, part) => ({ name, value: row.values[part] ?? 0 }))
      .filter(({ value }) => value !== 0)
      .map(({ name, value }) => `${name} ${numberText(chart.numbers, value)}`)
    return `${row.name}: ${chart.parts.length > 1 && values.length > 0 ? values.join(', ') : row.text}`
  }
  const values = chart.series.map(({ name, values, said }) => ({
    name,
    value: values[place] ?? 0,
    text: saidAt(said, place),
  }))
  const sum = values.reduce((all, { value }) => all + value, 0)
  const parts = values
    .filter(({ value, text }) => value > 0 || text !== undefined)
    .map(({ name, value, text }) => `${name} ${text ?? numberText(chart.numbers, value)}`)
  const { line } = chart
  return [
    `${chart.labels[place] ?? ''}: ${labels.total} ${saidAt(chart.said, place) ?? numberText(chart.numbers, sum)}`,
    ...parts,
    ...(line === null
      ? []
      : [`${line.name} ${saidAt(line.said, place) ?? numberText(line.numbers, line.values[place] ?? 0)}`]),
  ].join(' · ')
}

function saidAt(said: Said, place: number): string | undefined {
  return said.find(({ at }) => at === place)?.text
}
