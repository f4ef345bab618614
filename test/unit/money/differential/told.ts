import type { AnswerForm } from '../../../../daemon/dialects/dialect.ts'
import type { Usage as TheirUsage } from '@pydantic/genai-prices'

/** What a provider counted for one call, in tokens and uses. All parts lie inside `input` or `output` and do not overlap. */
export interface Told {
  readonly input: number
  readonly cacheRead: number
  readonly audioCacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly audioInput: number
  readonly imageInput: number
  readonly output: number
  readonly reasoning: number
  readonly audioOutput: number
  readonly imageOutput: number
  readonly webSearches: number
  readonly fileSearches: number
}

/** The same in the price package's own words. Its audio includes the cached audio, and its cache reads do as well. */
export function inTheirWords(told: Told): TheirUsage {
  return {
    input_tokens: told.input,
    cache_read_tokens: told.cacheRead + told.audioCacheRead,
    cache_write_tokens: told.cacheWrite5m + told.cacheWrite1h,
    cache_write_1h_tokens: told.cacheWrite1h,
    input_audio_tokens: told.audioInput + told.audioCacheRead,
    cache_audio_read_tokens: told.audioCacheRead,
    input_image_tokens: told.imageInput,
    cache_image_read_tokens: 0,
    output_tokens: told.output,
    output_reasoning_tokens: told.reasoning,
    output_audio_tokens: told.audioOutput,
    output_image_tokens: told.imageOutput,
    web_searches: told.webSearches,
    storage_searches: told.fileSearches,
  }
}

/** Parts of a call that one wire format has words for; the others stay 0. */
export type Tellable = Exclude<keyof Told, 'input' | 'output'>

/** A provider's answer with a usage in its own words, and how it is framed. */
export interface WrittenAnswer {
  readonly form: AnswerForm
  readonly body: string
}

/** Writes an answer with such a usage, streamed or in one piece. */
export type WriteAnswer = (told: Told, model: string, streamed: boolean) => WrittenAnswer

/** The visible text of an answer: none where nothing was generated. */
export function saidBy(told: Told): string {
  return told.output > 0 ? 'Hello' : ''
}
