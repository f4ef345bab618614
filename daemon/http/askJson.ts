import type { Dispatcher } from 'undici'
import type { Upstream } from '../../shared/config.ts'
import { forward } from './forward.ts'
import { upstreamTarget } from './target.ts'

/** A small question of the gate's own to a model server: a token count, what is loaded. */
export interface JsonAsk {
  readonly upstream: Upstream
  /** Below the upstream's base URL: `/api/ps`. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  /** Flat list. Only what the client itself sent to this upstream may carry a key. */
  readonly headers: readonly string[]
  readonly body: Buffer | null
  /** Milliseconds for the whole exchange. */
  readonly timeoutMs: number
}

/** What came back; `value` is null where the body is no JSON. */
export interface JsonReply {
  readonly status: number
  readonly value: unknown
}

/** Asks one question. Resolves with null where no answer came in time; never rejects. */
export type AskJson = (ask: JsonAsk) => Promise<JsonReply | null>

/** Larger answers are not read to their end. A list of models is a few kilobytes, a list of token ids some megabytes. */
const mostBytes = 16 * 1024 * 1024

/** Asks through the same dispatcher as the calls: to configured upstreams only, no redirect followed, nothing repeated. */
export function createAskJson(dispatcher: Dispatcher): AskJson {
  return (ask) =>
    new Promise((resolve) => {
      const chunks: Buffer[] = []
      let bytes = 0
      let status = 0
      const { timeoutMs } = ask
      const target = upstreamTarget(ask.upstream, ask.path)
      const forwarding = forward(
        {
          dispatcher,
          origin: target.origin,
          path: target.path,
          method: ask.method,
          headers: [...ask.headers, 'accept-encoding', 'identity'],
          body: ask.body,
          timeouts: { connectMs: timeoutMs, firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
        },
        {
          onHeaders: (answered) => {
            status = answered
          },
          onData: (chunk) => {
            bytes += chunk.length
            if (bytes <= mostBytes) return chunks.push(chunk) > 0
            forwarding.abort()
            resolve(null)
            return true
          },
          onEnd: () => resolve({ status, value: parsed(Buffer.concat(chunks).toString('utf8')) }),
          onFault: () => resolve(null),
        },
      )
    })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
