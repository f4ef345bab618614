import type { Usage } from '../../shared/usage.ts'
import type { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { countIn, objectIn } from './read.ts'

/** Usage as OpenAI and its imitators count it: the prompt includes what was cached, the output includes reasoning. */
interface Counts {
  prompt: number
  cached: number
  cacheWrite: number
  audioInput: number
  output: number
  reasoning: number
  audioOutput: number
  webSearches: number
}

/**
 * Merges the usage blocks of one answer. Some servers put a cumulative block on every chunk, so that the maximum of each
 * field is the value and a sum would be wrong (B03); null blocks and fields say nothing, all-zero ones neither (B04).
 */
export class OpenaiUsage {
  readonly #record: AnswerRecord
  readonly #counts: Counts = {
    prompt: 0,
    cached: 0,
    cacheWrite: 0,
    audioInput: 0,
    output: 0,
    reasoning: 0,
    audioOutput: 0,
    webSearches: 0,
  }

  constructor(record: AnswerRecord) {
    this.#record = record
  }

  /** One usage block: chat, completions and embeddings name the fields one way, Responses the other. */
  merge(usage: JsonObject): void {
    const prompt = countIn(usage, 'prompt_tokens') ?? countIn(usage, 'input_tokens')
    const completion = countIn(usage, 'completion_tokens') ?? countIn(usage, 'output_tokens')
    const total = countIn(usage, 'total_tokens')
    if (prompt === null && completion === null) return
    const inputDetails = objectIn(usage, 'prompt_tokens_details') ?? objectIn(usage, 'input_tokens_details')
    const outputDetails = objectIn(usage, 'completion_tokens_details') ?? objectIn(usage, 'output_tokens_details')
    const reasoning = countIn(outputDetails, 'reasoning_tokens') ?? 0
    this.#raise('prompt', prompt)
    // DeepSeek has its own name for the cached part.
    this.#raise('cached', countIn(inputDetails, 'cached_tokens') ?? countIn(usage, 'prompt_cache_hit_tokens'))
    this.#raise('cacheWrite', countIn(inputDetails, 'cache_write_tokens'))
    this.#raise('audioInput', countIn(inputDetails, 'audio_tokens'))
    this.#raise('output', outputWithReasoning(prompt ?? 0, completion, reasoning, total))
    this.#raise('reasoning', reasoning)
    this.#raise('audioOutput', countIn(outputDetails, 'audio_tokens'))
    this.#raise('webSearches', countIn(usage, 'num_search_queries'))
    this.#store(prompt !== null, completion !== null)
  }

  /** llama.cpp's `timings`, for a stream in which no usage came. */
  mergeTimings(timings: JsonObject): void {
    const read = countIn(timings, 'prompt_n')
    const cached = countIn(timings, 'cache_n')
    const written = countIn(timings, 'predicted_n')
    if (read === null || written === null) return
    this.#raise('prompt', read + (cached ?? 0))
    this.#raise('cached', cached)
    this.#raise('output', written)
    this.#store(true, true)
  }

  #raise(name: keyof Counts, value: number | null): void {
    if (value !== null && value > this.#counts[name]) this.#counts[name] = value
  }

  #store(input: boolean, output: boolean): void {
    const record = this.#record
    record.usage = {
      ...disjoint(this.#counts),
      webSearches: Math.max(this.#counts.webSearches, record.usage?.webSearches ?? 0),
    }
    record.inputReported ||= input
    record.outputReported ||= output
  }
}

/**
 * xAI leaves reasoning out of its completion count and puts it only into the total. Where the three agree exactly, the
 * reasoning is added; everywhere else it already lies inside and is not counted twice (D12).
 */
function outputWithReasoning(
  prompt: number,
  completion: number | null,
  reasoning: number,
  total: number | null,
): number | null {
  if (completion === null || total === null || reasoning === 0) return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

/** Buckets without overlap. OpenAI's count of the prompt includes the cached and the written part (D02). */
function disjoint(counts: Counts): Usage {
  const cacheRead = Math.min(counts.cached, counts.prompt)
  const cacheWrite5m = Math.min(counts.cacheWrite, counts.prompt - cacheRead)
  const input = counts.prompt - cacheRead - cacheWrite5m
  return {
    input,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: counts.output,
    reasoning: Math.min(counts.reasoning, counts.output),
    audioInput: Math.min(counts.audioInput, input),
    audioOutput: Math.min(counts.audioOutput, counts.output),
    webSearches: counts.webSearches,
  }
}
