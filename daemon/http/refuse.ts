import type { IncomingMessage, ServerResponse } from 'node:http'
import { refusalCodes } from '../../shared/codes.ts'
import type { Refusal } from '../call.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { refusalFields } from '../dialects/refusalShape.ts'
import { statusForClient } from './retryingClients.ts'

/** What the answer to a refused request depends on. */
export interface RefusalContext {
  readonly callId: string
  /** Null before the dialect is known: the OpenAI shape is the one that most programs read. */
  readonly dialect: Dialect | null
  readonly userAgent: string
  readonly policy: 'auto' | 'semantic' | 'final'
}

/** Status, headers and body of a refusal (contract, "Refusals"). */
export function renderRefusal(
  refusal: Refusal,
  context: RefusalContext,
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } {
  const status = statusForClient(refusalCodes[refusal.code].status, context.userAgent, context.policy)
  const body =
    context.dialect === null
      ? {
          error: {
            message: refusal.message,
            type: 'tollgate_refusal',
            param: null,
            code: refusal.code,
            tollgate: refusalFields(refusal),
          },
        }
      : context.dialect.refusalBody(refusal, status, context.callId)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    // Without it an SDK repeats what was refused, or sleeps until a reset: a loop of our own making (A15).
    'x-should-retry': 'false',
    'x-tollgate-code': refusal.code,
    'x-tollgate-call': context.callId,
    'x-request-id': context.callId,
    'request-id': context.callId,
  }
  if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds)
  return { status, headers, body: JSON.stringify(body) }
}

/**
 * Sends a refusal and ends the exchange. What is left of an unread body is taken in and dropped: a connection that closes
 * while the client still sends loses the answer in a reset, which SDKs repeat (measured: 64 of 100 answers lost).
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  context: RefusalContext,
): void {
  if (response.headersSent || response.destroyed) return
  const { status, headers, body } = renderRefusal(refusal, context)
  const unread = !request.complete
  response.writeHead(status, {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  })
  response.end(body, () => {
    if (unread) discardRest(request)
  })
}

/** Bytes of an unwanted body that are dropped before the connection is cut after all. */
const mostDiscardedBytes = 64 * 1024 * 1024
const longestDiscardMs = 2000

function discardRest(request: IncomingMessage): void {
  let bytes = 0
  const timer = setTimeout(() => request.destroy(), longestDiscardMs)
  timer.unref()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostDiscardedBytes) request.destroy()
  })
  request.on('close', () => clearTimeout(timer))
  request.resume()
}
