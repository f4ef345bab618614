import type { FieldEdit } from './edit.ts'
import type { JsonObject } from './dialect.ts'
import { fieldIn, objectField } from './geminiFields.ts'
import { arrayIn, objectIn } from './read.ts'

/** What a request asks for beyond one plain answer. */
export interface ChoiceAsk {
  /** Answers to one prompt: the larger of `n`, `best_of` and Gemini's `candidateCount`; a list of prompts is not counted. */
  readonly n: number
  /** Changes that take every request for log probabilities out; empty where there is none. */
  readonly withoutLogprobs: readonly FieldEdit[]
}

/** The value of `include` by which Responses asks for log probabilities. */
const includedLogprobs = 'message.output_text.logprobs'

/**
 * Reads `n` and log probabilities out of a request of any dialect. OpenAI and Ollama name them `logprobs` and
 * `top_logprobs`, Responses also in `include`, Gemini in `generationConfig`.
 */
export function choiceAskOf(body: JsonObject): ChoiceAsk {
  const generation = objectField(body, 'generationConfig')
  const counts = [body['n'], body['best_of'], fieldIn(generation ?? {}, 'candidateCount')]
  const edits: FieldEdit[] = []
  for (const name of ['logprobs', 'top_logprobs']) if (asks(body[name])) edits.push({ path: [name], remove: true })
  for (const place of ['generationConfig', 'generation_config']) {
    const config = objectIn(body, place)
    if (config === null) continue
    for (const name of ['responseLogprobs', 'response_logprobs', 'logprobs']) {
      if (asks(config[name])) edits.push({ path: [place, name], remove: true })
    }
  }
  const include = arrayIn(body, 'include')
  if (include.includes(includedLogprobs)) {
    const others = include.filter((name): name is string => typeof name === 'string' && name !== includedLogprobs)
    edits.push({ path: ['include'], value: others })
  }
  return {
    n: Math.max(1, ...counts.map((count) => (typeof count === 'number' && Number.isFinite(count) ? count : 1))),
    withoutLogprobs: edits,
  }
}

/** False for the values by which clients say that they want none. `logprobs: 0` of a completion still returns one. */
function asks(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}
