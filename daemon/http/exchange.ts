import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../call.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { sendRefusal } from './refuse.ts'

/** Why an exchange ended before its answer did. */
export type Cancellation = { readonly kind: 'gone' } | { readonly kind: 'refused'; readonly refusal: Refusal }

/**
 * One client request and its answer. It watches for the client's leaving on the response: a request's own `close` fires
 * as soon as its body was read, and a listener that is attached later never hears it (C03).
 */
export class Exchange {
  readonly id: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly userAgent: string
  readonly policy: 'auto' | 'semantic' | 'final'
  /** Known once the path was understood; gives refusals the shape that the client's SDK shows. */
  dialect: Dialect | null = null
  /** When its first request went to a provider, by the monotonic clock: a further one shares that one's total limit (L04). */
  sentAtMs: number | null = null
  /** Called when it ends early, by whoever sends it to a provider: cheaper than a listener on the signal. */
  onCancelled: (() => void) | null = null
  readonly #abort = new AbortController()
  #cancellation: Cancellation | null = null

  constructor(id: string, request: IncomingMessage, response: ServerResponse, policy: 'auto' | 'semantic' | 'final') {
    this.id = id
    this.request = request
    this.response = response
    this.policy = policy
    this.userAgent = request.headers['user-agent'] ?? ''
    response.on('close', () => {
      if (!response.writableFinished) this.cancel({ kind: 'gone' })
    })
  }

  /** Aborts once, when the client left or the call was stopped. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get cancellation(): Cancellation | null {
    return this.#cancellation
  }

  /** Ends the exchange early; the first reason counts. */
  cancel(reason: Cancellation): void {
    if (this.#cancellation !== null) return
    this.#cancellation = reason
    this.#abort.abort()
    this.onCancelled?.()
  }

  /** Answers with a refusal, if nothing was answered yet. */
  refuse(refusal: Refusal): void {
    sendRefusal(this.request, this.response, refusal, {
      callId: this.id,
      dialect: this.dialect,
      userAgent: this.userAgent,
      policy: this.policy,
    })
  }
}
