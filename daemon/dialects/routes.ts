import type { UpstreamDialect } from '../../shared/config.ts'
import type { DialectName } from '../call.ts'
import { anthropicRoute } from './routesAnthropic.ts'
import { geminiRoute } from './routesGemini.ts'
import { ollamaRoute } from './routesOllama.ts'
import { openaiRoute } from './routesOpenai.ts'
import type { Request, Route } from './routeTable.ts'
import { unsupported } from './routeTable.ts'
import { vendorOf } from './vendors.ts'

export type { Route } from './routeTable.ts'

/**
 * Says what a request path means at an upstream: metered in one of the dialects, free, or unsupported. What is not
 * known to be free is unsupported, so that nothing billable escapes the budget.
 *
 * `path` is what follows the upstream's name, with its query. The result's path is normalised and keeps the query;
 * `upstreamUrl` puts it behind the base URL.
 */
export function resolveRoute(
  upstreamDialect: UpstreamDialect,
  upstreamName: string,
  method: string,
  path: string,
  baseUrl = '',
): Route {
  const vendor = (): Pick<Request, 'upstreamName' | 'vendorPrefix'> => ({
    upstreamName,
    vendorPrefix: vendorOf({ upstreamName, upstreamBaseUrl: baseUrl }).pathPrefix,
  })
  // A query may hold a key, and a path of any length may come: only what a client calls again and again is kept.
  if (path.length > longestKeptPath || path.includes('?')) return routeOf(upstreamDialect, vendor(), method, path)
  const name = `${upstreamDialect} ${upstreamName} ${baseUrl} ${method} ${path}`
  let route = kept.get(name)
  if (route === undefined) {
    route = routeOf(upstreamDialect, vendor(), method, path)
    if (kept.size >= mostKept) kept.clear()
    kept.set(name, route)
  }
  return route
}

const mostKept = 500
const longestKeptPath = 200
const kept = new Map<string, Route>()

function routeOf(
  upstreamDialect: UpstreamDialect,
  vendor: Pick<Request, 'upstreamName' | 'vendorPrefix'>,
  method: string,
  path: string,
): Route {
  const withoutFragment = path.split('#', 1)[0] ?? ''
  const queryAt = withoutFragment.indexOf('?')
  const plain = queryAt < 0 ? withoutFragment : withoutFragment.slice(0, queryAt)
  if (leavesItsFolder(plain)) {
    return unsupported(
      'The path has "." or ".." parts or a broken escape, which could lead out of the provider\'s API.',
    )
  }
  const request: Request = {
    ...vendor,
    method: method.toUpperCase(),
    parts: plain.split('/').filter((part) => part !== ''),
    query: queryAt < 0 ? '' : withoutFragment.slice(queryAt),
  }
  if (request.method === 'HEAD' && request.parts.length === 0) return { kind: 'free', path: `/${request.query}` }
  switch (upstreamDialect) {
    case 'openai':
      return openaiRoute(request)
    case 'anthropic':
      return anthropicRoute(request)
    case 'ollama':
      return ollamaRoute(request)
    case 'gemini':
      return geminiRoute(request)
  }
}

/** A path without its query, which may hold a key. */
export function plainPath(path: string): string {
  return path.split('?', 1)[0] ?? ''
}

/** True where an Ollama server is spoken to in another provider's format, which knows fewer of its options (I03). */
export function isOllamaEmulation(upstreamDialect: UpstreamDialect, dialect: DialectName): boolean {
  return upstreamDialect === 'ollama' && !dialect.startsWith('ollama-')
}

/** True for a path with dot segments, backslashes or control characters, in plain text or under any number of escapes. */
function leavesItsFolder(path: string): boolean {
  let decoded = path
  for (let round = 0; round < 5; round += 1) {
    if (/[\\\u0000-\u001f\u007f]/.test(decoded)) return true
    if (decoded.split('/').some((part) => /^\.{1,2}(;.*)?$/.test(part))) return true
    if (!decoded.includes('%')) return false
    try {
      const next = decodeURIComponent(decoded)
      if (next === decoded) return false
      decoded = next
    } catch {
      return true
    }
  }
  return true
}

/** A version as the last part of a base URL or the first of a path: `v1`, `v4`, `v1beta`. */
const version = /^v\d+(?:(?:alpha|beta)\d*)?$/

/**
 * The full URL of a request. A base may stand with or without its version: where it has none, an OpenAI-dialect upstream
 * gets `/v1` behind what its vendor has before it; where both have one, the base's stays. A query of the base is kept before
 * the request's own.
 */
export function upstreamUrl(upstreamDialect: UpstreamDialect, baseUrl: string, path: string): string {
  const [base, baseQuery] = split(baseUrl.split('#', 1)[0] ?? '')
  const [plain, query] = split(path)
  const root = base.replace(/\/+$/, '')
  const baseParts = root.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').split('/')
  const versioned = baseParts.some((part) => version.test(part))
  const pathParts = plain.split('/').filter((part) => part !== '')
  const queries = [baseQuery, query].filter((part) => part !== '').join('&')
  const tail = queries === '' ? '' : `?${queries}`
  if (upstreamDialect === 'ollama') {
    // Its native routes have no version, so a base that ends in one was written for another kind of client.
    return `${root.replace(/\/v1$/, '')}${slashed(pathParts)}${tail}`
  }
  const first = pathParts[0] ?? ''
  if (versioned) return `${root}${slashed(version.test(first) ? pathParts.slice(1) : pathParts)}${tail}`
  if (upstreamDialect !== 'openai' || pathParts.length === 0 || version.test(first)) {
    return `${root}${slashed(pathParts)}${tail}`
  }
  const { pathPrefix } = vendorOf({ upstreamName: '', upstreamBaseUrl: base })
  const before = pathPrefix === null || baseParts.includes(pathPrefix) ? [] : [pathPrefix]
  return `${root}${slashed([...before, 'v1', ...pathParts])}${tail}`
}

function split(url: string): [string, string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

function slashed(parts: readonly string[]): string {
  return parts.length === 0 ? '/' : `/${parts.join('/')}`
}
