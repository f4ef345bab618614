import type { ModelStatus, Status } from '../../shared/status.ts'
import type { SkippedFamily } from '../env/injection.ts'
import type { Text } from '../text/text.ts'
import { agesLine } from './ages.ts'
import { allowedOnTop, allowedSentence } from './allowedOnTop.ts'
import { allTokens, capText, eurCap, tokenCap } from './caps.ts'
import { unfollowedText } from './awayText.ts'
import { costText } from './costText.ts'
import type { Figures } from './figures.ts'
import { narrowCaps, reachedCap, spentText } from './gateView.ts'
import { nameOfCap } from './notices.ts'
import { pacingLines } from './pacingLines.ts'
import type { GateView, StatusBarState } from './gateView.ts'
import { labelOfTask, taskToName } from './taskName.ts'
import { taskRows } from './taskRows.ts'
import { withTasksApart } from './toldApart.ts'
import { tooltipLinks } from './tooltipLinks.ts'
import { heading, mostRows, plain, plainName, table } from './tooltipTable.ts'
import type { Row } from './tooltipTable.ts'

/** Markdown of the status bar item's tooltip: today and month against the caps, tokens, models, tasks, running calls, links. */
export function renderTooltip(state: StatusBarState, text: Text, figures: Figures): string {
  const { gate, host } = state
  const blocks: string[] = [`**${text.product}** · ${host === null ? text.thisMachine : text.thisHost(plain(host))}`]
  switch (gate.kind) {
    case 'off':
      blocks.push(text.offTitle)
      break
    case 'starting':
      blocks.push(text.startingTitle)
      break
    case 'down':
      blocks.push(text.downTitle, plain(gate.reason), gate.gaveUp ? text.downGaveUp : text.downRetrying)
      break
    case 'unfollowed':
      blocks.push(`**${text.unfollowed}** ${text.unfollowedCalls}`, plain(unfollowedText(gate, text)))
      break
    case 'up':
      blocks.push(...alerts(state, gate.status, text, figures))
      blocks.push(figureTable(gate.status, state.nowMs, text, figures))
      if (gate.status.today.listPriceEur > 0)
        blocks.push(text.listPriceToday(figures.eur(gate.status.today.listPriceEur)))
      blocks.push(...pacingLines(gate.status, state.nowMs, text, figures))
      if (gate.status.today.reservedEur > 0) blocks.push(text.heldByRunning(figures.eur(gate.status.today.reservedEur)))
      blocks.push(...allowances(gate.status, state.nowMs, text, figures))
      if (gate.status.today.unpricedCalls > 0) blocks.push(text.unpricedToday(gate.status.today.unpricedCalls))
      break
  }
  if (gate.kind === 'up') blocks.push(...successorNote(gate, text))
  if (gate.kind !== 'off') blocks.push(...terminalNotes(state, text))
  if (gate.kind === 'up') blocks.push(agesLine(gate.status, text, figures))
  blocks.push('---', tooltipLinks(state, text))
  return blocks.join('\n\n')
}

/** What is allowed on top of the caps for a while: until when, because it is gone then. */
function allowances({ today, month }: Status, nowMs: number, text: Text, figures: Figures): readonly string[] {
  return [[text.today, today] as const, [text.month, month] as const].flatMap(([label, spend]) => {
    const allowed = allowedOnTop(spend, nowMs, text, figures)
    return allowed === null ? [] : [allowedSentence(label, allowed, text)]
  })
}

/** Used up caps of single projects, models and tasks that are named, the latest ones. */
const mostNarrowCaps = 3

/** What an upgrade waits for, or why it did not happen. */
function successorNote({ status, successor }: Extract<GateView, { kind: 'up' }>, text: Text): readonly string[] {
  if (successor?.state === 'failed') return [text.successorFailed(successor.version)]
  return successor && status.inFlight.length > 0 ? [text.reasonBusyOld(status.version)] : []
}

function alerts(state: StatusBarState, status: Status, text: Text, figures: Figures): readonly string[] {
  const found: string[] = []
  if (status.killed) found.push(text.killedTitle)
  const partly = status.kills.filter((kill) => kill.scope !== 'global')
  if (partly.length > 0)
    found.push(text.partlyKilled(partly.map((kill) => plain(text.scopeNamed(kill.scope, kill.ref))).join(', ')))
  if (!status.integrity.ledgerAvailable) found.push(text.ledgerTitle)
  if (state.gate.kind !== 'up') return found
  const reached = reachedCap(state.gate, state.nowMs)
  if (reached) found.push(text.reachedTitle(capText(reached.unit, reached.limit, figures, text)))
  const narrow = narrowCaps(state.gate, state.nowMs)
  for (const cap of narrow.slice(-mostNarrowCaps)) found.push(text.reachedTitle(plain(nameOfCap(cap, text, figures))))
  if (narrow.length > mostNarrowCaps) found.push(text.andMore(narrow.length - mostNarrowCaps))
  return found
}

/** One table with headings inside, because the columns of several tables would not line up. */
function figureTable(gateStatus: Status, nowMs: number, text: Text, figures: Figures): string {
  const status = withTasksApart(gateStatus, nowMs, text, figures)
  const { input, cacheRead, cacheWrite, output } = status.today.tokens
  const rows: Row[] = [
    ...spendRows(status, text, figures),
    heading(text.headTokensToday, text.headNew, text.headCached, text.headOutput),
    ['', figures.tokens(input + cacheWrite), figures.tokens(cacheRead), figures.tokens(output)],
    ...modelRows(status, text, figures),
    ...taskRows(status, nowMs, text, figures),
    ...runningRows(status, nowMs, text, figures),
  ]
  return table(['', text.headSpent, text.headCap, text.headUsed], rows)
}

function spendRows(status: Status, text: Text, figures: Figures): readonly Row[] {
  const rows: Row[] = []
  for (const [name, tokensName, spend] of [
    [text.today, text.todayTokens, status.today],
    [text.month, text.monthTokens, status.month],
  ] as const) {
    const eur = eurCap(spend)
    const cap = eur === null ? text.noCap : figures.eur(eur)
    const isUnknown = spend.spentEur === 0 && spend.unpricedCalls > 0
    rows.push([name, spentText(spend, figures), cap, isUnknown ? '' : used(spend.spentEur, eur, figures)])
    const most = tokenCap(spend)
    if (most === null) continue
    const tokens = allTokens(spend)
    rows.push([tokensName, figures.tokens(tokens), figures.tokens(most), used(tokens, most, figures)])
  }
  return rows
}

function used(amount: number, cap: number | null, figures: Figures): string {
  return cap === null || cap === 0 ? '' : figures.percent(amount / cap)
}

function modelRows(status: Status, text: Text, figures: Figures): readonly Row[] {
  if (status.models.length === 0) return []
  const value = (model: ModelStatus): number => model.eur + model.listPriceEur
  const models = [...status.models].sort((left, right) => value(right) - value(left) || right.calls - left.calls)
  return [
    heading(text.headModelToday, text.headSpent, '', text.headCalls),
    ...models
      .slice(0, mostRows)
      .map((model): Row => [
        plainName(model.model),
        costText(model, (model.unpricedCalls ?? 0) > 0, text, figures),
        '',
        figures.whole(model.calls),
      ]),
    ...restRow(models.length, text),
  ]
}

function runningRows(status: Status, nowMs: number, text: Text, figures: Figures): readonly Row[] {
  if (status.inFlight.length === 0) return []
  const seconds = (elapsedMs: number): string => `${figures.whole(Math.floor(elapsedMs / 1000))} s`
  const label = (task: string): string => labelOfTask(taskToName(task, status.tasks), nowMs, text, figures)
  return [
    heading(text.headRunning(status.inFlight.length), text.headElapsed, text.headTask, text.headOutput),
    ...status.inFlight
      .slice(0, mostRows)
      .map((call): Row => [
        plainName(call.model),
        seconds(call.elapsedMs),
        call.task === null ? '' : plainName(label(call.task)),
        figures.tokens(call.outputTokens),
      ]),
    ...restRow(status.inFlight.length, text),
  ]
}

function restRow(count: number, text: Text): readonly Row[] {
  return count > mostRows ? [[text.andMore(count - mostRows), '', '', '']] : []
}

function terminalNotes({ terminals }: StatusBarState, text: Text): readonly string[] {
  if (terminals.wrongHost) return [text.skippedRemote]
  if (terminals.bypassed) return [text.bypassedTitle]
  return terminals.skipped.map((skip) => skipNote(skip, text))
}

function skipNote(skip: SkippedFamily, text: Text): string {
  if (skip.why === 'azure') return text.skippedAzure(`\`${skip.variable}\``)
  const names = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini', ollama: 'Ollama' } as const
  return text.skippedElsewhere(names[skip.family], `\`${skip.variable}\``)
}
