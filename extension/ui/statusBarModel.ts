import type { Status } from '../../shared/status.ts'
import type { Text } from '../text.ts'
import { capText, eurCap, gauges } from './caps.ts'
import type { Gauge } from './caps.ts'
import type { Figures } from './figures.ts'
import { newTokens, reachedCap, spentText } from './gateView.ts'
import type { GateView, StatusBarState } from './gateView.ts'
import { renderTooltip } from './tooltip.ts'

/** The drawn item. */
export interface StatusBarView {
  readonly text: string
  /** Markdown with command links. */
  readonly tooltip: string
  readonly background: 'none' | 'warning' | 'error'
  readonly accessibleLabel: string
}

/** Draws the status bar item. Colours are earned: warning from the configured share of a cap on, error when calls are refused. */
export function renderStatusBar(state: StatusBarState, text: Text, figures: Figures): StatusBarView {
  const tooltip = renderTooltip(state, text, figures)
  const { gate } = state
  switch (gate.kind) {
    case 'off':
      return { text: `$(circle-outline) ${text.gateOff}`, tooltip, background: 'none', accessibleLabel: text.labelOff }
    case 'starting':
      return {
        text: `$(loading~spin) ${text.starting}`,
        tooltip,
        background: 'none',
        accessibleLabel: text.startingLabel,
      }
    case 'down':
      return {
        text: `$(debug-disconnect) ${text.gateDown}`,
        tooltip,
        background: 'error',
        accessibleLabel: text.labelDown(gate.reason),
      }
    case 'up':
      return { ...renderUp(gate, state, text, figures), tooltip }
  }
}

type Drawn = Omit<StatusBarView, 'tooltip'>

function renderUp(
  gate: Extract<GateView, { kind: 'up' }>,
  { terminals, nowMs }: StatusBarState,
  text: Text,
  figures: Figures,
): Drawn {
  const { status } = gate
  if (status.killed) {
    return { text: `$(stop-circle) ${text.killed}`, background: 'error', accessibleLabel: text.labelKilled }
  }
  if (!status.integrity.ledgerAvailable) {
    return { text: `$(error) ${text.ledgerAway}`, background: 'error', accessibleLabel: text.labelLedger }
  }
  const reached = reachedCap(gate, nowMs)
  if (reached) {
    const cap = capText(reached.unit, reached.limit, figures, text)
    return {
      text: `$(circle-slash) ${text.capReached(cap)}`,
      background: 'error',
      accessibleLabel: text.labelReached(cap),
    }
  }
  const fullest = gauges(status)[0]
  const close = fullest !== undefined && fullest.share >= status.alertAt ? fullest : undefined
  const label = spokenSpend(status, text, figures)
  if (terminals.bypassed) {
    return {
      text: `$(debug-disconnect) ${text.bypassed} · ${spentText(status.today, figures)}`,
      background: 'warning',
      accessibleLabel: `${text.labelBypassed} ${label}`,
    }
  }
  if (close) {
    return {
      text: `$(warning) ${closeText(close, status, text, figures)}`,
      background: 'warning',
      accessibleLabel: `${text.labelWarning} ${label}`,
    }
  }
  return {
    text: `$(pulse) ${spentText(status.today, figures)} · ${figures.tokens(newTokens(status))}`,
    background: 'none',
    accessibleLabel: label,
  }
}

function closeText(close: Gauge, status: Status, text: Text, figures: Figures): string {
  return close.unit === 'eur'
    ? `${figures.eurOf(close.used, close.cap)} · ${figures.tokens(newTokens(status))}`
    : `${text.tokensOf(figures.tokens(close.used), figures.tokens(close.cap))} · ${spentText(status.today, figures)}`
}

function spokenSpend(status: Status, text: Text, figures: Figures): string {
  const { spentEur } = status.today
  const cap = eurCap(status.today)
  const spent = spentText(status.today, figures)
  const sentences = [
    cap === null
      ? text.labelSpendUncapped(spent)
      : text.labelSpend(spent, figures.eur(cap), figures.percent(spentEur / cap)),
    text.labelTokens(figures.whole(newTokens(status))),
  ]
  if (status.inFlight.length > 0) sentences.push(text.labelRunning(status.inFlight.length))
  return sentences.join(' ')
}
