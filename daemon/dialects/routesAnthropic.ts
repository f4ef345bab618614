import { isModelList, unknownEndpoint, withoutPrefix } from './routeTable.ts'
import type { Request, Route } from './routeTable.ts'

/** Paths of an Anthropic-dialect upstream. Some clients call `/v1/messages`, others `/messages` (H01); both become the first. */
export function anthropicRoute(request: Request): Route {
  const { method, query } = request
  const parts = withoutPrefix(request.parts, 'v1')
  const endpoint = parts.join('/')
  const path = `/v1/${endpoint}${query}`
  if (method === 'POST' && endpoint === 'messages') return { kind: 'metered', dialect: 'anthropic-messages', path }
  if (method === 'POST' && endpoint === 'messages/count_tokens') return { kind: 'free', path }
  if (isModelList(method, parts)) return { kind: 'free', path }
  return unknownEndpoint(request, parts[0] === 'messages' && parts[1] === 'batches' ? parts.slice(1) : parts)
}
