import * as v from 'valibot'
import { seriesGroups, seriesUnits } from '../../shared/series.ts'
import { measures, periods } from './view.ts'

/**
 * Everything that the page shows, in the user's language: it only draws. The schemas are here because the page reads it from a
 * message, and the types follow from them.
 */

/** The charts, in the order of the page. */
export const chartNames = ['spend', 'turns', 'residual', 'refusals', 'drift'] as const

/** One of `chartNames`. */
export type ChartName = (typeof chartNames)[number]

/** How numbers of a chart are written. */
const numberKinds = ['eur', 'tokens', 'whole', 'signedPercent'] as const

/** One of `numberKinds`. */
export type NumberKind = (typeof numberKinds)[number]

/** Commands that a button of a notice may run. */
export const pageCommands = [
  'tollgate.restartDaemon',
  'tollgate.showLog',
  'tollgate.openSettings',
  'tollgate.showExtension',
] as const

const numbers = v.array(v.number())
const texts = v.array(v.string())

/** Schema of `DashboardView`. */
export const viewSchema = v.object({
  period: v.picklist(periods),
  unit: v.picklist(seriesUnits),
  by: v.picklist(seriesGroups),
  measure: v.picklist(measures),
  task: v.nullable(v.string()),
})

/** What is read at places where a number alone would say too much: `≥ €1.00` or `€?`. */
const saidSchema = v.array(v.object({ at: v.number(), text: v.string() }))

const stackedSchema = v.object({
  kind: v.literal('stacked'),
  numbers: v.picklist(numberKinds),
  /** One per place on the axis: in full, and short for the axis. */
  labels: texts,
  ticks: texts,
  /** Distances between two labels of the axis that make sense, ascending. */
  steps: numbers,
  /** The lowest part of the bars first. */
  series: v.array(v.object({ name: v.string(), total: v.string(), values: numbers, said: saidSchema })),
  /** The same of the whole bars. */
  said: saidSchema,
  /** A line on an axis of its own. */
  line: v.nullable(
    v.object({
      name: v.string(),
      total: v.string(),
      numbers: v.picklist(numberKinds),
      values: numbers,
      said: saidSchema,
    }),
  ),
})

const rowsSchema = v.object({
  kind: v.literal('rows'),
  numbers: v.picklist(numberKinds),
  /** Names of the parts that a bar has, from the left. */
  parts: texts,
  rows: v.array(v.object({ name: v.string(), text: v.string(), values: numbers })),
  /** Ends of the axis. */
  domain: v.tuple([v.number(), v.number()]),
  /** A range that is marked. */
  band: v.nullable(v.tuple([v.number(), v.number()])),
})

const tableSchema = v.object({
  columns: v.array(v.object({ name: v.string(), isNumber: v.boolean() })),
  /** What is read, and what is exported: an empty text for a number that nobody knows. */
  rows: v.array(v.array(v.object({ text: v.string(), raw: v.union([v.string(), v.number()]) }))),
})

const partSchema = v.object({
  title: v.string(),
  /** Sentences above the chart. */
  about: v.array(v.string()),
  /** What a screen reader says for the picture. */
  summary: v.string(),
  /** Null where there is nothing to draw; then `empty` says what to do. */
  chart: v.nullable(v.variant('kind', [stackedSchema, rowsSchema])),
  empty: v.string(),
  table: tableSchema,
})

const choices = v.array(v.object({ value: v.string(), label: v.string() }))

/** Schema of `DashboardPage`. */
export const pageSchema = v.object({
  language: v.string(),
  currency: v.string(),
  view: viewSchema,
  labels: v.object({
    title: v.string(),
    controls: v.string(),
    period: v.string(),
    unit: v.string(),
    by: v.string(),
    measure: v.string(),
    task: v.string(),
    table: v.string(),
    exportCsv: v.string(),
    readHint: v.string(),
    total: v.string(),
  }),
  choices: v.object({ period: choices, unit: choices, by: choices, measure: choices, task: choices }),
  headline: v.array(v.string()),
  notice: v.nullable(
    v.object({
      text: v.string(),
      action: v.nullable(v.object({ label: v.string(), command: v.picklist(pageCommands) })),
    }),
  ),
  charts: v.object({
    spend: partSchema,
    turns: partSchema,
    residual: partSchema,
    refusals: partSchema,
    drift: partSchema,
  }),
})

/** The whole page. */
export type DashboardPage = v.InferOutput<typeof pageSchema>
/** One chart with its texts and its table. */
export type ChartPart = v.InferOutput<typeof partSchema>
/** Texts in the place of single numbers. */
export type Said = v.InferOutput<typeof saidSchema>
/** Bars over an axis, in parts that stand on each other. */
export type StackedChart = v.InferOutput<typeof stackedSchema>
/** Bars that lie beside names. */
export type RowChart = v.InferOutput<typeof rowsSchema>
/** The figures behind a chart. */
export type ChartTable = v.InferOutput<typeof tableSchema>
/** One figure of a table. */
export type Cell = ChartTable['rows'][number][number]
