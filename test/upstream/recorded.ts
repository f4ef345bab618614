import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from './json.ts'

/** One request as it reached the upstream. */
export interface RecordedRequest {
  /** Counts from 1 in order of arrival. */
  readonly number: number
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values as they came, alternating. */
  readonly rawHeaders: readonly string[]
  /** Which TCP connection carried it; counts from 1. */
  readonly socketId: number
  readonly receivedAtMs: number
  /** The endpoint makes a billable answer; false for model lists, counters and what is unknown. */
  readonly generates: boolean
  /** Raw body bytes; empty until the whole body has arrived. */
  body: Buffer
  /** Parsed body; empty where there is none or it is no JSON object. */
  json: JsonObject
  /** How the exchange ended; null while it is open. `finished`: the whole answer was handed over before the close. */
  closed: { readonly atMs: number; readonly finished: boolean } | null
}

/** Waits until `look` finds something, looking again after every call of the returned `changed`. */
export class Watch {
  readonly #waiting = new Set<() => void>()

  /** Something may have changed. */
  changed(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Resolves with the first non-null result of `look`; rejects after `timeoutMs` with a sentence. */
  until<T>(look: () => T | null, what: string, timeoutMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const attempt = (): void => {
        const found = look()
        if (found === null) return
        this.#waiting.delete(attempt)
        clearTimeout(timer)
        resolve(found)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(attempt)
        reject(new Error(`Waited ${timeoutMs} ms in vain for ${what}.`))
      }, timeoutMs)
      this.#waiting.add(attempt)
      attempt()
    })
  }
}
