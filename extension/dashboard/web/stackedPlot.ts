import uPlot from 'uplot'
import type { StackedChart } from '../page.ts'
import { colorOf, fillOf } from './patterns.ts'
import { axisStyle, barsBetween, fontHeight, frame, sides, textWidth } from './plot.ts'
import type { Plot, PlotParts } from './plot.ts'

/** Bars in parts over places, and a line on an axis of its own. */
export function drawStacked(chart: StackedChart, parts: PlotParts): Plot {
  const { theme, numberText, target, width, onPlace } = parts
  const places = chart.labels.length
  const xs = chart.labels.map((_, at) => at)
  const tops = stackedTops(chart)
  const zeros = xs.map(() => 0)
  const counted = { bars: 0, linePoints: 0 }
  const most = Math.max(...(tops.at(-1) ?? [0]), 0)
  const style = axisStyle(theme)
  const widestTick = Math.max(...chart.ticks.map((tick) => textWidth(tick, theme)))
  const { line } = chart
  const options: uPlot.Options = {
    ...frame(width, 260),
    padding: [10, line === null ? 8 : 0, 0, 0],
    scales: {
      x: { time: false, range: [-0.5, places - 0.5] },
      y: { range: [0, most * 1.04 || 1] },
      ...(line === null ? {} : { line: { range: [0, Math.max(...line.values) * 1.04 || 1] as [number, number] } }),
    },
    axes: [
      {
        ...style,
        grid: { show: false },
        ticks: { ...style.ticks, size: 4 },
        size: fontHeight(theme) + 14,
        incrs: chart.steps.slice(),
        space: widestTick + 14,
        splits: (_, __, min, max, step) => placesAt(min, max, step),
        values: (_, splits) => splits.map((at) => chart.ticks[at] ?? ''),
      },
      {
        ...style,
        scale: 'y',
        size: (_, values) => axisSize(values, theme),
        values: (_, splits) => splits.map((value) => numberText(chart.numbers, value)),
      },
      ...(line === null
        ? []
        : [
            {
              ...style,
              scale: 'line',
              side: sides.right,
              grid: { show: false },
              size: (_: uPlot, values: string[] | null) => axisSize(values, theme),
              values: (_: uPlot, splits: number[]) => splits.map((value) => numberText(line.numbers, value)),
            },
          ]),
    ],
    series: [
      {},
      ...chart.series.map((_, part): uPlot.Series => ({
        scale: 'y',
        width: theme.isHighContrast ? 1 : 0,
        stroke: colorOf(part, theme),
        fill: fillOf(part, theme, devicePixelRatio),
        paths: barsBetween(0.76, tops[part - 1] ?? zeros, tops[part] ?? zeros, () => {
          counted.bars += 1
        }),
        points: { show: false },
      })),
      ...(line === null
        ? []
        : [
            {
              scale: 'line',
              stroke: theme.line,
              width: 2,
              dash: [6, 4],
              points: { show: line.values.length < 3, size: 6, fill: theme.line },
            } satisfies uPlot.Series,
          ]),
    ],
    hooks: {
      setCursor: [(plot) => onPlace(typeof plot.cursor.idx === 'number' && isOver(plot) ? plot.cursor.idx : null)],
      draw: [() => parts.onDrawn(counted)],
      drawClear: [
        () => {
          counted.bars = 0
          counted.linePoints = line?.values.length ?? 0
        },
      ],
    },
  }
  const data: uPlot.AlignedData = [xs, ...tops, ...(line === null ? [] : [line.values])]
  const plot = new uPlot(options, data, target)
  return {
    places,
    point: (place) => {
      if (place === null) plot.setCursor({ left: -10, top: -10 })
      else plot.setCursor({ left: plot.valToPos(place, 'x'), top: 1 })
    },
    destroy: () => plot.destroy(),
  }
}

/** Upper ends of the parts of each bar, the lowest part first. */
function stackedTops(chart: StackedChart): number[][] {
  const tops: number[][] = []
  for (const { values } of chart.series) {
    const below = tops.at(-1)
    tops.push(values.map((value, at) => value + (below?.[at] ?? 0)))
  }
  return tops
}

/** Whole places at the steps that fit. */
function placesAt(min: number, max: number, step: number): number[] {
  const found: number[] = []
  for (let at = Math.ceil(min / step) * step; at <= max; at += step) found.push(at)
  return found
}

function axisSize(values: string[] | null, theme: PlotParts['theme']): number {
  return values === null ? 40 : Math.ceil(Math.max(0, ...values.map((value) => textWidth(value, theme)))) + 16
}

function isOver({ cursor }: uPlot): boolean {
  return (cursor.left ?? -1) >= 0
}
