import type { SpendStatus, Status } from '../../shared/status.ts'
import type { StatusBarShow } from '../settings.ts'
import type { Text } from '../text/text.ts'
import { unfollowedText } from './awayText.ts'
import { capText, eurCap, gauges } from './caps.ts'
import type { Gauge } from './caps.ts'
import type { Figures } from './figures.ts'
import { narrowCaps, newTokens, reachedCap, spentText } from './gateView.ts'
import type { GateView, StatusBarState } from './gateView.ts'
import { nameOfCap } from './notices.ts'
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
        accessibleLabel: `${text.labelDown(gate.reason)} ${gate.gaveUp ? text.downGaveUp : text.downRetrying}`,
      }
    case 'unfollowed':
      return {
        text: `$(eye-closed) ${text.gateUnfollowed}`,
        tooltip,
        // One that is busy is followed later without anybody doing anything.
        background: gate.why === 'busy' ? 'none' : 'warning',
        accessibleLabel: `${text.unfollowed} ${unfollowedText(gate, text)}`,
      }
    case 'up':
      return { ...renderUp(gate, state, text, figures), tooltip }
  }
}

type Drawn = Omit<StatusBarView, 'tooltip'>

function renderUp(
  gate: Extract<GateView, { kind: 'up' }>,
  { terminals, show, nowMs }: StatusBarState,
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
      text: `$(debug-disconnect) ${text.bypassed} · ${todaysMoney(status, text, figures)}`,
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
  const shown = calmText(show, status, text, figures)
  const narrow = narrowCaps(gate, nowMs).at(-1)
  if (narrow) {
    return {
      text: `$(warning) ${shown}`,
      background: 'warning',
      accessibleLabel: `${text.labelNarrowCap(nameOfCap(narrow, text, figures))} ${label}`,
    }
  }
  return { text: `$(pulse) ${shown}`, background: 'none', accessibleLabel: label }
}

/** What the item shows while no cap is close, as the setting says. */
function calmText(show: StatusBarShow, status: Status, text: Text, figures: Figures): string {
  const money = todaysMoney(status, text, figures)
  const count = newTokens(status)
  const tokens = figures.tokens(count)
  switch (show) {
    case 'spendAndTokens':
      return `${money} · ${tokens}`
    case 'spend':
      return money
    case 'spendOfCap':
      return moneyOfCap(status, text, figures)
    case 'tokens':
      return text.tokenCap(count, tokens)
  }
}

/** What today cost. Where nothing was billed, what a subscription's calls would have cost, marked as that. */
function todaysMoney({ today }: Status, text: Text, figures: Figures): string {
  return isListPriceOnly(today) ? text.atListPrice(figures.eur(today.listPriceEur)) : spentText(today, figures)
}

/** The same with the cap, which no list price counts into, and of which an unknown price is no share. */
function moneyOfCap(status: Status, text: Text, figures: Figures): string {
  const { today } = status
  const cap = eurCap(today)
  if (cap === null || isUnknown(today) || isListPriceOnly(today)) return todaysMoney(status, text, figures)
  const share = figures.eurOf(today.spentEur, cap)
  return today.unpricedCalls === 0 ? share : `≥ ${share}`
}

/** Nothing is known of what was spent, so that it is no share of a cap. */
function isUnknown({ spentEur, unpricedCalls }: SpendStatus): boolean {
  return spentEur === 0 && unpricedCalls > 0
}

function isListPriceOnly({ spentEur, unpricedCalls, listPriceEur }: SpendStatus): boolean {
  return spentEur === 0 && unpricedCalls === 0 && listPriceEur > 0
}

function closeText(close: Gauge, status: Status, text: Text, figures: Figures): string {
  return close.unit === 'eur'
    ? `${figures.eurOf(close.used, close.cap)} · ${figures.tokens(newTokens(status))}`
    : `${text.tokensOf(figures.tokens(close.used), figures.tokens(close.cap))} · ${todaysMoney(status, text, figures)}`
}

function spokenSpend(status: Status, text: Text, figures: Figures): string {
  const { spentEur, listPriceEur } = status.today
  const cap = eurCap(status.today)
  const spent = spentText(status.today, figures)
  const spokenMoney = (): string => {
    if (isListPriceOnly(status.today)) return text.listPriceToday(figures.eur(listPriceEur))
    if (cap === null) return text.labelSpendUncapped(spent)
    return isUnknown(status.today)
      ? text.labelSpendUnknown(spent, figures.eur(cap))
      : text.labelSpend(spent, figures.eur(cap), figures.percent(spentEur / cap))
  }
  const sentences = [spokenMoney(), text.labelTokens(figures.whole(newTokens(status)))]
  if (status.inFlight.length > 0) sentences.push(text.labelRunning(status.inFlight.length))
  return sentences.join(' ')
}
