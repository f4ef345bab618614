import uPlot from 'uplot'
import type { RowChart } from '../page.ts'
import { colorOf, fillOf } from './patterns.ts'
import { axisStyle, barsBetween, fitted, fontHeight, frame, sides, textWidth } from './plot.ts'
import type { Plot, PlotParts } from './plot.ts'

/** Between a bar and its amount, in CSS pixels. */
const gapPx = 6
const barPx = 14
/** The band reaches this far beyond a bar, and the name stays clear of it. */
const bandPx = 3
const nameGapPx = bandPx + 2
/** The bars keep at least this share of the width, however long the amounts are. */
const leastBarShare = 0.4

/** Bars that lie below their names, with the amount at their end: names of models need the whole width. */
export function drawRows(chart: RowChart, parts: PlotParts): Plot {
  const { theme, numberText, target, width, onPlace } = parts
  const { rows } = chart
  const linePx = fontHeight(theme)
  const rowPx = linePx + barPx + 16
  const hasAxis = chart.numbers !== 'whole'
  const axisPx = hasAxis ? linePx + 12 : 0
  const ends = endsOf(chart)
  const zeros = rows.map(() => 0)
  const style = axisStyle(theme)
  const counted = { bars: 0, linePoints: 0 }
  const amountPx = Math.max(...rows.map(({ text }) => textWidth(text, theme))) + 2 * gapPx
  const [low, high] = widened(chart, width, amountPx)
  // Half of a line below the middle of its row: the name is above.
  const places = rows.map((_, at) => at + linePx / 2 / rowPx)
  const options: uPlot.Options = {
    ...frame(width, rows.length * rowPx + axisPx),
    padding: [0, 0, 0, 0],
    scales: {
      x: { time: false, ori: 1, dir: -1, range: [-0.5, rows.length - 0.5] },
      y: { ori: 0, dir: 1, range: [low, high] },
    },
    axes: [
      { show: false, side: sides.left },
      {
        ...style,
        // Counts are beside their bars.
        show: hasAxis,
        scale: 'y',
        side: sides.bottom,
        size: axisPx,
        space: 60,
        // Lines would run through the names.
        grid: { show: false },
        values: (_, splits: readonly (number | null)[]) =>
          splits.map((value) => (value === null ? '' : numberText(chart.numbers, value))),
        // A label at the very edge would be cut.
        filter: (_, splits) => splits.map((value) => (value > low * 0.9 && value < high * 0.9 ? value : null)),
      },
    ],
    series: [
      {},
      ...chart.parts.map((_, part): uPlot.Series => ({
        scale: 'y',
        width: theme.isHighContrast ? 1 : 0,
        stroke: colorOf(part, theme),
        fill: fillOf(part, theme, devicePixelRatio),
        points: { show: false },
        paths: barsBetween(barPx / rowPx, ends[part - 1] ?? zeros, ends[part] ?? zeros, () => {
          counted.bars += 1
        }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => onPlace(typeof cursor.idx === 'number' && (cursor.top ?? -1) >= 0 ? cursor.idx : null),
      ],
      drawClear: [
        (plot) => {
          counted.bars = 0
          if (chart.band !== null) paintRange(plot, ...chart.band, theme.band)
        },
      ],
      draw: [
        (plot) => {
          paintRange(plot, 0, 0, theme.dimmed)
          paintTexts(plot, chart, ends, parts)
          parts.onDrawn(counted)
        },
      ],
    },
  }
  options.cursor = { ...options.cursor, x: false }
  const plot = new uPlot(options, [places, ...ends], target)
  return {
    places: rows.length,
    point: (place) => {
      if (place === null) plot.setCursor({ left: -10, top: -10 })
      else plot.setCursor({ left: 1, top: plot.valToPos(place, 'x') })
    },
    destroy: () => plot.destroy(),
  }
}

/** Right ends of the parts of each row, the first part first. */
function endsOf(chart: RowChart): number[][] {
  return chart.parts.map((_, part) =>
    chart.rows.map(({ values }) => values.slice(0, part + 1).reduce((sum, value) => sum + value, 0)),
  )
}

/** Ends of the axis, with room for the amounts behind the longest bars. */
function widened({ domain, rows }: RowChart, plotPx: number, amountPx: number): [number, number] {
  const [low, high] = domain
  const isLeft = rows.some(({ values }) => values.some((value) => value < 0))
  const barsPx = Math.max(plotPx * leastBarShare, plotPx - amountPx * (isLeft ? 2 : 1))
  const extra = ((high - low || 1) * (plotPx / barsPx - 1)) / (isLeft ? 2 : 1)
  return [isLeft ? low - extra : low, high + extra]
}

/** Marks a range behind each bar. */
function paintRange(plot: uPlot, from: number, to: number, color: string): void {
  const { ctx } = plot
  const left = Math.round(plot.valToPos(from, 'y', true))
  const width = Math.max(Math.round(devicePixelRatio), Math.round(plot.valToPos(to, 'y', true)) - left)
  const height = (barPx + 2 * bandPx) * devicePixelRatio
  ctx.save()
  ctx.fillStyle = color
  for (const place of plot.data[0]) ctx.fillRect(left, plot.valToPos(place, 'x', true) - height / 2, width, height)
  ctx.restore()
}

function paintTexts(plot: uPlot, { rows }: RowChart, ends: readonly number[][], { theme, width }: PlotParts): void {
  const { ctx, bbox } = plot
  const places = plot.data[0]
  ctx.save()
  ctx.font = theme.font.replace(/^[\d.]+px/, (size) => `${Number.parseFloat(size) * devicePixelRatio}px`)
  ctx.fillStyle = theme.foreground
  rows.forEach(({ name, text }, at) => {
    const end = ends.at(-1)?.[at] ?? 0
    const isLeft = end < 0
    const middle = plot.valToPos(places[at] ?? at, 'x', true)
    ctx.textAlign = 'left'
    ctx.textBaseline = 'bottom'
    ctx.fillText(fitted(name, width, theme), bbox.left, middle - (barPx / 2 + nameGapPx) * devicePixelRatio)
    ctx.textAlign = isLeft ? 'right' : 'left'
    ctx.textBaseline = 'middle'
    ctx.fillText(text, plot.valToPos(end, 'y', true) + (isLeft ? -gapPx : gapPx) * devicePixelRatio, middle)
  })
  ctx.restore()
}
