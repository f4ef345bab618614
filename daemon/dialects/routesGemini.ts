import { isModelList, unknownEndpoint, unsupported } from './routeTable.ts'
import type { Request, Route } from './routeTable.ts'

/** Paths of a Gemini upstream: model lists and the token counter pass, generation has no accounting. */
export function geminiRoute(request: Request): Route {
  const { method, query } = request
  const versions = request.parts.findIndex((part) => !/^v\d+(?:(?:alpha|beta)\d*)?$/.test(part))
  const at = versions < 0 ? request.parts.length : versions
  const parts = request.parts.slice(at)
  const path = `/${request.parts[at - 1] ?? 'v1beta'}/${parts.join('/')}${query}`
  if (isModelList(method, parts)) return { kind: 'free', path }
  const call = /(?::|%3a)([A-Za-z]+)$/i.exec(parts.at(-1) ?? '')?.[1]
  if (method === 'POST' && parts[0] === 'models' && call === 'countTokens') return { kind: 'free', path }
  if (parts[0] === 'models' && call !== undefined) {
    return unsupported(`Gemini's ${call} cannot be accounted for by this version of the gate.`)
  }
  return unknownEndpoint(request, parts)
}
