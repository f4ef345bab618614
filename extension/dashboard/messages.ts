import * as v from 'valibot'
import { chartNames, pageCommands, pageSchema, viewSchema } from './page.ts'
import type { DashboardPage } from './page.ts'
import type { DashboardView } from './view.ts'

/** Themes as VS Code tells a page about them. */
const themes = ['light', 'dark', 'highContrast', 'highContrastLight'] as const

const paintedSchema = v.object({ names: v.array(v.string()), bars: v.number(), linePoints: v.number() })

const drawnSchema = v.object({
  type: v.literal('drawn'),
  theme: v.picklist(themes),
  view: viewSchema,
  /** Times that a page with this state was loaded. */
  loads: v.number(),
  /** Bars and points of lines that were put on each canvas, and the names of the legend. */
  charts: v.object({
    spend: paintedSchema,
    turns: paintedSchema,
    residual: paintedSchema,
    refusals: paintedSchema,
    drift: paintedSchema,
  }),
})

const fromPageSchema = v.variant('type', [
  /** The page can take messages: it was loaded, or loaded anew after it was hidden. */
  v.object({ type: v.literal('ready') }),
  /** A person chose something else. */
  v.object({ type: v.literal('view'), view: viewSchema }),
  /** A person wants the table of a chart as a file. */
  v.object({ type: v.literal('export'), chart: v.picklist(chartNames) }),
  /** A person pressed the button of a notice. */
  v.object({ type: v.literal('run'), command: v.picklist(pageCommands) }),
  /** What is on the canvases now. */
  drawnSchema,
])

const toPageSchema = v.variant('type', [
  /** Everything to show. `view` is the page's own from then on. */
  v.object({ type: v.literal('show'), page: pageSchema, setsView: v.boolean() }),
])

/** What the page tells the extension. */
export type FromPage = v.InferOutput<typeof fromPageSchema>
/** What the page has drawn. */
export type Drawn = v.InferOutput<typeof drawnSchema>
/** What the extension tells the page. */
export type ToPage = {
  readonly type: 'show'
  readonly page: DashboardPage
  /** The view was chosen outside of the page, which takes it over. */
  readonly setsView: boolean
}

/** A message of the page; undefined for anything else. */
export function parseFromPage(message: unknown): FromPage | undefined {
  const parsed = v.safeParse(fromPageSchema, message)
  return parsed.success ? parsed.output : undefined
}

/** A message of the extension; undefined for anything else. */
export function parseToPage(message: unknown): ToPage | undefined {
  const parsed = v.safeParse(toPageSchema, message)
  return parsed.success ? parsed.output : undefined
}

/** What VS Code keeps for a page; anything else is an empty state. */
export interface PageState {
  readonly view: DashboardView | null
  /** Names of charts whose table is open. */
  readonly open: readonly string[]
  readonly loads: number
}

const stateSchema = v.object({
  view: v.fallback(v.nullable(viewSchema), null),
  open: v.fallback(v.array(v.picklist(chartNames)), []),
  loads: v.fallback(v.number(), 0),
})

/** A kept state; what cannot be read is left out. */
export function parseState(value: unknown): PageState {
  const parsed = v.safeParse(stateSchema, value)
  return parsed.success ? parsed.output : { view: null, open: [], loads: 0 }
}
