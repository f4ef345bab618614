import { hash } from 'node:crypto'
import { canonicalArguments } from '../transcript/canonical.ts'

/**
 * Whole answers of the last hour, byte for byte as their clients got them, for the time when a budget is used up. In memory
 * only, bounded in bytes and time, and only for plans that ask for it.
 */

/** An answer that can be sent again. */
export interface KeptAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
}

/** What makes two requests the same one. Header values and the body are digested and not kept. */
export interface AnswerKeyParts {
  /** Random per process, so that a digest says nothing outside of it. */
  readonly salt: string
  /** Nobody is answered with what another user or key asked for. */
  readonly tenant: string
  readonly user: string
  readonly keyId: string
  readonly upstream: string
  readonly path: string
  /** Headers that change what a provider answers: API version and betas. */
  readonly variant: string
  readonly body: Buffer
}

/** Requests above this size are not compared: they are transcripts that never come twice. */
export const mostRequestBytes = 256 * 1024

/** Answers above this size are not kept. */
export const mostAnswerBytes = 1024 * 1024

/** Key of a request, equal for bodies that differ in the order of their fields only (G10); null for one that is too large. */
export function answerKey(parts: AnswerKeyParts): string | null {
  if (parts.body.length > mostRequestBytes) return null
  const { salt, tenant, user, keyId, upstream, path, variant } = parts
  const names = JSON.stringify([salt, tenant, user, keyId, upstream, path, variant])
  return hash('sha256', `${names}\n${canonicalArguments(parts.body.toString('utf8'))}`, 'base64url')
}

interface Entry {
  readonly answer: KeptAnswer
  readonly keptAtMs: number
}

/** See the head of the file. Time is passed in. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>()
  readonly #mostBytes: number
  readonly #lifetimeMs: number
  #bytes = 0

  /** 32 MB and an hour by default. */
  constructor(mostBytes = 32 * 1024 * 1024, lifetimeMs = 3_600_000) {
    this.#mostBytes = mostBytes
    this.#lifetimeMs = lifetimeMs
  }

  /** Bytes of all answers that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Keeps an answer in the place of an older one; the oldest leave beyond the bound. */
  keep(key: string, answer: KeptAnswer, nowMs: number): void {
    this.#forget(key)
    if (answer.body.length > Math.min(mostAnswerBytes, this.#mostBytes)) return
    this.#entries.set(key, { answer, keptAtMs: nowMs })
    this.#bytes += answer.body.length
    for (const [oldest, { keptAtMs }] of this.#entries) {
      if (this.#bytes <= this.#mostBytes && nowMs - keptAtMs < this.#lifetimeMs) break
      this.#forget(oldest)
    }
  }

  /** The answer to the same request, if it is young enough. */
  find(key: string, nowMs: number): KeptAnswer | null {
    const entry = this.#entries.get(key)
    if (entry === undefined) return null
    if (nowMs - entry.keptAtMs < this.#lifetimeMs) return entry.answer
    this.#forget(key)
    return null
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.answer.body.length
  }
}
