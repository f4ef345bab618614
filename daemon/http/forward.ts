import type { Dispatcher } from 'undici'
import type { Timeouts } from '../../shared/config.ts'
import { TimeLimits } from './timeLimits.ts'

/** One request to a provider. */
export interface ForwardRequest {
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: string[]
  readonly body: Buffer | null
  readonly timeouts: Timeouts
}

/** Why an answer did not come to its end. */
export type ForwardFault =
  /** Never connected: nothing was sent, nothing can have been billed. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'timeout'; readonly phase: 'connect' | 'first_byte' | 'idle' | 'total' }
  /** The connection broke after the request went out. */
  | { readonly kind: 'broken'; readonly detail: string }

/** Receives the answer. Exactly one of `onEnd` and `onFault` comes last, and none after `abort()`. */
export interface AnswerSink {
  onHeaders(status: number, headers: Record<string, string | string[] | undefined>): void
  /** Returns false when the client cannot take more for now; `resume()` goes on. */
  onData(chunk: Buffer): boolean
  onEnd(): void
  onFault(fault: ForwardFault): void
}

/** A request under way. */
export interface Forwarding {
  /** False until there is a connection: nothing was sent, nothing can have been billed. */
  readonly sent: boolean
  /** Closes the provider's connection at once. Nothing is called afterwards. */
  abort(): void
  resume(): void
}

/**
 * Sends one request and never repeats it (L01): a provider bills what it received. The four timeouts are the gate's own,
 * undici's are off (G07); redirects are answers like any other and are not followed.
 */
export function forward(request: ForwardRequest, sink: AnswerSink): Forwarding {
  const { timeouts } = request
  let controller: Dispatcher.DispatchController | null = null
  let phase: 'connect' | 'first_byte' | 'idle' = 'connect'
  let finished = false
  const limits = new TimeLimits(timeouts.totalMs, (which) => timeOut(which === 'total' ? 'total' : phase))
  limits.waitFor(timeouts.connectMs)

  function finish(): boolean {
    if (finished) return false
    finished = true
    limits.end()
    return true
  }
  function timeOut(which: 'connect' | 'first_byte' | 'idle' | 'total'): void {
    if (!finish()) return
    controller?.abort(abortReason)
    sink.onFault({ kind: 'timeout', phase: which })
  }
  function enter(next: 'first_byte' | 'idle', limitMs: number | null): void {
    phase = next
    limits.waitFor(limitMs)
  }

  request.dispatcher.dispatch(
    {
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: request.headers,
      body: request.body,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      onRequestStart(started: Dispatcher.DispatchController): void {
        if (finished) {
          started.abort(abortReason)
          return
        }
        controller = started
        enter('first_byte', timeouts.firstByteMs)
      },
      onResponseStart(_: Dispatcher.DispatchController, status: number, headers): void {
        // Informational answers (103) come before the real one.
        if (finished || status < 200) return
        enter('idle', timeouts.idleMs)
        sink.onHeaders(status, headers)
      },
      onResponseData(started: Dispatcher.DispatchController, chunk: Buffer): void {
        if (finished) return
        limits.renew()
        if (sink.onData(chunk)) return
        // A client that reads slowly is not a provider that falls silent.
        started.pause()
        limits.waitFor(null)
      },
      onResponseEnd(): void {
        if (finish()) sink.onEnd()
      },
      onResponseError(_: Dispatcher.DispatchController, fault: Error): void {
        if (!finish()) return
        const detail = (fault as NodeJS.ErrnoException).code ?? fault.name
        sink.onFault(phase === 'connect' ? { kind: 'unreachable', detail } : { kind: 'broken', detail })
      },
    },
  )

  return {
    get sent(): boolean {
      return controller !== null
    },
    abort(): void {
      if (finish()) controller?.abort(abortReason)
    },
    resume(): void {
      if (finished || controller?.paused !== true) return
      enter('idle', timeouts.idleMs)
      controller.resume()
    },
  }
}

const abortReason = new Error('the gate ended this request')
