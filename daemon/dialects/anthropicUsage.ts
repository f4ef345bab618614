import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import type { CallFacts } from '../call.ts'
import { iterated, iterationOf } from './anthropicIterations.ts'
import type { Iteration } from './anthropicIterations.ts'
import type { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { arrayIn, countIn, isObject, objectIn } from './read.ts'
import { reportedCost } from './reportedCost.ts'
import { vendorNamed } from './vendors.ts'

/** Counts of one usage block; null where it does not say. */
interface Block {
  readonly input: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly cacheWrite5m: number | null
  readonly cacheWrite1h: number | null
  readonly output: number | null
  readonly thinking: number | null
  readonly webSearches: number | null
}

const emptyBlock: Block = {
  input: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite5m: null,
  cacheWrite1h: null,
  output: null,
  thinking: null,
  webSearches: null,
}

/**
 * Usage of a Messages answer. Every block is cumulative: a `message_delta` repeats fields of `message_start`, which are
 * never added (B06, B07). Input excludes the cache, so that the buckets are disjoint as they come.
 */
export class AnthropicUsage {
  readonly #record: AnswerRecord
  readonly #facts: CallFacts
  #start = emptyBlock
  #latest = emptyBlock
  /** The runs that the answer is made of; the last list counts. */
  #iterations: readonly Iteration[] = []

  constructor(record: AnswerRecord, facts: CallFacts) {
    this.#record = record
    this.#facts = facts
  }

  /** The block of `message_start`: its output is a placeholder, and on an emulation its input is a guess. */
  mergeStart(usage: JsonObject): void {
    this.#start = highest(this.#start, blockOf(usage))
    this.#readExtras(usage)
    this.#store()
    if (this.#start.input !== null && this.#facts.ollama === null) this.#record.inputReported = true
  }

  /** The block of a `message_delta`, or of an answer that is not streamed. */
  merge(usage: JsonObject): void {
    const block = blockOf(usage)
    this.#latest = highest(this.#latest, block)
    this.#readExtras(usage)
    this.#store()
    if (block.input !== null) this.#record.inputReported = true
    if (block.output !== null) this.#record.outputReported = true
  }

  #readExtras(usage: JsonObject): void {
    this.#record.setTiers(usage, ['service_tier', 'speed', 'inference_geo'])
    const cost = reportedCost(usage, vendorNamed(this.#facts.vendor))
    if (cost !== null) this.#record.reportedNanoUsd = Math.max(cost, this.#record.reportedNanoUsd ?? 0)
    const iterations = arrayIn(usage, 'iterations').filter(isObject)
    if (iterations.length === 0) return
    this.#iterations = iterations.map((entry) => iterationOf(entry, usageOf(blockOf(entry), this.#facts)))
  }

  #store(): void {
    // An emulation guesses the input at the start, and may guess too high: its later figure stands alone.
    const guessed = this.#facts.ollama !== null && this.#latest.input !== null
    const start = guessed ? { ...this.#start, input: null } : this.#start
    const own = usageOf(highest(start, this.#latest), this.#facts)
    const { usage, parts } = iterated(own, this.#iterations, this.#facts.model)
    this.#record.usage = { ...usage, webSearches: Math.max(usage.webSearches, this.#record.usage?.webSearches ?? 0) }
    this.#record.parts = parts
  }
}

function blockOf(usage: JsonObject): Block {
  const creation = objectIn(usage, 'cache_creation')
  const fiveMinutes = countIn(creation, 'ephemeral_5m_input_tokens')
  const oneHour = countIn(creation, 'ephemeral_1h_input_tokens')
  const split = fiveMinutes === null && oneHour === null ? null : (fiveMinutes ?? 0) + (oneHour ?? 0)
  const whole = countIn(usage, 'cache_creation_input_tokens')
  return {
    input: countIn(usage, 'input_tokens'),
    cacheRead: countIn(usage, 'cache_read_input_tokens'),
    cacheWrite: whole === null && split === null ? null : Math.max(whole ?? 0, split ?? 0),
    cacheWrite5m: fiveMinutes,
    cacheWrite1h: oneHour,
    output: countIn(usage, 'output_tokens'),
    thinking: countIn(objectIn(usage, 'output_tokens_details'), 'thinking_tokens'),
    webSearches: countIn(objectIn(usage, 'server_tool_use'), 'web_search_requests'),
  }
}

function highest(left: Block, right: Block): Block {
  const most = (name: keyof Block): number | null => {
    const other = left[name]
    const own = right[name]
    return other === null ? own : own === null ? other : Math.max(other, own)
  }
  return {
    input: most('input'),
    cacheRead: most('cacheRead'),
    cacheWrite: most('cacheWrite'),
    cacheWrite5m: most('cacheWrite5m'),
    cacheWrite1h: most('cacheWrite1h'),
    output: most('output'),
    thinking: most('thinking'),
    webSearches: most('webSearches'),
  }
}

/** Buckets of a block. Writes that no split tells of are taken at the lifetime that the request asked for (D04). */
function usageOf(block: Block, facts: CallFacts): Usage {
  const written = block.cacheWrite ?? 0
  const told1h = block.cacheWrite1h ?? 0
  const untold = facts.cacheWrite === '1h' ? Math.max(0, written - told1h - (block.cacheWrite5m ?? 0)) : 0
  const cacheWrite1h = Math.min(written, told1h + untold)
  const output = block.output ?? 0
  return {
    ...noUsage,
    input: block.input ?? 0,
    cacheRead: block.cacheRead ?? 0,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output,
    reasoning: Math.min(block.thinking ?? 0, output),
    webSearches: block.webSearches ?? 0,
  }
}
