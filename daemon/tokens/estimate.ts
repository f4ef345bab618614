import type { EstimatorName } from '../../shared/config.ts'
import type { InputEstimate } from '../call.ts'
import type { MediaPart, TokenCounter } from '../dialects/dialect.ts'
import { familyMargins, upperTokens } from './families.ts'
import { mediaBound } from './media.ts'
import { Sample, TextCounter, defaultWorkBudget } from './textCount.ts'
import type { ModelFamily } from './families.ts'
import type { MessageCountCache } from './messageCache.ts'
import type { TextCount } from './textCount.ts'
import type { Tokenizer } from './tokenizer.ts'

/** How the input of one request is counted. */
export interface CounterOptions {
  /** `exact` counts as `tokenizer` does: the provider's own counter is asked elsewhere. */
  readonly estimator: EstimatorName
  readonly family: ModelFamily
  /** Model name of the request; images are bounded by it. */
  readonly model: string
  readonly tokenizer: Tokenizer
  /** Shared by all requests of a thread; null counts everything anew. */
  readonly cache: MessageCountCache | null
  /** Steps of about 0.1 microseconds that may be spent before text is sampled; a worker may allow itself more. */
  readonly workBudget?: number
}

/** A counter for one request. */
export function createTokenCounter(options: CounterOptions): TokenCounter {
  switch (options.estimator) {
    case 'tokenizer':
    case 'exact':
      return new VocabularyCounter(options)
    case 'chars3':
      return new CharacterCounter(3, options)
    case 'chars3.6':
      return new CharacterCounter(3.6, options)
  }
}

/** What both counters share: everything that is not text. */
abstract class PartCounter implements TokenCounter {
  protected fixedTokens = 0
  protected exactTokens = 0
  protected mediaTokens = 0
  protected readonly family: ModelFamily
  readonly #model: string

  constructor(options: CounterOptions) {
    this.family = options.family
    this.#model = options.model
  }

  abstract text(text: string): void
  abstract estimate(): InputEstimate

  json(value: unknown): void {
    if (value === undefined) return
    this.text(JSON.stringify(value))
  }

  structure(tokens: number): void {
    this.fixedTokens += tokens
  }

  media(part: MediaPart): void {
    this.mediaTokens += mediaBound(part, this.#model, this.family)
  }

  exact(tokens: number): void {
    this.exactTokens += tokens
  }

  protected total(upperText: number, plainText: number): InputEstimate {
    return {
      upperTokens: Math.ceil(upperText + this.fixedTokens + this.exactTokens + this.mediaTokens),
      textTokens: Math.round(plainText) + this.exactTokens,
      mediaTokens: this.mediaTokens,
    }
  }
}

/** Characters divided by a number: no vocabulary, no memory, a known error. */
class CharacterCounter extends PartCounter {
  /** English and code have about four characters a token; the low estimate must not call a whole prompt truncated. */
  static readonly plainCharsPerToken = 4
  readonly #charsPerToken: number
  #chars = 0

  constructor(charsPerToken: number, options: CounterOptions) {
    super(options)
    this.#charsPerToken = charsPerToken
  }

  override text(text: string): void {
    this.#chars += text.length
  }

  override estimate(): InputEstimate {
    const upper = Math.ceil(this.#chars / this.#charsPerToken)
    return this.total(upper, this.#chars / CharacterCounter.plainCharsPerToken)
  }
}

/** Byte-pair counts with the margins of the model's family. */
class VocabularyCounter extends PartCounter {
  readonly #alsoCl100k: boolean
  readonly #cache: MessageCountCache | null
  readonly #counter: TextCounter
  /** What the work budget did not reach; null for most requests. */
  #sample: Sample | null = null
  #upper = 0
  #plain = 0

  constructor(options: CounterOptions) {
    super(options)
    this.#alsoCl100k = familyMargins[this.family].alsoCl100k
    this.#cache = options.cache
    this.#counter = new TextCounter(options.tokenizer, this.#alsoCl100k, options.workBudget ?? defaultWorkBudget)
  }

  override text(text: string): void {
    if (text === '') return
    const key = this.#cache?.keyOf(text, this.#alsoCl100k) ?? null
    const known = key === null ? null : (this.#cache?.get(key) ?? null)
    if (known !== null) return this.#add(known)
    const { counted, end, large } = this.#counter.count(text)
    if (end === text.length) {
      if (key !== null) this.#cache?.set(key, counted)
      return this.#add(counted)
    }
    if (!large) {
      // The next turn finds the texts before this one in the cache and will come further.
      this.#add(counted)
      this.#counter.sample(text, end, (this.#sample ??= new Sample()))
      return
    }
    const sample = new Sample()
    this.#counter.sample(text, end, sample)
    const whole = sum(counted, sample.result())
    if (key !== null) this.#cache?.set(key, whole)
    this.#add(whole)
  }

  override estimate(): InputEstimate {
    if (this.#sample === null) return this.total(this.#upper, this.#plain)
    const rest = this.#sample.result()
    return this.total(this.#upper + this.#upperOf(rest), this.#plain + rest.plainTokens)
  }

  #add(count: TextCount): void {
    this.#upper += this.#upperOf(count)
    this.#plain += count.plainTokens
  }

  #upperOf(count: TextCount): number {
    return upperTokens(this.family, {
      tokens: count.highTokens,
      digits: count.digits,
      utf8Bytes: count.utf8Bytes,
    })
  }
}

function sum(first: TextCount, second: TextCount): TextCount {
  return {
    plainTokens: first.plainTokens + second.plainTokens,
    highTokens: first.highTokens + second.highTokens,
    digits: first.digits + second.digits,
    utf8Bytes: first.utf8Bytes + second.utf8Bytes,
  }
}
