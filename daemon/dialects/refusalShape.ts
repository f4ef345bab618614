import type { Refusal } from '../call.ts'
import type { AnswerForm, JsonObject } from './dialect.ts'

/**
 * The shapes in which clients read a refusal. Each is the provider's own error shape with one added object, so that every
 * SDK shows our sentence and a program can branch on the figures (A16, A17).
 */

/** The added object: the refusal without its sentence. `also` is always there, other fields where they apply. */
export function refusalFields(refusal: Refusal): JsonObject {
  const { also = [] } = refusal
  const fields = Object.entries(refusal).filter(([name]) => name !== 'message')
  return { ...Object.fromEntries(fields), also }
}

/** OpenAI's error body, also read by the clients of every server that imitates it. */
export function openaiRefusal(refusal: Refusal): JsonObject {
  const { code, message } = refusal
  return { error: { message, type: 'tollgate_refusal', param: null, code, tollgate: refusalFields(refusal) } }
}

/**
 * Anthropic's error body. The second `message` on top is what its TypeScript SDK takes as the error's text; without it the
 * user reads raw JSON.
 */
export function anthropicRefusal(refusal: Refusal, type: string, callId: string): JsonObject {
  const { code, message } = refusal
  const error = { type, message, details: { error_code: code }, tollgate: refusalFields(refusal) }
  return { type: 'error', error, request_id: callId, message }
}

/** Anthropic's error class of a status. Never `overloaded_error`, which its clients repeat. */
export function anthropicErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error'
    case 402:
      return 'billing_error'
    case 403:
      return 'permission_error'
    case 404:
      return 'not_found_error'
    case 409:
      return 'conflict_error'
    case 413:
      return 'request_too_large'
    case 429:
      return 'rate_limit_error'
    case 408:
    case 504:
      return 'timeout_error'
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error'
  }
}

/** Ollama's error body: its clients want a plain string. */
export function ollamaRefusal(refusal: Refusal): JsonObject {
  return { error: refusal.message, tollgate: refusalFields(refusal) }
}

/** Google's error body. Its SDK shows the whole of it as text; AI SDK reads the message. */
export function geminiRefusal(refusal: Refusal, status: number): JsonObject {
  const { code, message } = refusal
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: code.toUpperCase(),
    domain: 'tollgate.local',
  }
  const word = geminiErrorStatus(status, code)
  return { error: { code: status, message, status: word, details: [info], tollgate: refusalFields(refusal) } }
}

/** Google's word for a status. A 400 is a wrong request only where the request is what is wrong. */
function geminiErrorStatus(status: number, code: Refusal['code']): string {
  switch (status) {
    case 400:
      return code === 'invalid_request' || code === 'message_too_long' ? 'INVALID_ARGUMENT' : 'FAILED_PRECONDITION'
    case 401:
      return 'UNAUTHENTICATED'
    case 403:
      return 'PERMISSION_DENIED'
    case 404:
      return 'NOT_FOUND'
    case 409:
      return 'ABORTED'
    case 429:
      return 'RESOURCE_EXHAUSTED'
    case 408:
    case 504:
      return 'DEADLINE_EXCEEDED'
    case 502:
    case 503:
      return 'UNAVAILABLE'
    default:
      return status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'
  }
}

/**
 * One last message in the framing of an answer that has begun. Never a clean end (F09). Inside a single JSON document
 * nothing well-formed can be said any more: the result is empty, and the connection has to be broken instead. In an array
 * it is the last element and the end; what has to stand before it depends on where the array was cut (`arrayEnd`).
 */
export function lastMessage(form: AnswerForm, event: string | null, message: JsonObject): string {
  const json = JSON.stringify(message)
  switch (form) {
    case 'sse':
      return `${event === null ? '' : `event: ${event}\n`}data: ${json}\n\n`
    case 'ndjson':
      return `${json}\n`
    case 'json-array':
      return `${json}]`
    case 'json':
      return ''
  }
}
