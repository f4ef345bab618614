import type { Report, ReportRow } from '../../shared/report.ts'
import type { ModelStatus, SpendStatus, Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { allowedOnTop, allowedRow, allowedSentence } from './allowedOnTop.ts'
import { allTokens, capText, eurCap, gauges, tokenCap } from './caps.ts'
import { costText } from './costText.ts'
import type { Cost } from './costText.ts'
import type { Figures } from './figures.ts'
import { spentText } from './gateView.ts'
import type { GateView } from './gateView.ts'
import { blockedNode } from './spendBlocked.ts'
import { dayOf, ofDay } from './spendEvents.ts'
import type { KeptEvents } from './spendEvents.ts'
import { bounded, nodeOf, oneLine } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'
import { tasksNode } from './spendTasks.ts'
import { withTasksApart } from './toldApart.ts'
import { warningsNode } from './spendWarnings.ts'

/** Rows of models and of projects before the others are behind *more*. */
const mostRows = 12

/** Everything that the Spend view follows from. */
export interface SpendState {
  readonly gate: GateView
  readonly events: KeptEvents
  /** Today's report by project and by model; null before it was read. */
  readonly byProject: Report | null
  readonly byModel: Report | null
  /** When the running gate started, in milliseconds since the epoch: events of before are not all kept. */
  readonly gateSinceMs: number
  readonly nowMs: number
}

/**
 * The Spend view's sections: today, this month, tasks, what was blocked and what was warned of today. A section without rows is
 * left out. Empty while the gate is not up and while nothing has happened, so that the view's welcome is shown instead.
 */
export function spendNodes(state: SpendState, text: Text, figures: Figures): readonly SpendNode[] {
  const { gate, nowMs } = state
  if (gate.kind !== 'up') return []
  const status = withTasksApart(gate.status, nowMs, text, figures)
  const day = dayOf(status.time, status.timezone)
  const events = ofDay(state.events, day, status.timezone)
  const sections = [
    ...tasksNode(status, nowMs, text, figures),
    ...blockedNode(events, status.tasks, state.gateSinceMs, nowMs, text, figures),
    ...warningsNode(events, status, nowMs, text, figures),
  ]
  // The view's welcome would say nothing of a kill switch.
  const isQuiet = status.today.calls === 0 && status.month.calls === 0 && status.inFlight.length === 0 && !status.killed
  if (isQuiet && sections.length === 0) return []
  return [
    todayNode(status, ofToday(state.byProject, day), ofToday(state.byModel, day), nowMs, text, figures),
    monthNode(status.month, nowMs, text, figures),
    ...sections,
  ]
}

/** One line above the tree for what keeps every call from passing; undefined where calls pass. */
export function spendMessage(gate: GateView, text: Text, figures: Figures): string | undefined {
  if (gate.kind !== 'up') return undefined
  if (gate.status.killed) return text.labelKilled
  if (!gate.status.integrity.ledgerAvailable) return text.labelLedger
  // Not the cap of a project or model that refused a call: other calls pass.
  const full = gauges(gate.status).find(({ share }) => share >= 1)
  return full === undefined ? undefined : text.labelReached(capText(full.unit, full.cap, figures, text))
}

/** A report of another day says nothing about today. */
function ofToday(report: Report | null, day: string): Report | null {
  return report?.to === day ? report : null
}

function todayNode(
  status: Status,
  byProject: Report | null,
  byModel: Report | null,
  nowMs: number,
  text: Text,
  figures: Figures,
): SpendNode {
  const { today } = status
  const facts = today.reservedEur > 0 ? [text.heldByRunning(figures.eur(today.reservedEur))] : []
  return nodeOf({
    ...spendParts('today', text.today, today, facts, nowMs, text, figures),
    children: [
      ...allowedNode('today', text.today, today, nowMs, text, figures),
      ...modelsNode(status, byModel, text, figures),
      ...projectsNode(byProject, text, figures),
    ],
  })
}

function monthNode(month: SpendStatus, nowMs: number, text: Text, figures: Figures): SpendNode {
  return nodeOf({
    ...spendParts('month', text.month, month, [], nowMs, text, figures),
    children: allowedNode('month', text.month, month, nowMs, text, figures),
  })
}

/** What is allowed on top of the caps for a while, and how much of it until when: a row of its own. */
function allowedNode(
  window: string,
  label: string,
  spend: SpendStatus,
  nowMs: number,
  text: Text,
  figures: Figures,
): readonly SpendNode[] {
  const allowed = allowedOnTop(spend, nowMs, text, figures)
  if (allowed === null) return []
  const says = allowedSentence(label, allowed, text)
  return [
    nodeOf({
      id: `${window}/allowed`,
      label: allowedRow(allowed, text),
      icon: 'add',
      tooltip: says,
      spoken: says,
      menu: ['takeBack'],
    }),
  ]
}

function spendParts(
  id: string,
  label: string,
  spend: SpendStatus,
  facts: readonly string[],
  nowMs: number,
  text: Text,
  figures: Figures,
) {
  const spent = spentText(spend, figures)
  const cap = eurCap(spend)
  const mostTokens = tokenCap(spend)
  const isUnknown = spend.spentEur === 0 && spend.unpricedCalls > 0
  const share = cap === null || cap === 0 || isUnknown ? [] : [figures.percent(spend.spentEur / cap)]
  const money = [cap === null ? spent : text.share(spent, figures.eur(cap)), ...share]
  const tokens =
    mostTokens === null ? [] : [text.tokensOf(figures.tokens(allTokens(spend)), figures.tokens(mostTokens))]
  const calls = text.spend.calls(spend.calls, figures.whole(spend.calls))
  const description = [...money, ...tokens].join(' · ')
  const menu: SpendNode['menu'] = cap === null && mostTokens === null ? [] : ['raise']
  return {
    id,
    label,
    description,
    icon: 'calendar',
    menu,
    tooltip: [
      `${label}: ${description}`,
      calls,
      ...tokenLines(spend.tokens, text, figures),
      ...facts,
      ...(spend.listPriceEur > 0 ? [text.spend.listPrice(figures.eur(spend.listPriceEur))] : []),
      text.spend.resetsAt(figures.when(spend.resetsAt, nowMs)),
    ].join('\n'),
    spoken: [`${label}:`, ...money.map((part) => `${part},`), ...tokens.map((part) => `${part},`), `${calls}.`].join(
      ' ',
    ),
  } as const
}

interface Tokens {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** New, cached and written tokens apart: one sum of them says nothing about the spend. */
function tokenLines({ input, cacheRead, cacheWrite, output }: Tokens, text: Text, figures: Figures): readonly string[] {
  return [
    text.spend.newTokens(figures.whole(input + cacheWrite)),
    text.spend.cachedTokens(figures.whole(cacheRead)),
    text.spend.outputTokens(figures.whole(output)),
  ]
}

function modelsNode(status: Status, report: Report | null, text: Text, figures: Figures): readonly SpendNode[] {
  if (status.models.length === 0) return []
  const reported = new Map(report?.rows.map((row) => [row.name, row]))
  const rows = [...status.models]
    .sort(
      (left, right) => worth(right) - worth(left) || right.calls - left.calls || (left.model < right.model ? -1 : 1),
    )
    .map((model) => modelNode(model, reported.get(model.model), text, figures))
  return [
    nodeOf({
      id: 'today/models',
      label: text.spend.byModel,
      icon: 'layers',
      children: bounded('today/models', rows, mostRows, text.spend.moreRows),
    }),
  ]
}

/** The status is the fresher one; only the report knows tokens, and of an older gate the calls without a price. */
function modelNode(model: ModelStatus, row: ReportRow | undefined, text: Text, figures: Figures): SpendNode {
  return rowNode(`model/${model.model}`, oneLine(model.model), 'chip', model, row, text, figures)
}

function projectsNode(report: Report | null, text: Text, figures: Figures): readonly SpendNode[] {
  if (report === null || report.rows.length === 0) return []
  const rows = [...report.rows]
    .sort(
      (left, right) =>
        worth(right) - worth(left) || right.calls - left.calls || ((left.name ?? '') < (right.name ?? '') ? -1 : 1),
    )
    .map((row) =>
      // A project may be called `no project`.
      rowNode(
        row.name === null ? 'projectless' : `project/${row.name}`,
        row.name === null ? text.spend.noProject : oneLine(row.name),
        'folder',
        row,
        row,
        text,
        figures,
      ),
    )
  return [
    nodeOf({
      id: 'today/projects',
      label: text.spend.byProject,
      icon: 'folder',
      children: bounded('today/projects', rows, mostRows, text.spend.moreRows),
    }),
  ]
}

interface CostOfCalls extends Cost {
  readonly calls: number
  readonly unpricedCalls?: number
}

function worth({ eur, listPriceEur }: Cost): number {
  return eur + listPriceEur
}

function rowNode(
  id: string,
  label: string,
  icon: 'chip' | 'folder',
  cost: CostOfCalls,
  row: ReportRow | undefined,
  text: Text,
  figures: Figures,
): SpendNode {
  const unpriced = cost.unpricedCalls ?? row?.unpricedCalls ?? 0
  const calls = text.spend.calls(cost.calls, figures.whole(cost.calls))
  const description = [costText(cost, unpriced > 0, text, figures), calls].join(' · ')
  return nodeOf({
    id,
    label,
    description,
    icon,
    tooltip: [
      label,
      description,
      ...(row === undefined ? [] : tokenLines(row, text, figures)),
      ...(unpriced > 0 ? [text.spend.unpricedCalls(unpriced)] : []),
    ].join('\n'),
  })
}
