import { dataEvents, namedEvents } from '../../dialects/builders.ts'
import { saidBy } from './told.ts'
import type { Told, WriteAnswer } from './told.ts'

/** OpenAI's block: the prompt includes every cached part, the completion includes reasoning. */
export function openaiBlock(told: Told): Record<string, unknown> {
  return {
    prompt_tokens: told.input,
    completion_tokens: told.output,
    total_tokens: told.input + told.output,
    prompt_tokens_details: {
      cached_tokens: told.cacheRead,
      cache_write_tokens: told.cacheWrite5m,
      audio_tokens: told.audioInput,
      image_tokens: told.imageInput,
    },
    completion_tokens_details: {
      reasoning_tokens: told.reasoning,
      audio_tokens: told.audioOutput,
      image_tokens: told.imageOutput,
    },
  }
}

type Block = (told: Told) => Record<string, unknown>

/** Chat answers whose usage block is written by `block`. */
export function chat(block: Block): WriteAnswer {
  return (told, model, streamed) => {
    const usage = block(told)
    const said = saidBy(told)
    const finish = { index: 0, finish_reason: 'stop' }
    if (!streamed) {
      const choices = [{ ...finish, message: { role: 'assistant', content: said } }]
      return { form: 'json', body: JSON.stringify({ model, choices, usage }) }
    }
    const begin = { model, choices: [{ index: 0, delta: { content: said }, finish_reason: null }], usage: null }
    const body = dataEvents(begin, { model, choices: [{ ...finish, delta: {} }] }, { choices: [], usage }, '[DONE]')
    return { form: 'sse', body }
  }
}

/** Legacy completions. */
export const completions: WriteAnswer = (told, model, streamed) => {
  const usage = openaiBlock(told)
  const choice = { index: 0, text: saidBy(told), finish_reason: 'stop' }
  if (!streamed) return { form: 'json', body: JSON.stringify({ model, choices: [choice], usage }) }
  return { form: 'sse', body: dataEvents({ model, choices: [choice] }, { choices: [], usage }, '[DONE]') }
}

/** Responses, whose searches stand among the output and not in the usage. */
export const responses: WriteAnswer = (told, model, streamed) => {
  const uses = [
    ...Array.from({ length: told.webSearches }, () => ({ type: 'web_search_call', action: { type: 'search' } })),
    ...Array.from({ length: told.fileSearches }, () => ({ type: 'file_search_call' })),
  ]
  const message = { type: 'message', content: [{ type: 'output_text', text: saidBy(told) }] }
  const output = [...uses, message]
  const usage = {
    input_tokens: told.input,
    input_tokens_details: { cached_tokens: told.cacheRead, cache_write_tokens: told.cacheWrite5m },
    output_tokens: told.output,
    output_tokens_details: { reasoning_tokens: told.reasoning },
    total_tokens: told.input + told.output,
  }
  const response = { id: 'resp_1', model, status: 'completed', output, usage }
  if (!streamed) return { form: 'json', body: JSON.stringify(response) }
  const done = output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item }))
  const created = { type: 'response.created', response: { id: 'resp_1', model, status: 'in_progress', usage: null } }
  return { form: 'sse', body: namedEvents(created, ...done, { type: 'response.completed', response }) }
}

/** Embeddings. */
export const embeddings: WriteAnswer = (told, model) => {
  const usage = { prompt_tokens: told.input, total_tokens: told.input }
  return { form: 'json', body: JSON.stringify({ object: 'list', model, data: [{ embedding: [0.1] }], usage }) }
}

/** xAI counts reasoning beside the completion, and only its total has both. */
export const xaiBlock: Block = (told) => ({ ...openaiBlock(told), completion_tokens: told.output - told.reasoning })

/** DeepSeek names the cached part in a field of its own. */
export const deepseekBlock: Block = (told) => ({
  prompt_tokens: told.input,
  prompt_cache_hit_tokens: told.cacheRead,
  prompt_cache_miss_tokens: told.input - told.cacheRead,
  completion_tokens: told.output,
  total_tokens: told.input + told.output,
  completion_tokens_details: { reasoning_tokens: told.reasoning },
})
