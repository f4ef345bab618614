import type { DialectName } from '../call.ts'
import { isModelList, unknownEndpoint, unsupported, withoutPrefix } from './routeTable.ts'
import type { Request, Route } from './routeTable.ts'

/** Metered endpoints below `/v1` that OpenAI and the servers that imitate it share. Several also speak Anthropic's. */
export const openaiEndpoints: ReadonlyMap<string, DialectName> = new Map<string, DialectName>([
  ['chat/completions', 'openai-chat'],
  ['completions', 'openai-completions'],
  ['responses', 'openai-responses'],
  ['embeddings', 'openai-embeddings'],
  ['messages', 'anthropic-messages'],
])

/** Paths of an OpenAI-dialect upstream; results are without `/v1`, which its base URL has. */
export function openaiRoute(request: Request): Route {
  const { method, query } = request
  if (isAzure(request)) {
    return unsupported(
      'This is an Azure OpenAI request (deployment path or api-version query), which this route does not speak. Use the v1 base URL of the Azure resource as the baseUrl of an upstream.',
    )
  }
  const { vendorPrefix } = request
  const own = vendorPrefix !== null && request.parts[0] === vendorPrefix ? request.parts.slice(1) : request.parts
  const parts = withoutPrefix(own, 'v1')
  const endpoint = parts.join('/')
  const path = `/${endpoint}${query}`
  const dialect = method === 'POST' ? openaiEndpoints.get(endpoint) : undefined
  if (dialect !== undefined) return { kind: 'metered', dialect, path }
  if (isModelList(method, parts) || isFreeOpenaiEndpoint(method, parts)) return { kind: 'free', path }
  if (method === 'GET' && endpoint === 'responses') {
    return unsupported('Responses over a WebSocket cannot be accounted for; use HTTP.')
  }
  return unknownEndpoint(request, parts)
}

/** Counters, and reading, deleting and cancelling a stored response. */
export function isFreeOpenaiEndpoint(method: string, parts: readonly string[]): boolean {
  const [first, second, third] = parts
  if (method === 'POST' && parts.length === 2) {
    return (first === 'responses' && second === 'input_tokens') || (first === 'messages' && second === 'count_tokens')
  }
  if (first !== 'responses' || second === undefined) return false
  if (method === 'POST') return parts.length === 3 && third === 'cancel'
  if (method === 'DELETE') return parts.length === 2
  return method === 'GET' && (parts.length === 2 || (parts.length === 3 && third === 'input_items'))
}

function isAzure(request: Request): boolean {
  const parameters = new URLSearchParams(request.query)
  return (
    [...parameters.keys()].some((name) => name.toLowerCase() === 'api-version') || request.parts.includes('deployments')
  )
}
