import type { DialectName } from '../call.ts'
import { isModelList, unknownEndpoint, withoutPrefix } from './routeTable.ts'
import type { Request, Route } from './routeTable.ts'
import { isFreeOpenaiEndpoint, openaiEndpoints } from './routesOpenai.ts'

const nativeEndpoints: ReadonlyMap<string, DialectName> = new Map<string, DialectName>([
  ['chat', 'ollama-chat'],
  ['generate', 'ollama-generate'],
  ['embed', 'ollama-embed'],
  ['embeddings', 'ollama-embed'],
])

/** Native endpoints that run no model. */
const freeEndpoints = new Set(['tags', 'show', 'ps', 'version', 'pull', 'create', 'delete', 'push', 'copy', 'blobs'])

/** Paths of an Ollama server: its own below `/api`, its emulations of OpenAI and Anthropic below `/v1`. */
export function ollamaRoute(request: Request): Route {
  const { method, query } = request
  const parts = withoutPrefix(request.parts, 'v1')
  if (parts.length === 0) {
    const idle = method === 'GET' || method === 'HEAD'
    return idle ? { kind: 'free', path: `/${query}` } : unknownEndpoint(request, parts)
  }
  if (parts[0] === 'api') {
    const endpoint = parts.slice(1).join('/')
    const path = `/api/${endpoint}${query}`
    const dialect = method === 'POST' ? nativeEndpoints.get(endpoint) : undefined
    if (dialect !== undefined) return { kind: 'metered', dialect, path }
    return freeEndpoints.has(parts[1] ?? '') ? { kind: 'free', path } : unknownEndpoint(request, parts)
  }
  const endpoint = parts.join('/')
  const path = `/v1/${endpoint}${query}`
  const dialect = method === 'POST' ? openaiEndpoints.get(endpoint) : undefined
  if (dialect !== undefined) return { kind: 'metered', dialect, path }
  if (isModelList(method, parts) || isFreeOpenaiEndpoint(method, parts)) return { kind: 'free', path }
  return unknownEndpoint(request, parts)
}
