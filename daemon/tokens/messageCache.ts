import { randomBytes } from 'node:crypto'
import { TextDigests } from '../transcript/textDigests.ts'
import type { TextCount } from './textCount.ts'

/** Shorter texts are counted sooner than they are looked up. */
export const cachedFromChars = 64

const defaultEntries = 20_000

/**
 * Counts of texts seen before, so that the cost of a turn grows with what is new and not with the transcript. Keys are
 * salted hashes: no text is kept, and what is kept says nothing outside this process.
 */
export class MessageCountCache {
  readonly #entries = new Map<string, TextCount>()
  readonly #maxEntries: number
  readonly #digests: TextDigests

  /** `maxEntries` of about 200 bytes each. The digests are those of the thread, shared with its transcripts. */
  constructor(maxEntries = defaultEntries, digests = new TextDigests(randomBytes(16).toString('hex'))) {
    this.#maxEntries = maxEntries
    this.#digests = digests
  }

  get size(): number {
    return this.#entries.size
  }

  /** Key of a text under one way of counting; null for a text that is not worth remembering. */
  keyOf(text: string, alsoCl100k: boolean): string | null {
    if (text.length < cachedFromChars) return null
    const digest = this.#digests.digestOf(text)
    // Its last character is always the same and can tell the two ways apart.
    return alsoCl100k ? `${digest.slice(0, -1)}+` : digest
  }

  /** The count under a key, which becomes the youngest entry. */
  get(key: string): TextCount | null {
    const known = this.#entries.get(key)
    if (known === undefined) return null
    this.#entries.delete(key)
    this.#entries.set(key, known)
    return known
  }

  /** Remembers a count and drops the oldest entry beyond the limit. */
  set(key: string, count: TextCount): void {
    this.#entries.delete(key)
    this.#entries.set(key, count)
    if (this.#entries.size <= this.#maxEntries) return
    const oldest = this.#entries.keys().next()
    if (oldest.done !== true) this.#entries.delete(oldest.value)
  }
}
