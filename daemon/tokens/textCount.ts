import { countWindow, wholeCharacter, windowEnd } from './tokenizer.ts'
import type { Encoder, Tokenizer } from './tokenizer.ts'

/** What is known of a text, before a family's margins. */
export interface TextCount {
  /** o200k tokens, or the best estimate of them. */
  readonly plainTokens: number
  /** Tokens with the larger of the encodings asked for, raised by the error of sampling where the text was sampled. */
  readonly highTokens: number
  readonly digits: number
  readonly utf8Bytes: number
}

/** Share of bytes beyond one per character from which cl100k is counted as well. Below, the margins absorb the difference. */
const foreignShare = 0.01

/** UTF-16 units of one sample. */
export const sampleChars = 256

/** A stretch that one sample stands for is at least this long, and this part of what was seen before. */
const stretchChars = 1024
const stretchesSeen = 24

/** Work that one request may do before text is sampled, in `Encoder.work` steps of about 0.1 microseconds: about 25 ms. */
export const defaultWorkBudget = 250_000

/** Counts texts of one request within a budget of work, and bounds what is beyond it from samples. */
export class TextCounter {
  readonly #plain: Encoder
  readonly #second: () => Encoder | null
  readonly #workBudget: number
  #workLeft: number

  constructor(tokenizer: Tokenizer, alsoCl100k: boolean, workBudget: number) {
    this.#plain = tokenizer.encoder('o200k_base')
    this.#second = () => (alsoCl100k ? tokenizer.encoder('cl100k_base') : null)
    this.#workBudget = workBudget
    this.#workLeft = workBudget
  }

  /**
   * Counts from the start of a text until it ends or the budget does. `end` tells how far it came, `large` that this one
   * text took most of the budget, so that it would not fit into the next request's either.
   */
  count(text: string): { readonly counted: TextCount; readonly end: number; readonly large: boolean } {
    const utf8Bytes = Buffer.byteLength(text)
    const second = this.#secondFor(text.length, utf8Bytes)
    const before = this.#workLeft
    let plainTokens = 0
    let highTokens = 0
    let digits = 0
    let end = 0
    while (end < text.length && this.#workLeft > 0) {
      const stop = windowEnd(text, end)
      const window = this.#window(text.slice(end, stop), second)
      plainTokens += window.plainTokens
      highTokens += window.highTokens
      digits += window.digits
      end = stop
    }
    const large = before - this.#workLeft > this.#workBudget / 2
    const bytes = end === text.length ? utf8Bytes : Buffer.byteLength(text.slice(0, end))
    return { counted: { plainTokens, highTokens, digits, utf8Bytes: bytes }, end, large }
  }

  /** Adds the rest of a text to a sample. */
  sample(text: string, from: number, sample: Sample): void {
    const rest = from === 0 ? text : text.slice(from)
    const utf8Bytes = Buffer.byteLength(rest)
    const second = this.#secondFor(rest.length, utf8Bytes)
    sample.add(rest, utf8Bytes, (window) => this.#window(window, second))
  }

  #window(window: string, second: Encoder | null): Omit<TextCount, 'utf8Bytes'> {
    const before = this.#plain.work() + (second?.work() ?? 0)
    const plainTokens = countWindow(this.#plain, window)
    const highTokens = second === null ? plainTokens : Math.max(plainTokens, countWindow(second, window))
    this.#workLeft -= this.#plain.work() + (second?.work() ?? 0) - before
    return { plainTokens, highTokens, digits: digitsOf(window) }
  }

  #secondFor(chars: number, utf8Bytes: number): Encoder | null {
    return utf8Bytes - chars > chars * foreignShare ? this.#second() : null
  }
}

/** Estimates a long stream of text from short windows, one in each stretch. Deterministic: positions follow from the lengths. */
export class Sample {
  #chars = 0
  #utf8Bytes = 0
  #nextAt = 0
  /** Sums over the windows, each weighted by the stretch that it stands for. */
  #weight = 0
  #weightSquares = 0
  #plain = 0
  #high = 0
  #highSquares = 0
  #digits = 0
  #seed = 0x9e3779b9

  /** Feeds the next text of the stream. */
  add(text: string, utf8Bytes: number, countOf: (window: string) => Omit<TextCount, 'utf8Bytes'>): void {
    const startsAt = this.#chars
    this.#chars += text.length
    this.#utf8Bytes += utf8Bytes
    while (this.#nextAt < this.#chars) {
      const stride = Math.max(stretchChars, Math.floor(this.#nextAt / stretchesSeen))
      const from = wholeCharacter(text, this.#nextAt - startsAt)
      const to = wholeCharacter(text, Math.min(text.length, from + sampleChars))
      if (to > from) this.#learn(countOf(text.slice(from, to)), to - from, stride)
      this.#nextAt += Math.floor(stride * (0.5 + this.#random()))
    }
  }

  /** The whole stream: means for the plain count, three standard errors and 2 % more for the high one. */
  result(): TextCount {
    if (this.#weight === 0) return { plainTokens: 0, highTokens: 0, digits: 0, utf8Bytes: this.#utf8Bytes }
    const chars = this.#chars
    const high = this.#high / this.#weight
    const variance = Math.max(0, this.#highSquares / this.#weight - high * high)
    const error = Math.sqrt((variance * this.#weightSquares) / (this.#weight * this.#weight))
    return {
      plainTokens: Math.round((this.#plain / this.#weight) * chars),
      highTokens: Math.min(this.#utf8Bytes, Math.ceil((high + 3 * error) * 1.02 * chars)),
      digits: Math.ceil((this.#digits / this.#weight) * 1.1 * chars),
      utf8Bytes: this.#utf8Bytes,
    }
  }

  #learn(window: Omit<TextCount, 'utf8Bytes'>, chars: number, weight: number): void {
    const high = window.highTokens / chars
    this.#weight += weight
    this.#weightSquares += weight * weight
    this.#plain += (weight * window.plainTokens) / chars
    this.#high += weight * high
    this.#highSquares += weight * high * high
    this.#digits += (weight * window.digits) / chars
  }

  /** Between 0 and 1. A fixed sequence: the positions need to be uneven, not secret. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0
    return this.#seed / 0x1_0000_0000
  }
}

function digitsOf(text: string): number {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) digits++
  }
  return digits
}
