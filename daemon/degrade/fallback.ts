import type { Upstream } from '../../shared/config.ts'
import type { ReceivedCall, CallFacts } from '../call.ts'
import { applyEdits } from '../dialects/edit.ts'
import { modelEdits, pathWithModel } from '../dialects/modelPlace.ts'
import { resolveRoute } from '../dialects/routes.ts'

/** Where a plan sends a call whose budget is used up. */
export interface Fallback {
  readonly upstream: string
  readonly model: string
}

/**
 * The same call for another model server, in the same dialect; null where that server does not speak it, or where the answer
 * would not be one: an embedding of another model belongs into another space, a conversation that the first provider keeps
 * is not known to the second, and a server-side tool runs nowhere else.
 */
export function fallbackCall(
  received: ReceivedCall,
  facts: CallFacts,
  { upstream: name, model }: Fallback,
  upstream: Upstream | undefined,
): ReceivedCall | null {
  if (upstream?.free !== true || name === received.upstreamName) return null
  if (!facts.producesOutput || facts.hiddenInput !== null || facts.serverTools.length > 0) return null
  const route = resolveRoute(upstream.dialect, name, 'POST', pathFor(received))
  if (route.kind !== 'metered' || route.dialect !== received.dialect) return null
  return {
    ...received,
    upstreamName: name,
    upstream,
    upstreamPath: pathWithModel(route.dialect, route.path, model),
    billing: 'metered',
    body: applyEdits(received.body, modelEdits(route.dialect, model)),
  }
}

/** The path without what a query says to the first provider, a key among it. How a stream is framed is the client's wish. */
function pathFor({ upstreamPath }: ReceivedCall): string {
  const [plain = '', query = ''] = upstreamPath.split('?')
  const isEvents = query.split('&').some((field) => /^(?:\$|%24)?alt=sse$/i.test(field))
  return isEvents ? `${plain}?alt=sse` : plain
}

/** Headers that hold a credential or an account of the provider that the client meant: they never go to another one. */
const credentials = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-goog-user-project',
  'openai-organization',
  'openai-project',
  'anthropic-organization-id',
])

/** A flat list of request headers without credentials. Unknown names that sound like one are left out too. */
export function withoutCredentials(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    if (credentials.has(lower) || /(?:key|token|secret|auth|session|account)/.test(lower)) continue
    kept.push(name, headers[at + 1] ?? '')
  }
  return kept
}
