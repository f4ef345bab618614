import { hash } from 'node:crypto'
import type { ReceivedCall } from '../call.ts'
import type { AnswerReader } from '../dialects/dialect.ts'
import type { Gate } from '../gate.ts'
import type { ProviderAnswer } from '../transcript/lineage.ts'

/** What the provider keeps of an answer, for the request that goes on from it; null where it names none. */
export function providerAnswer(gate: Gate, received: ReceivedCall, reader: AnswerReader | null): ProviderAnswer | null {
  if (reader === null) return null
  const { responseId, calls } = reader.facts
  if (responseId === null) return null
  return {
    responseId: responseKey(received, responseId),
    calls: calls === null ? null : gate.describer.digestCalls(calls),
  }
}

/** Name of an answer in the daemon's memory. Servers give out ids as they like, and one tenant's are none of another's. */
export function responseKey({ identity, upstreamName }: ReceivedCall, responseId: string): string {
  // As much of an id as the reader of an answer keeps.
  return hash('sha256', `${identity.tenant}\n${upstreamName}\n${responseId.slice(0, 256)}`, 'base64')
}
