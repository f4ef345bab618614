import type { DialectName } from '../call.ts'
import { geminiCall } from '../dialects/geminiPath.ts'
import { plainPath } from '../dialects/routes.ts'
import type { Upstream } from '../../shared/config.ts'
import type { Gate } from '../gate.ts'
import type { Addressed } from './receive.ts'

/** An answer of a token counter that failed, as it came. */
export interface CounterFailure {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly untilMs: number
}

/** How long a counter that failed is not asked again: agents ask for dozens of counts in a second (H02). */
export const failureHoldsMs = 10_000

/** Larger error answers are passed on and not kept. */
export const mostFailureBytes = 64 * 1024

/** The dialect by whose rules a free counting endpoint reads its body; null for any other endpoint. */
export function counterDialect(path: string): DialectName | null {
  const plain = plainPath(path)
  if (geminiCall(plain)?.method === 'countTokens') return 'gemini-generate'
  if (plain.endsWith('/messages/count_tokens')) return 'anthropic-messages'
  return plain.endsWith('/responses/input_tokens') ? 'openai-responses' : null
}

/** Whether an answer says that the counter itself is out of order, or that the server has none, and not that the request is wrong. */
export function isCounterFailure(status: number, upstream: Upstream): boolean {
  return status >= 500 || (status === 404 && upstream.dialect === 'ollama')
}

/** Our own estimate, for the header of an answer that has no count; null for a body that cannot be read. */
export async function estimateFor(
  gate: Gate,
  addressed: Addressed,
  dialect: DialectName,
  body: Buffer,
): Promise<number | null> {
  const { identity, upstream, address, route } = addressed
  const { description } = await gate.describer.describe(Buffer.from(body), {
    dialect,
    upstreamName: address.upstream,
    upstreamBaseUrl: upstream.baseUrl,
    path: plainPath(route.path),
    upstreamDialect: upstream.dialect,
    estimator: identity.plan.estimator,
  })
  return description.ok ? description.facts.estimate.upperTokens : null
}
