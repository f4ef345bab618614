import { hash } from 'node:crypto'
import { RunningDigest } from './runningDigest.ts'

/** Texts below this length are hashed sooner than they are looked up. */
const rememberedFromChars = 64

/** How many long texts of the request under way are remembered: one message's worth. */
const recentTexts = 8

/** Above this length a second, short hash is cheaper than a copy of the text behind the salt. */
const copiedUpToChars = 2048

const defaultNotes = 20_000

/**
 * Salted digests of one thread. The token counter and the transcript recorder read the same long strings one after the
 * other, and hashing them is most of what both cost; here each is hashed once. What outlives a request are digests and
 * notes on digests, never text (N08).
 */
export class TextDigests {
  readonly #salt: string
  readonly #maxNotes: number
  /** Two generations: what is used moves to the younger, and the elder is dropped when the younger is full. */
  #notes = new Map<string, string>()
  #elderNotes = new Map<string, string>()
  readonly #texts: string[] = []
  readonly #digests: string[] = []
  #next = 0

  /** Threads that share a salt agree on all digests. `maxNotes` of about 150 bytes each. */
  constructor(salt: string, maxNotes = defaultNotes) {
    this.#salt = salt
    this.#maxNotes = maxNotes
  }

  /** Begins the chain of a transcript. */
  newChain(): RunningDigest {
    return new RunningDigest(this.#salt)
  }

  /** Digest of a text, 28 characters of base64 that end in `=`. A long text that was asked for just now is not hashed again. */
  digestOf(text: string): string {
    if (text.length < rememberedFromChars) return this.digestOnce(text)
    for (let at = 0; at < this.#texts.length; at++) {
      const digest = this.#digests[at]
      if (this.#texts[at] === text && digest !== undefined) return digest
    }
    const digest = this.digestOnce(text)
    this.#texts[this.#next] = text
    this.#digests[this.#next] = digest
    this.#next = (this.#next + 1) % recentTexts
    return digest
  }

  /** The same digest, for a text that nobody else will ask for. */
  digestOnce(text: string): string {
    if (text.length <= copiedUpToChars) return hash('sha1', `${this.#salt}|${text}`, 'base64')
    return hash('sha1', `${this.#salt}#${hash('sha1', text, 'base64')}`, 'base64')
  }

  /**
   * What `find` tells about a text that has the given digest: found once, then remembered under `kind` and digest. It must
   * depend on the text alone, be short, and hold none of the text's words.
   */
  noteOf(kind: string, digest: string, find: () => string): string {
    const key = kind + digest
    const known = this.#notes.get(key)
    if (known !== undefined) return known
    const note = this.#elderNotes.get(key) ?? find()
    if (2 * this.#notes.size >= this.#maxNotes) {
      this.#elderNotes = this.#notes
      this.#notes = new Map()
    }
    this.#notes.set(key, note)
    return note
  }

  /** Lets go of the texts of the request that ends. */
  forgetTexts(): void {
    this.#texts.length = 0
    this.#digests.length = 0
    this.#next = 0
  }
}
