import { mostAnswerBytes } from './answerCache.ts'
import type { KeptAnswer } from './answerCache.ts'

/** A copy of one answer on its way to the client. What grows too large is let go of at once. */
export class AnswerRecording {
  #head: { readonly status: number; readonly contentType: string } | null = null
  #chunks: Uint8Array[] | null = []
  #bytes = 0

  head(status: number, contentType: string): void {
    this.#head = { status, contentType }
  }

  push(chunk: Uint8Array): void {
    if (this.#chunks === null) return
    this.#bytes += chunk.length
    if (this.#bytes > mostAnswerBytes) this.#chunks = null
    else this.#chunks.push(chunk)
  }

  /** The whole answer; null for one that was too large or none. */
  answer(): KeptAnswer | null {
    if (this.#head === null || this.#chunks === null || this.#bytes === 0) return null
    return { ...this.#head, body: Buffer.concat(this.#chunks) }
  }
}
