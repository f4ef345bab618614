import { dataEvents, jsonLines, namedEvents } from '../../dialects/builders.ts'
import { saidBy } from './told.ts'
import type { Told, WriteAnswer } from './told.ts'

/** Anthropic's block: the input is what is left beside the cache. */
export const messages: WriteAnswer = (told, model, streamed) => {
  const written = told.cacheWrite5m + told.cacheWrite1h
  const input = {
    input_tokens: told.input - told.cacheRead - written,
    cache_read_input_tokens: told.cacheRead,
    cache_creation_input_tokens: written,
    cache_creation: {
      ephemeral_5m_input_tokens: told.cacheWrite5m,
      ephemeral_1h_input_tokens: told.cacheWrite1h,
    },
  }
  const output = {
    output_tokens: told.output,
    output_tokens_details: { thinking_tokens: told.reasoning },
    server_tool_use: { web_search_requests: told.webSearches },
  }
  const said = told.output > 0 ? [{ type: 'text', text: saidBy(told) }] : []
  if (!streamed) {
    const usage = { ...input, ...output }
    return {
      form: 'json',
      body: JSON.stringify({ type: 'message', model, content: said, stop_reason: 'end_turn', usage }),
    }
  }
  const begun = { ...input, output_tokens: Math.min(1, told.output) }
  const start = { type: 'message_start', message: { id: 'm1', model, usage: begun } }
  const deltas = said.map((delta) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { ...delta, type: 'text_delta' },
  }))
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: output }
  return { form: 'sse', body: namedEvents(start, ...deltas, end, { type: 'message_stop' }) }
}

function modality(name: string, tokenCount: number): readonly object[] {
  return tokenCount > 0 ? [{ modality: name, tokenCount }] : []
}

/** Google's block: thoughts stand beside the candidates, what tools brought beside the prompt. */
function geminiBlock(told: Told): object {
  const cached = told.cacheRead + told.audioCacheRead
  const plain = told.input - cached - told.audioInput - told.imageInput
  const toolUsePromptTokenCount = told.input % 3 === 0 ? Math.floor(plain / 2) : 0
  return {
    promptTokenCount: told.input - toolUsePromptTokenCount,
    toolUsePromptTokenCount,
    cachedContentTokenCount: cached,
    candidatesTokenCount: told.output - told.reasoning,
    thoughtsTokenCount: told.reasoning,
    totalTokenCount: told.input + told.output,
    promptTokensDetails: [
      ...modality('AUDIO', told.audioInput + told.audioCacheRead),
      ...modality('IMAGE', told.imageInput),
    ],
    cacheTokensDetails: modality('AUDIO', told.audioCacheRead),
    candidatesTokensDetails: [...modality('AUDIO', told.audioOutput), ...modality('IMAGE', told.imageOutput)],
  }
}

/** A generateContent answer: one document, events, or one array. */
export const gemini: WriteAnswer = (told, modelVersion, streamed) => {
  const said = { content: { role: 'model', parts: [{ text: saidBy(told) }] }, index: 0 }
  const last = { candidates: [{ ...said, finishReason: 'STOP' }], usageMetadata: geminiBlock(told), modelVersion }
  if (!streamed) return { form: 'json', body: JSON.stringify(last) }
  const first = {
    candidates: [{ content: { parts: [] }, index: 0 }],
    usageMetadata: { promptTokenCount: 1 },
    modelVersion,
  }
  if (told.input % 2 === 0) return { form: 'json-array', body: JSON.stringify([first, last]) }
  return { form: 'sse', body: dataEvents(first, last) }
}

/** Gemini's embeddings. */
export const geminiVectors: WriteAnswer = (told) => {
  const usageMetadata = { promptTokenCount: told.input, promptTokensDetails: modality('IMAGE', told.imageInput) }
  return { form: 'json', body: JSON.stringify({ embedding: { values: [0.1] }, usageMetadata }) }
}

/** Ollama's chat or generate answer. A count of 0 is left out, as the server does. */
export function ollama(field: 'message' | 'response'): WriteAnswer {
  return (told, model, streamed) => {
    const said = saidBy(told)
    const piece = (content: string): object =>
      field === 'message' ? { message: { role: 'assistant', content } } : { response: content }
    const counts = { prompt_eval_count: told.input, ...(told.output > 0 ? { eval_count: told.output } : {}) }
    const end = { model, done: true, done_reason: 'stop', ...counts }
    if (!streamed) return { form: 'json', body: JSON.stringify({ ...end, ...piece(said) }) }
    return { form: 'ndjson', body: jsonLines({ model, ...piece(said), done: false }, { ...end, ...piece('') }) }
  }
}

/** Ollama's embeddings. */
export const ollamaVectors: WriteAnswer = (told, model) => ({
  form: 'json',
  body: JSON.stringify({ model, embeddings: [[0.1]], prompt_eval_count: told.input }),
})
