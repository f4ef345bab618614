import { lastFields } from '../streams/lastFields.ts'
import type { CallFacts } from '../call.ts'
import type { AnswerParts } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { OpenaiUsage } from './openaiUsage.ts'
import { isObject } from './read.ts'

/** Most choices that are followed to their end. */
const mostChoices = 1024

/** Reads what a choice delivered into the record. */
export type ChoiceReader = (record: AnswerRecord, choice: JsonObject, index: number) => void

/**
 * Answers made of `choices`: chat and legacy completions, streamed or not. A stream ends cleanly with `[DONE]`; some
 * servers leave that out, so that every begun choice having a finish reason counts too, once all bytes have come (F06).
 */
export class OpenaiChoices implements AnswerParts {
  readonly record = new AnswerRecord()
  readonly #usage: OpenaiUsage
  readonly #readChoice: ChoiceReader
  readonly #unfinished = new Set<number>()
  readonly #finished = new Set<number>()
  #timings: JsonObject | null = null

  constructor(readChoice: ChoiceReader, facts: Pick<CallFacts, 'vendor'>) {
    this.#readChoice = readChoice
    this.#usage = new OpenaiUsage(this.record, facts)
  }

  chunk(chunk: JsonObject): void {
    const { record } = this
    record.setModel(chunk['model'])
    record.setTiers(chunk, ['service_tier'])
    if (chunk['error'] !== undefined) record.setError(chunk['error'])
    const { choices } = chunk
    // Chunks without choices, with null or with an empty list are all seen in the wild (B02).
    if (Array.isArray(choices)) for (const choice of choices as readonly unknown[]) this.#choice(choice)
    this.#usage.mergeFrom(chunk)
    if (isObject(chunk['timings'])) this.#timings = chunk['timings']
  }

  document(document: JsonObject): void {
    this.chunk(document)
    this.#fallBackToTimings()
  }

  text(data: string): void {
    if (data.trim() === '[DONE]') this.record.terminal = true
  }

  tail(tail: string): void {
    const fields = lastFields(tail, ['usage', 'finish_reason'])
    if (isObject(fields['usage'])) this.#usage.merge(fields['usage'])
    if (typeof fields['finish_reason'] === 'string') this.record.finish = fields['finish_reason'].slice(0, 128)
  }

  end(): void {
    if (this.#finished.size > 0 && this.#unfinished.size === 0) this.record.terminal = true
    this.#fallBackToTimings()
  }

  #choice(choice: unknown): void {
    if (!isObject(choice)) return
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0
    this.#readChoice(this.record, choice, index)
    const finish = choice['finish_reason']
    if (typeof finish === 'string' && finish !== '') {
      this.record.finish = finish.slice(0, 128)
      if (this.#finished.size < mostChoices) this.#finished.add(index)
      this.#unfinished.delete(index)
      if (finish === 'error') this.record.setError(choice['error'] ?? { code: 'error' })
    } else if (this.#unfinished.size < mostChoices && !this.#finished.has(index)) this.#unfinished.add(index)
  }

  /** llama.cpp's own counters, where its usage was not asked for. */
  #fallBackToTimings(): void {
    if (this.record.usage === null && this.#timings !== null) this.#usage.mergeTimings(this.#timings)
  }
}

/** The text of a legacy completion's choice. */
export const completionText: ChoiceReader = (record, choice) => {
  record.addSpoken(choice['text'])
}
