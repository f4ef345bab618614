import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import type { CallFacts } from '../call.ts'
import type { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { arrayIn, countIn, isObject, objectIn } from './read.ts'
import { reportedCost } from './reportedCost.ts'
import { vendorNamed } from './vendors.ts'
import type { Vendor } from './vendors.ts'

/** Usage as OpenAI and its imitators count it: the prompt includes what was cached, the output includes reasoning. */
interface Counts {
  prompt: number
  cached: number
  cacheWrite: number
  audioInput: number
  imageInput: number
  output: number
  reasoning: number
  audioOutput: number
  imageOutput: number
  webSearches: number
}

/**
 * Merges the usage blocks of one answer. Some servers put a cumulative block on every chunk, so that the maximum of each
 * field is the value and a sum would be wrong (B03); null blocks and fields say nothing, all-zero ones neither (B04).
 */
export class OpenaiUsage {
  readonly #record: AnswerRecord
  readonly #vendor: Vendor
  readonly #counts: Counts = {
    prompt: 0,
    cached: 0,
    cacheWrite: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    reasoning: 0,
    audioOutput: 0,
    imageOutput: 0,
    webSearches: 0,
  }

  constructor(record: AnswerRecord, facts: Pick<CallFacts, 'vendor'>) {
    this.#record = record
    this.#vendor = vendorNamed(facts.vendor)
  }

  /** The blocks of a chunk or document, wherever its vendor puts them. */
  mergeFrom(chunk: JsonObject): void {
    if (isObject(chunk['usage'])) this.merge(chunk['usage'])
    for (const place of this.#vendor.usageIn) {
      for (const holder of place === 'choice' ? arrayIn(chunk, 'choices') : [chunk[place]]) {
        const usage = isObject(holder) ? objectIn(holder, 'usage') : null
        if (usage !== null) this.merge(usage)
      }
    }
  }

  /** One usage block: chat, completions and embeddings name the fields one way, Responses the other. */
  merge(usage: JsonObject): void {
    const cost = reportedCost(usage, this.#vendor)
    if (cost !== null) this.#record.reportedNanoUsd = Math.max(cost, this.#record.reportedNanoUsd ?? 0)
    const prompt = countIn(usage, 'prompt_tokens') ?? countIn(usage, 'input_tokens')
    const completion = countIn(usage, 'completion_tokens') ?? countIn(usage, 'output_tokens')
    const total = countIn(usage, 'total_tokens')
    if (prompt === null && completion === null) return
    const inputDetails = objectIn(usage, 'prompt_tokens_details') ?? objectIn(usage, 'input_tokens_details')
    const outputDetails = objectIn(usage, 'completion_tokens_details') ?? objectIn(usage, 'output_tokens_details')
    const reasoning = countIn(outputDetails, 'reasoning_tokens') ?? 0
    this.#raise('prompt', prompt)
    this.#raise('cached', countIn(inputDetails, 'cached_tokens'))
    for (const field of this.#vendor.cachedIn) this.#raise('cached', countIn(usage, field))
    this.#raise('cacheWrite', countIn(inputDetails, 'cache_write_tokens'))
    this.#raise('audioInput', countIn(inputDetails, 'audio_tokens'))
    this.#raise('imageInput', countIn(inputDetails, 'image_tokens'))
    this.#raise('output', this.#outputWithReasoning(prompt ?? 0, completion, reasoning, total))
    this.#raise('reasoning', reasoning)
    this.#raise('audioOutput', countIn(outputDetails, 'audio_tokens'))
    this.#raise('imageOutput', countIn(outputDetails, 'image_tokens'))
    this.#raise('webSearches', countIn(usage, 'num_search_queries'))
    this.#store(prompt !== null, completion !== null)
  }

  /** llama.cpp's `timings`, for a stream in which no usage came. */
  mergeTimings(timings: JsonObject): void {
    const read = countIn(timings, 'prompt_n')
    const cached = countIn(timings, 'cache_n')
    const written = countIn(timings, 'predicted_n')
    if (!this.#vendor.timings || read === null || written === null) return
    this.#raise('prompt', read + (cached ?? 0))
    this.#raise('cached', cached)
    this.#raise('output', written)
    this.#store(true, true)
  }

  /**
   * xAI leaves reasoning out of its completion count and puts it only into the total. The total decides wherever there is
   * one: where the three agree exactly, the reasoning is added; else it lies inside and is not counted twice (D12).
   */
  #outputWithReasoning(
    prompt: number,
    completion: number | null,
    reasoning: number,
    total: number | null,
  ): number | null {
    if (completion === null || reasoning === 0) return completion
    const isBeside = total === null ? this.#vendor.reasoning === 'beside' : total === prompt + completion + reasoning
    return isBeside ? completion + reasoning : completion
  }

  #raise(name: keyof Counts, value: number | null): void {
    if (value !== null && value > this.#counts[name]) this.#counts[name] = value
  }

  #store(input: boolean, output: boolean): void {
    const record = this.#record
    const { webSearches, fileSearches, codeContainers } = record.usage ?? noUsage
    record.usage = {
      ...disjoint(this.#counts),
      webSearches: Math.max(this.#counts.webSearches, webSearches),
      fileSearches,
      codeContainers,
    }
    record.inputReported ||= input
    record.outputReported ||= output
  }
}

/** Buckets without overlap. OpenAI's count of the prompt includes the cached and the written part (D02). */
function disjoint(counts: Counts): Usage {
  const cacheRead = Math.min(counts.cached, counts.prompt)
  const cacheWrite5m = Math.min(counts.cacheWrite, counts.prompt - cacheRead)
  const input = counts.prompt - cacheRead - cacheWrite5m
  return {
    ...noUsage,
    input,
    cacheRead,
    cacheWrite5m,
    output: counts.output,
    reasoning: Math.min(counts.reasoning, counts.output),
    audioInput: Math.min(counts.audioInput, input),
    audioOutput: Math.min(counts.audioOutput, counts.output),
    imageInput: Math.min(counts.imageInput, input),
    imageOutput: Math.min(counts.imageOutput, counts.output),
    webSearches: counts.webSearches,
  }
}
