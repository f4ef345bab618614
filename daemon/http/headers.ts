import type { IncomingHttpHeaders } from 'node:http'
import { tollgateHeaders } from './address.ts'

/** Headers of one connection only (RFC 9110, 7.6.1), and those that the gate sets itself. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Not forwarded to a provider: consumed here, or wrong once the body has been read, decoded or edited. */
const consumed = new Set<string>([
  ...hopByHop,
  ...tollgateHeaders,
  'host',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'expect',
  'origin',
  'referer',
])

/** Names listed in a `Connection` header belong to that connection as well. */
function connectionNames(value: string | undefined): ReadonlySet<string> | null {
  if (value === undefined) return null
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  return names.every((name) => name === 'keep-alive' || name === 'close') ? null : new Set(names)
}

/**
 * Request headers for the provider as undici's flat list, in the client's spelling and order. `accept-encoding` becomes
 * `identity`, because an answer that cannot be read cannot be accounted for (G02).
 */
export function upstreamHeaders(rawHeaders: readonly string[], connection: string | undefined): string[] {
  const ofConnection = connectionNames(connection)
  const kept: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const lower = name.toLowerCase()
    if (consumed.has(lower) || lower.startsWith('x-tollgate-') || ofConnection?.has(lower)) continue
    kept.push(name, rawHeaders[at + 1] ?? '')
  }
  kept.push('accept-encoding', 'identity')
  return kept
}

/** An answer's headers as they go to the client, and what the gate has to know of them. */
export interface AnswerHeaders {
  /** Flat list, without hop-by-hop names. */
  readonly list: string[]
  readonly contentType: string
  readonly contentEncoding: string | null
}

/** Seconds above which an SDK that honours `retry-after` would sleep for longer than a person waits. */
const longestRetryAfterSeconds = 60

/**
 * Headers of the provider's answer for the client. A `retry-after` above a minute gets `x-should-retry: false` beside it:
 * some SDKs would otherwise sleep for its whole length (measured: an hour, in silence).
 */
export function answerHeaders(
  headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
): AnswerHeaders {
  const list: string[] = []
  const connection = headers['connection']
  const ofConnection = connectionNames(Array.isArray(connection) ? connection.join(',') : connection)
  let contentType = ''
  let contentEncoding: string | null = null
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || hopByHop.has(name) || ofConnection?.has(name)) continue
    if (name === 'content-type') contentType = String(value).toLowerCase()
    if (name === 'content-encoding') contentEncoding = String(value).trim().toLowerCase()
    if (name.startsWith('x-tollgate-')) continue
    if (Array.isArray(value)) for (const one of value) list.push(name, one)
    else list.push(name, value)
  }
  const seconds = Math.max(retrySeconds(headers['retry-after']), retrySeconds(headers['retry-after-ms']) / 1000)
  if (seconds > longestRetryAfterSeconds && headers['x-should-retry'] === undefined) {
    list.push('x-should-retry', 'false')
  }
  return { list, contentType, contentEncoding: contentEncoding === 'identity' ? null : contentEncoding }
}

function retrySeconds(value: string | string[] | undefined): number {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return 0
  const seconds = Number(text)
  // A date is as good as long: what it means depends on a clock that is not ours.
  return Number.isFinite(seconds) ? seconds : Infinity
}

/** The list without one header. */
export function withoutHeader(list: readonly string[], name: string): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < list.length; at += 2) {
    if (list[at]?.toLowerCase() !== name) kept.push(list[at] ?? '', list[at + 1] ?? '')
  }
  return kept
}
