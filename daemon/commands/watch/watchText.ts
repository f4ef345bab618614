import type { ControlMessage } from '../../../shared/protocol.ts'
import type { Status } from '../../../shared/status.ts'
import { grantedText, money, moneyOfCap, tokenCount } from '../amounts.ts'
import { windowTokens } from '../statusText.ts'
import { printable } from '../terminal.ts'

/** Calls that the line shows one by one; the others are only counted. */
const mostNamed = 2

/** `€1.84 of 10.00 · 128k tokens · 2 running · claude-opus-5 120 out`. */
export function watchLine(status: Status): string {
  const { spentEur, capEur, grantedEur, unpricedCalls } = status.today
  const parts = [
    moneyOfCap(spentEur, capEur, status.currency, grantedEur, unpricedCalls > 0),
    `${tokenCount(windowTokens(status.today))} tokens`,
  ]
  if (status.killed) parts.unshift('STOPPED')
  if (!status.integrity.ledgerAvailable) parts.unshift('NO LEDGER')
  if (status.inFlight.length > 0) parts.push(`${status.inFlight.length} running`)
  const named = [...status.inFlight].sort((left, right) => right.outputTokens - left.outputTokens).slice(0, mostNamed)
  for (const call of named) parts.push(`${printable(call.model)} ${tokenCount(call.outputTokens)} out`)
  return parts.join(' · ')
}

function field(message: object, name: string): string {
  const value = (message as Record<string, unknown>)[name]
  return typeof value === 'string' || typeof value === 'number' ? printable(String(value)) : ''
}

function joined(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ')
}

/** One line about an event that somebody who watches wants to keep; null for the others. */
export function eventLine(message: ControlMessage, currency: string): string | null {
  if (message.event === 'status') return null
  const say = (name: string): string => field(message, name)
  const text = ((): string | null => {
    switch (message.event) {
      case 'refused':
        return `refused ${say('code')}: ${say('message')}`
      case 'alert':
        return `alert: ${say('scope')} ${say('scopeRef')} has used ${say('spent')} of ${say('limit')} ${say('unit')} of the ${say('window')}`
      case 'truncated':
        return `truncated: ${say('model')} read ${say('reported')} of about ${say('estimated')} tokens`
      case 'over_window':
        return `over the window: ${say('model')} takes ${say('window')} of about ${say('estimated')} tokens`
      case 'empty_answer':
        return `empty answer: ${say('model')} used ${say('outputTokens')} output tokens and said nothing`
      case 'output_limit':
        return `output limit: ${say('model')} stopped at ${say('outputTokens')} output tokens`
      case 'killed':
        return `stopped ${joined([say('scope'), say('ref')])}: ${say('cancelled')} calls in ${say('tookMs')} ms`
      case 'resumed':
        return joined(['resumed', say('scope'), say('ref')])
      case 'degraded':
        return `degraded: ${joined([say('from'), say('to'), say('reason')])}`
      case 'state_changed':
        return say('message') || `task ${say('task')} is now ${say('state')}`
      case 'loop':
        return joined([`loop ${say('state')}: task ${say('task')}`, say('tool'), `${say('repeats')} times`])
      case 'granted':
        return `granted to ${say('scope')} ${say('ref')}: ${grantedText((name) => Number(say(name)), currency)}, by ${say('by')}`
      case 'grant_withdrawn':
        return `taken back from ${say('scope')} ${say('ref')}: ${grantedText((name) => Number(say(name)), currency)}`
      case 'orphaned':
        return `the gate died while ${say('calls')} calls ran; they count at their worst case, ${money(Number(say('eur')) || 0, currency)}`
      case 'storm':
      case 'anomaly':
      case 'residual_drift':
      case 'price_drift':
        return joined([`${message.event.replace('_', ' ')}:`, say('model'), say('task'), say('reason')])
      case 'config_rejected':
        return 'the changed configuration was rejected; the last good one holds'
      case 'caps_changed':
        return 'the caps were changed'
      // Said to the window that sent them only.
      case 'caps_refused':
      case 'call_started':
        return null
      case 'call_settled':
        return say('outcome') === 'ok'
          ? null
          : `${say('outcome').replaceAll('_', ' ')}: ${say('model')}, ${money(Number(say('eur')) || 0, currency)}`
    }
  })()
  return text === null ? null : `${clock(message.time)} ${text.trim()}`
}

/** `14:03:59` on the clock of whoever watches. */
function clock(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '--:--:--' : time.toTimeString().slice(0, 8)
}
