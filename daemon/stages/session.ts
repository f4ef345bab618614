import { hash } from 'node:crypto'
import type { CallFacts, ReceivedCall } from '../call.ts'

/**
 * The session that a call belongs to, as far as the client names one, as a salted digest: a client's own ids may carry
 * account names, and the ledger keeps nothing that could be turned back (N08).
 */
export function sessionOf(received: ReceivedCall, facts: CallFacts, salt: string): string | null {
  const named = received.sessionHeader ?? facts.sessionHint
  if (named === null || named === '') return null
  return hash('sha256', `${salt}\n${received.identity.keyId}\n${named}`, 'hex').slice(0, 24)
}
