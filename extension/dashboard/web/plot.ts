import uPlot from 'uplot'
import type { NumberKind } from '../page.ts'
import type { Theme } from './theme.ts'

/** What was put on a canvas. */
export interface Painted {
  readonly bars: number
  readonly linePoints: number
}

/** What a chart is drawn with. */
export interface PlotParts {
  readonly target: HTMLElement
  /** CSS pixels. */
  readonly width: number
  readonly theme: Theme
  readonly numberText: (kind: NumberKind, value: number) => string
  /** The place under the pointer or of the keyboard changed; null is none. */
  readonly onPlace: (place: number | null) => void
  readonly onDrawn: (painted: Painted) => void
}

/** A chart on the page. */
export interface Plot {
  /** Places that can be pointed at. */
  readonly places: number
  /** Points at a place, as the pointer does; null takes it away. */
  point(place: number | null): void
  destroy(): void
}

/** Sides of an axis: the library has them as an enum that exists in its types only. */
export const sides = {
  right: 1 as unknown as uPlot.Axis.Side,
  bottom: 2 as unknown as uPlot.Axis.Side,
  left: 3 as unknown as uPlot.Axis.Side,
} as const

/** Options that all charts share: no legend and no zoom, which the page has no use for. */
export function frame(width: number, height: number): Pick<uPlot.Options, 'width' | 'height' | 'legend' | 'cursor'> {
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
  }
}

/** Colours and font of an axis. */
export function axisStyle(theme: Theme): Required<Pick<uPlot.Axis, 'stroke' | 'font' | 'grid' | 'ticks'>> {
  const line = { stroke: theme.lines, width: 1 }
  return { stroke: theme.dimmed, font: theme.font, grid: line, ticks: line }
}

let measuring: CanvasRenderingContext2D | null = null

/** Width of a text in the chart's font, in CSS pixels. */
export function textWidth(text: string, theme: Theme): number {
  measuring ??= document.createElement('canvas').getContext('2d')
  if (measuring === null) return text.length * 7
  measuring.font = theme.font
  return measuring.measureText(text).width
}

/** Height of a line in the chart's font, in CSS pixels. */
export function fontHeight(theme: Theme): number {
  return Math.ceil(Number.parseFloat(theme.font) * 1.3) || 17
}

/** A text that fits into a width, cut in the middle: the ends of a model's name tell it apart. */
export function fitted(text: string, width: number, theme: Theme): string {
  if (textWidth(text, theme) <= width) return text
  for (let kept = text.length - 1; kept > 2; kept -= 1) {
    const cut = `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`
    if (textWidth(cut, theme) <= width) return cut
  }
  return '…'
}

const inValues = 1 as unknown as uPlot.Series.BarsPathBuilderFacetUnit

/** Paths of bars from one list of values to another, as wide as a share of their place. */
export function barsBetween(
  share: number,
  lower: number[],
  upper: number[],
  each: () => void,
): uPlot.Series.PathBuilder {
  const { bars } = uPlot.paths
  if (bars === undefined) throw new Error('The chart library was built without bars.')
  return bars({
    size: [share, 56, 1],
    each,
    disp: { y0: { unit: inValues, values: () => lower }, y1: { unit: inValues, values: () => upper } },
  })
}
