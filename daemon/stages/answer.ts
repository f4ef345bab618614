import zlib from 'node:zlib'
import type { Duplex } from 'node:stream'
import type { Timeouts } from '../../shared/config.ts'
import { eurText } from '../../shared/money.ts'
import type { AdmittedCall, CallOutcome, Refusal } from '../call.ts'
import { withoutCredentials } from '../degrade/fallback.ts'
import type { AnswerRecording } from '../degrade/answerRecording.ts'
import type { AnswerForm, AnswerReader, Dialect } from '../dialects/dialect.ts'
import { appendFields } from '../dialects/append.ts'
import { applyEdits } from '../dialects/edit.ts'
import type { Gate } from '../gate.ts'
import type { Exchange } from '../http/exchange.ts'
import { forward } from '../http/forward.ts'
import type { ForwardFault, Forwarding } from '../http/forward.ts'
import { answerHeaders, upstreamHeaders, withoutHeader } from '../http/headers.ts'
import { upstreamTarget } from '../http/target.ts'
import { tear } from '../http/tear.ts'
import type { Ending } from '../settlement.ts'
import { createUsageChunkFilter } from '../streams/hideUsageChunk.ts'
import type { UsageChunkFilter } from '../streams/hideUsageChunk.ts'
import { ArrayEnd } from '../streams/arrayEnd.ts'
import { mark } from '../streams/boundary.ts'
import { unifiedLimit } from './capNotice.ts'
import { outcomeOf, overrunRefusal, timeoutRefusal, unreachableRefusal, unreadableRefusal } from './answerRefusals.ts'

/** Answers of this size and below that are not streams are held, so that a verdict can still go into their headers. */
const mostHeldBytes = 1024 * 1024

/** How long a client may take to read a terminal error before its connection is closed. */
const terminalGraceMs = 2000

/** How long a client may take to read what came of an answer that its provider broke off. */
const slowReaderMs = 30_000

/** Words per reserved token from which on an answer counts as running over; a word is at least one token. */
const overrunSlackTokens = 64

/** The exchange with the provider, over; the client's answer is not ended yet. */
export interface Answered {
  readonly ending: Ending
  readonly status: number | null
  readonly streamed: boolean
  readonly form: AnswerForm
  readonly reader: AnswerReader | null
  readonly firstByteMs: number | null
  /** The provider refused the request because of the `stream_options` that the gate put into it. */
  readonly refusesUsageOption: boolean
  /** Why it was cut, where the gate or a fault cut it. */
  readonly refusal: Refusal | null
  /** Ends the client's answer: cleanly, with the dialect's terminal error, or torn where the provider's was torn. */
  readonly deliver: (lateHeaders: readonly string[]) => void
}

/** Header that says what is wrong with a call that was made all the same. */
export const warningHeader = 'x-tollgate-warning'

/** Headers that every answer of the gate carries. A warning among the late ones takes the place of the guards' own. */
export function callHeaders(call: AdmittedCall, lateHeaders: readonly string[] = []): string[] {
  const headers = [
    'x-tollgate-call',
    call.id,
    'x-tollgate-state',
    call.taskState,
    'x-tollgate-estimated-input',
    String(call.estimatedInputTokens),
    'x-tollgate-reserved-eur',
    eurText(call.isListPrice ? 0 : call.reservedNanoEur),
  ]
  if (call.task !== null) headers.push('x-tollgate-task', call.task)
  if (call.changes.length > 0) headers.push('x-tollgate-changes', call.changes.join(','))
  if (call.degradedTo !== null) headers.push('x-tollgate-degraded', call.degradedTo)
  if (call.warnings.length > 0 && !lateHeaders.includes(warningHeader)) {
    headers.push(warningHeader, call.warnings.map(({ code, says }) => `${code}; ${says}`).join(', '))
  }
  return [...headers, ...lateHeaders]
}

/** Who follows an answer on its way, and what is said with it. */
export interface AnswerCompany {
  /** Called once an answer is read. */
  readonly onReader: (reader: AnswerReader) => void
  /** Gets what the client gets. */
  readonly recording: AnswerRecording | null
  /** Headers of `capNotice`, flat. */
  readonly capNotice: readonly string[]
}

/** Sends the call, passes the answer's bytes on and reads a copy of them. Resolves at the end, whatever the end is. */
export function answer(
  gate: Gate,
  exchange: Exchange,
  dialect: Dialect,
  call: AdmittedCall,
  { onReader, recording, capNotice }: AnswerCompany,
): Promise<Answered> {
  return new Promise((resolve) => {
    const { response } = exchange
    const startedAtMs = performance.now()
    let status: number | null = null
    let form: AnswerForm = 'json'
    let reader: AnswerReader | null = null
    let filter: UsageChunkFilter | null = null
    let arrayEnd: ArrayEnd | null = null
    let decoder: Duplex | null = null
    let headers: string[] = []
    let held: Buffer[] | null = []
    let heldBytes = 0
    let firstByteMs: number | null = null
    let lastBytes: Uint8Array | null = null
    let over = false
    let forwarding: Forwarding | null = null

    function finish(ending: Ending, refusal: Refusal | null, deliver: (lateHeaders: readonly string[]) => void): void {
      if (over) return
      over = true
      exchange.onCancelled = null
      response.off('drain', onDrain)
      resolve({
        ending,
        status,
        streamed: form !== 'json',
        form,
        reader,
        firstByteMs,
        refusesUsageOption: call.hideUsageChunk && namesUsageOption(status, held),
        refusal,
        deliver,
      })
    }
    function writeHead(lateHeaders: readonly string[]): void {
      if (response.headersSent || response.destroyed) return
      const notice = capNotice.length === 0 || (status ?? 502) >= 400 || hasLimitHeaders(headers) ? [] : capNotice
      response.writeHead(status ?? 502, [...headers, ...callHeaders(call, lateHeaders), ...notice])
    }
    /** The head of a stream mostly comes with its first bytes and leaves with them in one write; alone it does not wait. */
    function flushHead(): void {
      if (lastBytes === null && !response.writableEnded && !response.destroyed) response.flushHeaders()
    }
    function send(bytes: Uint8Array): boolean {
      lastBytes = bytes
      arrayEnd?.push(bytes)
      recording?.push(bytes)
      return response.write(bytes)
    }
    function release(lateHeaders: readonly string[]): boolean {
      writeHead(lateHeaders)
      const waiting = held ?? []
      held = null
      let more = true
      for (const chunk of waiting) more = send(chunk) && more
      return more
    }
    /** What waits for the end of its event: there will be none. */
    function releaseFiltered(): void {
      if (filter !== null && !response.destroyed) for (const part of filter.end()) send(part)
    }
    function consume(chunk: Buffer): boolean {
      firstByteMs ??= performance.now() - startedAtMs
      let more = true
      if (held !== null) {
        held.push(chunk)
        heldBytes += chunk.length
        if (heldBytes > mostHeldBytes) more = release([])
      } else if (filter !== null) {
        for (const part of filter.push(chunk)) more = send(part) && more
      } else {
        more = send(chunk)
      }
      if (reader !== null) {
        reader.push(chunk)
        if (runsOver(call, reader)) exchange.cancel({ kind: 'refused', refusal: overrunRefusal(call) })
      }
      return more
    }
    function complete(): void {
      reader?.end()
      const torn =
        form !== 'json' &&
        status !== null &&
        status < 400 &&
        reader !== null &&
        !reader.facts.terminal &&
        reader.facts.streamError === null
      finish({ kind: 'complete' }, null, (lateHeaders) => {
        if (held !== null) {
          headers = withContentLength(headers, heldBytes, decoder !== null)
          writeHead(lateHeaders)
          // With the body in the same call, head and body leave in one write.
          const whole = held.length === 1 ? held[0] : Buffer.concat(held)
          if (whole !== undefined) recording?.push(whole)
          response.end(whole)
          return
        }
        releaseFiltered()
        // An end without the dialect's terminal event is passed on as what it is (F06): never a clean one.
        if (torn) tear(response, slowReaderMs)
        else response.end()
      })
    }
    function cut(outcome: CallOutcome, refusal: Refusal | null): void {
      reader?.end()
      finish({ kind: 'cut', outcome }, refusal, () => {
        // Null where nothing can be said any more.
        const before = arrayEnd === null ? mark(lastBytes, form) : arrayEnd.before
        if (refusal === null || (response.headersSent && (form === 'json' || before === null))) {
          releaseFiltered()
          tear(response, refusal === null ? slowReaderMs : terminalGraceMs)
        } else if (!response.headersSent) exchange.refuse(refusal)
        else {
          response.end(`${before ?? ''}${dialect.terminalError(refusal, form, call.id)}`)
          setTimeout(() => tear(response, 0), terminalGraceMs).unref()
        }
      })
    }
    function onFault(fault: ForwardFault): void {
      switch (fault.kind) {
        case 'unreachable': {
          const refusal = unreachableRefusal(call, fault.detail)
          finish({ kind: 'unsent', outcome: 'upstream_unreachable' }, refusal, () => exchange.refuse(refusal))
          break
        }
        case 'timeout': {
          const refusal = timeoutRefusal(call, fault.phase)
          if (forwarding?.sent === true) cut('upstream_timeout', refusal)
          else finish({ kind: 'unsent', outcome: 'upstream_timeout' }, refusal, () => exchange.refuse(refusal))
          break
        }
        case 'broken':
          cut('upstream_truncated', response.headersSent ? null : unreachableRefusal(call, fault.detail))
          break
      }
    }
    function onCancelled(): void {
      const reason = exchange.cancellation
      const refusal = reason?.kind === 'refused' ? reason.refusal : null
      const outcome = refusal === null ? 'client_closed' : outcomeOf(refusal)
      if (forwarding?.sent !== true) {
        forwarding?.abort()
        finish({ kind: 'unsent', outcome }, refusal, () => refusal !== null && exchange.refuse(refusal))
        return
      }
      forwarding.abort()
      cut(outcome, refusal)
    }
    function onDrain(): void {
      if (decoder !== null) decoder.resume()
      else forwarding?.resume()
    }

    // Stopped while it waited for its reservation: nothing is sent.
    if (exchange.signal.aborted) return onCancelled()
    const target = upstreamTarget(call.upstream, call.upstreamPath)
    const clientHeaders = upstreamHeaders(exchange.request.rawHeaders, exchange.request.headers.connection)
    const sent = appendFields(call.body, call.edits, call.facts.fields) ?? applyEdits(call.body, call.edits)
    gate.contextWindows.sent(call, call.facts)
    exchange.onCancelled = onCancelled
    response.on('drain', onDrain)
    exchange.sentAtMs ??= startedAtMs
    forwarding = forward(
      {
        dispatcher: gate.dispatcher,
        origin: target.origin,
        path: target.path,
        method: exchange.request.method ?? 'POST',
        headers: call.degradedTo === null ? clientHeaders : withoutCredentials(clientHeaders),
        body: sent,
        timeouts: lessTotal(call.identity.plan.timeouts, startedAtMs - exchange.sentAtMs),
      },
      {
        onHeaders(upstreamStatus, upstreamAnswerHeaders): void {
          status = upstreamStatus
          if (call.degradedTo === null) gate.pacing.saw(call.upstreamName, upstreamAnswerHeaders, gate.nowMs())
          const parsed = answerHeaders(upstreamAnswerHeaders)
          recording?.head(status, parsed.contentType)
          headers = parsed.list
          form = formOf(parsed.contentType)
          // An error comes as one document, whatever was asked for.
          if (form === 'json' && status < 400 && call.facts.stream && dialect.streamsJsonArrays === true) {
            form = 'json-array'
            arrayEnd = new ArrayEnd()
          }
          if (status < 400) {
            reader = dialect.reader(form, call.facts)
            onReader(reader)
          }
          if (call.hideUsageChunk && form === 'sse') filter = createUsageChunkFilter()
          decoder = decoderFor(parsed.contentEncoding)
          if (decoder !== null) {
            headers = withoutHeader(withoutHeader(headers, 'content-encoding'), 'content-length')
            decoder.on('data', (chunk: Buffer) => {
              if (!over && !consume(chunk)) decoder?.pause()
            })
            decoder.on('end', complete)
            decoder.on('error', () => {
              forwarding?.abort()
              cut('upstream_truncated', response.headersSent ? null : unreadableRefusal(call))
            })
            decoder.on('drain', () => forwarding?.resume())
          }
          if (form !== 'json') {
            // A stream may lose the usage event, or end early with an error of ours: its length is not known.
            headers = withoutHeader(headers, 'content-length')
            held = null
            writeHead([])
            process.nextTick(flushHead)
          }
        },
        onData: (chunk) => (decoder === null ? consume(chunk) : decoder.write(chunk)),
        onEnd: () => {
          if (decoder === null) complete()
          else decoder.end()
        },
        onFault,
      },
    )
  })
}

/** The provider has said by itself how far its limits are used. */
function hasLimitHeaders(headers: readonly string[]): boolean {
  return headers.some((name, at) => at % 2 === 0 && name.toLowerCase().startsWith(unifiedLimit))
}

/** The limits of a request before which another one took so long. */
function lessTotal(timeouts: Timeouts, spentMs: number): Timeouts {
  return timeouts.totalMs === null ? timeouts : { ...timeouts, totalMs: Math.max(1, timeouts.totalMs - spentMs) }
}

function formOf(contentType: string): AnswerForm {
  if (contentType.includes('text/event-stream')) return 'sse'
  if (contentType.includes('ndjson') || contentType.includes('jsonlines')) return 'ndjson'
  return 'json'
}

/** A provider that compresses although it was asked not to is read through a decoder; the client gets plain bytes (G01). */
function decoderFor(encoding: string | null): Duplex | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'deflate':
      return zlib.createInflate()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zlib.createZstdDecompress()
    default:
      return null
  }
}

/** A held body has a known length, which spares the client the chunked form; the provider's own stays where it is right. */
function withContentLength(headers: readonly string[], bytes: number, decoded: boolean): string[] {
  const known = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length')
  return known && !decoded
    ? [...headers]
    : [...withoutHeader(headers, 'content-length'), 'content-length', String(bytes)]
}

/** Servers that do not know the option answer 400 or 422 and name it; such a request was not run and is not billed. */
function namesUsageOption(status: number | null, held: readonly Buffer[] | null): boolean {
  if ((status !== 400 && status !== 422) || held === null) return false
  return /stream_options|include_usage/.test(Buffer.concat(held).toString('latin1'))
}

function runsOver(call: AdmittedCall, reader: AnswerReader): boolean {
  if (call.outputCeiling === null) return false
  const reserved = call.outputCeiling * call.facts.choices
  const { deliveredWords, usage } = reader.facts
  return Math.max(deliveredWords, usage?.output ?? 0) > reserved + Math.max(overrunSlackTokens, reserved * 0.1)
}
