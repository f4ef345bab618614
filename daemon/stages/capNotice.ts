import type { AdmittedCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { Terms } from './terms.ts'

/** Claude Code in all its forms: the terminal, the panel, the SDK. */
const claudeCode = /^claude-(?:cli|code)/i

/**
 * Claude Code shows a warning of its own for an answer with these headers (design 3.6). It gets them once a budget of the
 * call has passed its alert share; `answer` leaves them out where the provider has sent such headers itself. Flat list.
 */
export function capNotice(gate: Gate, call: AdmittedCall, terms: Terms): readonly string[] {
  if (call.dialect !== 'anthropic-messages' || !claudeCode.test(call.userAgent)) return []
  // No euro cap holds for it.
  if (call.isListPrice) return []
  const near = gate.nearCaps.among(terms.scopes, terms.config.budgets.alertAt)
  const end = near === null ? null : gate.calendar.windowEnd(near, gate.nowMs())
  if (end === null) return []
  const resetAtSeconds = Math.floor(gate.nowMs() / 1000) + end.secondsToReset
  return [`${unifiedLimit}-status`, 'allowed_warning', `${unifiedLimit}-reset`, String(resetAtSeconds)]
}

/** What the names of the provider's own headers about its limits begin with. */
export const unifiedLimit = 'anthropic-ratelimit-unified'
