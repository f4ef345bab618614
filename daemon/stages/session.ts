import { hash } from 'node:crypto'
import type { CallFacts, Identity, ReceivedCall } from '../call.ts'
import { remembering } from '../memo.ts'

/** A session that the client names. */
export interface NamedSession {
  /**
   * Salted digest: a client's own ids may carry account names, and the ledger keeps nothing that could be turned back
   * (N08). The same after a restart.
   */
  readonly id: string
  /** False where a whole application may share the name, so that nothing can be concluded from how much it adds up to. */
  readonly isConversation: boolean
}

/** The session that a call belongs to, as far as the client names one: a header wins over the request's own fields. */
export function sessionOf(received: ReceivedCall, facts: CallFacts, salt: string): NamedSession | null {
  const { sessionHeader } = received
  const named = sessionHeader === null ? facts.sessionHint : { name: sessionHeader, isConversation: true }
  if (named === null || named.name === '') return null
  const id = hash('sha256', `${salt}\n${received.identity.keyId}\n${named.name}`, 'hex').slice(0, 24)
  return { id, isConversation: named.isConversation }
}

/** Short name of who calls: transcripts of different accounts are never taken for one conversation. */
export function accountOf({ keyId, tenant, user }: Identity): string {
  return shortNameOf(JSON.stringify([keyId, tenant, user]))
}

const shortNameOf = remembering(1000, (account) => hash('sha256', account, 'base64url').slice(0, 12))
