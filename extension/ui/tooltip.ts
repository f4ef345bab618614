import type { SpendStatus, Status } from '../../shared/status.ts'
import type { SkippedFamily } from '../env/injection.ts'
import type { Text } from '../text.ts'
import { allTokens, capText } from './caps.ts'
import type { Figures } from './figures.ts'
import { reachedCap, spentText } from './gateView.ts'
import type { StatusBarState } from './gateView.ts'

/** Commands that a link of the tooltip may run; the markdown is trusted for these and no others. */
export const tooltipCommands = [
  'tollgate.stopAll',
  'tollgate.resume',
  'tollgate.openCaps',
  'tollgate.showLog',
  'tollgate.restartDaemon',
  'tollgate.bypass',
  'tollgate.guard',
  'tollgate.openSettings',
] as const

/** Rows that a list shows before it says how many more there are. */
const mostRows = 6

/** Markdown of the status bar item's tooltip: today and month against the caps, tokens, models, running calls, links. */
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
    case 'up':
      blocks.push(...alerts(state, gate.status, text, figures))
      blocks.push(spendTable(gate.status, text, figures), tokenTable(gate.status.today, text, figures))
      blocks.push(...modelTable(gate.status, text, figures), ...runningTable(gate.status, text, figures))
      if (gate.status.today.unpricedCalls > 0) blocks.push(text.unpricedToday(gate.status.today.unpricedCalls))
      break
  }
  if (gate.kind !== 'off') blocks.push(...terminalNotes(state, text))
  blocks.push('---', links(state, text))
  return blocks.join('\n\n')
}

function alerts(state: StatusBarState, status: Status, text: Text, figures: Figures): readonly string[] {
  const found: string[] = []
  if (status.killed) found.push(text.killedTitle)
  const partly = status.kills.filter((kill) => kill.scope !== 'global')
  if (partly.length > 0)
    found.push(text.partlyKilled(partly.map((kill) => plain(`${kill.scope} ${kill.ref}`)).join(', ')))
  if (!status.integrity.ledgerAvailable) found.push(text.ledgerTitle)
  const reached = state.gate.kind === 'up' ? reachedCap(state.gate, state.nowMs) : null
  if (reached) found.push(text.reachedTitle(capText(reached.unit, reached.limit, figures, text)))
  return found
}

function spendTable(status: Status, text: Text, figures: Figures): string {
  const rows: string[][] = []
  for (const [name, tokensName, spend] of [
    [text.today, text.todayTokens, status.today],
    [text.month, text.monthTokens, status.month],
  ] as const) {
    const spent = spend === status.today ? spentText(status, figures) : figures.eur(spend.spentEur)
    rows.push([
      name,
      spent,
      spend.capEur === null ? text.noCap : figures.eur(spend.capEur),
      used(spend.spentEur, spend.capEur, figures),
    ])
    if (spend.capTokens !== null) {
      const tokens = allTokens(spend)
      rows.push([
        tokensName,
        figures.tokens(tokens),
        figures.tokens(spend.capTokens),
        used(tokens, spend.capTokens, figures),
      ])
    }
  }
  const held = status.today.reservedEur > 0 ? `\n\n${text.heldByRunning(figures.eur(status.today.reservedEur))}` : ''
  return table(['', text.headSpent, text.headCap, text.headUsed], rows) + held
}

function used(amount: number, cap: number | null, figures: Figures): string {
  return cap === null || cap === 0 ? '' : figures.percent(amount / cap)
}

function tokenTable(spend: SpendStatus, text: Text, figures: Figures): string {
  const { input, cacheRead, cacheWrite, output } = spend.tokens
  const row = [text.tokensRow, figures.tokens(input + cacheWrite), figures.tokens(cacheRead), figures.tokens(output)]
  return table([text.headTokensToday, text.headNew, text.headCached, text.headOutput], [row])
}

function modelTable(status: Status, text: Text, figures: Figures): readonly string[] {
  if (status.models.length === 0) return []
  const models = [...status.models].sort((left, right) => right.eur - left.eur || right.calls - left.calls)
  const rows = models
    .slice(0, mostRows)
    .map((model) => [plain(model.model), figures.whole(model.calls), figures.eur(model.eur)])
  if (models.length > mostRows) rows.push([text.andMore(models.length - mostRows), '', ''])
  return [table([text.headModelToday, text.headCalls, text.headSpent], rows)]
}

function runningTable(status: Status, text: Text, figures: Figures): readonly string[] {
  if (status.inFlight.length === 0) return []
  const rows = status.inFlight
    .slice(0, mostRows)
    .map((call) => [
      plain(call.model),
      `${figures.whole(Math.floor(call.elapsedMs / 1000))} s`,
      figures.tokens(call.outputTokens),
    ])
  if (status.inFlight.length > mostRows) rows.push([text.andMore(status.inFlight.length - mostRows), '', ''])
  return [table([text.headRunning(status.inFlight.length), text.headElapsed, text.headOutput], rows)]
}

function terminalNotes({ terminals }: StatusBarState, text: Text): readonly string[] {
  if (terminals.wrongHost) return [text.skippedRemote]
  if (terminals.bypassed) return [text.bypassedTitle]
  return terminals.skipped.map((skip) => skipNote(skip, text))
}

function skipNote(skip: SkippedFamily, text: Text): string {
  if (skip.why === 'azure') return text.skippedAzure(`\`${skip.variable}\``)
  const names = { openai: 'OpenAI', anthropic: 'Anthropic', ollama: 'Ollama' } as const
  return text.skippedElsewhere(names[skip.family], `\`${skip.variable}\``)
}

function links({ gate, terminals }: StatusBarState, text: Text): string {
  const link = (icon: string, label: string, command: (typeof tooltipCommands)[number]): string =>
    `[$(${icon}) ${label}](command:${command})`
  if (gate.kind === 'off') return link('settings-gear', text.linkEnable, 'tollgate.openSettings')
  const bypass = terminals.bypassed
    ? link('shield', text.linkGuard, 'tollgate.guard')
    : link('debug-disconnect', text.linkBypass, 'tollgate.bypass')
  const shown =
    gate.kind === 'down'
      ? [link('debug-restart', text.linkRestart, 'tollgate.restartDaemon'), bypass]
      : [
          gate.kind === 'up' && gate.status.killed
            ? link('play-circle', text.linkResume, 'tollgate.resume')
            : link('stop-circle', text.linkStop, 'tollgate.stopAll'),
          link('settings-gear', text.linkCaps, 'tollgate.openCaps'),
          ...(terminals.bypassed ? [bypass] : []),
        ]
  return [...shown, link('output', text.linkLog, 'tollgate.showLog')].join(' &nbsp;·&nbsp; ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? ':--' : '--:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** Text that comes from outside, such as a model's name, without any power in markdown. */
function plain(value: string): string {
  return value.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]()<>#+!|~$&]/g, '\\$&')
}
