import { randomBytes } from 'node:crypto'
import { BoundedMap } from '../transcript/boundedMap.ts'
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
  readonly #entries: BoundedMap<TextCount>
  readonly #digests: TextDigests

  /** `maxEntries` of about 200 bytes each. The digests are those of the thread, shared with its transcripts. */
  constructor(maxEntries = defaultEntries, digests = new TextDigests(randomBytes(16).toString('hex'))) {
    this.#entries = new BoundedMap(maxEntries)
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

  /** The count under a key. */
  get(key: string): TextCount | null {
    return this.#entries.get(key) ?? null
  }

  /** Remembers a count and drops the oldest entry beyond the limit. */
  set(key: string, count: TextCount): void {
    this.#entries.set(key, count)
  }
}
