import type { DialectName, Refusal } from '../call.ts'
import { plainPath } from '../dialects/routes.ts'
import type { Gate } from '../gate.ts'
import type { Exchange } from '../http/exchange.ts'
import { forward } from '../http/forward.ts'
import { answerHeaders, upstreamHeaders } from '../http/headers.ts'
import { upstreamTarget } from '../http/target.ts'
import { counterDialect, estimateFor, failureHoldsMs, isCounterFailure, mostFailureBytes } from './counterFailure.ts'
import type { CounterFailure } from './counterFailure.ts'
import { receiveBody } from './receive.ts'
import type { Addressed } from './receive.ts'

/** Free calls of one key that may be under way together: agents ask for dozens of token counts in a second (H02). */
const mostAtOnce = 64

/**
 * Side endpoints that cost nothing (model lists, token counters, Ollama's tags): passed on unmetered, with the same key,
 * limits and timeouts, and no reservation, iteration or task.
 */
export async function passThrough(
  gate: Gate,
  exchange: Exchange,
  addressed: Addressed,
  refuse: (refusal: Refusal) => void,
): Promise<void> {
  const { request, response } = exchange
  const { identity, upstream, address, route } = addressed
  const slot = `free/${identity.keyId}`
  if (gate.inFlight.inSlot(slot) >= mostAtOnce) {
    const message = `${mostAtOnce} free requests of this key are running. Wait for one to end.`
    return refuse({
      code: 'rate_limited',
      message,
      scope: 'key',
      scopeRef: identity.keyId,
      unit: 'calls',
      limit: mostAtOnce,
      retryAfterSeconds: 1,
    })
  }
  gate.inFlight.add({
    id: exchange.id,
    tenant: identity.tenant,
    keyId: identity.keyId,
    slot,
    task: address.task,
    model: '',
    startedAtMs: gate.nowMs(),
    outputTokens: () => 0,
    cancel: (refusal) => exchange.cancel({ kind: 'refused', refusal }),
  })
  try {
    const bytes = await receiveBody(exchange, identity)
    if (bytes === null) return
    if ('code' in bytes) return refuse(bytes)
    const counter = counterDialect(route.path)
    const name = `${address.upstream} ${plainPath(route.path)}`
    /** A counter's failure goes to the client as it came, with our own estimate beside it, marked as such. */
    const answerFailure = async (dialect: DialectName, failure: CounterFailure): Promise<void> => {
      const estimate = await estimateFor(gate, addressed, dialect, bytes)
      if (response.headersSent || response.destroyed) return
      const marked = estimate === null ? [] : ['x-tollgate-estimated-input', String(estimate)]
      response.writeHead(failure.status, [...failure.headers, 'x-tollgate-call', exchange.id, ...marked])
      response.end(failure.body)
    }
    const known = counter === null ? undefined : gate.counterFailures.get(name)
    if (counter !== null && known !== undefined && gate.nowMs() < known.untilMs)
      return await answerFailure(counter, known)
    await new Promise<void>((resolve) => {
      let failing: {
        readonly status: number
        readonly headers: readonly string[]
        readonly chunks: Buffer[]
        bytes: number
      } | null = null
      const target = upstreamTarget(upstream, route.path)
      const onDrain = (): void => forwarding.resume()
      const stop = (): void => {
        response.off('drain', onDrain)
        exchange.onCancelled = null
        resolve()
      }
      const fail = (refusal: Refusal): void => {
        if (response.headersSent) response.destroy()
        else refuse(refusal)
        stop()
      }
      const onCancelled = (): void => {
        forwarding.abort()
        const reason = exchange.cancellation
        if (reason?.kind === 'refused') fail(reason.refusal)
        else stop()
      }
      const forwarding = forward(
        {
          dispatcher: gate.dispatcher,
          origin: target.origin,
          path: target.path,
          method: request.method ?? 'GET',
          headers: upstreamHeaders(request.rawHeaders, request.headers.connection),
          body: bytes.length === 0 ? null : bytes,
          timeouts: identity.plan.timeouts,
        },
        {
          onHeaders: (status, headers) => {
            if (counter !== null && isCounterFailure(status, upstream)) {
              failing = { status, headers: answerHeaders(headers).list, chunks: [], bytes: 0 }
              return
            }
            response.writeHead(status, [...answerHeaders(headers).list, 'x-tollgate-call', exchange.id])
          },
          onData: (chunk) => {
            if (failing === null) return response.write(chunk)
            failing.chunks.push(chunk)
            failing.bytes += chunk.length
            if (failing.bytes <= mostFailureBytes) return true
            const { status, headers, chunks } = failing
            failing = null
            response.writeHead(status, [...headers, 'x-tollgate-call', exchange.id])
            return response.write(Buffer.concat(chunks))
          },
          onEnd: () => {
            if (failing !== null && counter !== null) {
              const { status, headers, chunks } = failing
              const failure = { status, headers, body: Buffer.concat(chunks), untilMs: gate.nowMs() + failureHoldsMs }
              gate.counterFailures.set(name, failure)
              answerFailure(counter, failure).then(stop, () => {
                response.destroy()
                stop()
              })
              return
            }
            response.end()
            stop()
          },
          onFault: (fault) => {
            const at = `${address.upstream} at ${target.origin}`
            if (fault.kind === 'timeout')
              fail({ code: 'upstream_timeout', message: `${at} did not answer in time.`, phase: fault.phase })
            else fail({ code: 'upstream_unreachable', message: `${at} cannot be reached (${fault.detail}).` })
          },
        },
      )
      exchange.onCancelled = onCancelled
      response.on('drain', onDrain)
      if (exchange.signal.aborted) onCancelled()
    })
  } finally {
    gate.inFlight.remove(exchange.id)
  }
}
