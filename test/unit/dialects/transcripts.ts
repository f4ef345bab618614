import type { AnswerForm } from '../../../daemon/dialects/dialect.ts'
import type { DialectName } from '../../../daemon/call.ts'
import { dataEvents, jsonLines, namedEvents } from './builders.ts'

/** One complete answer of each kind, with text that has two-, three- and four-byte characters. */
export interface Transcript {
  readonly name: string
  readonly dialect: DialectName
  readonly form: AnswerForm
  readonly body: string
}

const chatUsage = {
  prompt_tokens: 1200,
  completion_tokens: 340,
  prompt_tokens_details: { cached_tokens: 1024 },
  completion_tokens_details: { reasoning_tokens: 256 },
}

const chatStream = dataEvents(
  {
    id: 'c1',
    model: 'gpt-x',
    service_tier: 'default',
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    usage: null,
  },
  { choices: [{ index: 0, delta: { content: '北京🌍 é' }, finish_reason: null }], usage: null },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 't1', function: { name: 'f', arguments: '' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: chatUsage },
  '[DONE]',
)

const messagesStream = namedEvents(
  {
    type: 'message_start',
    message: {
      id: 'm1',
      model: 'claude-x',
      usage: { input_tokens: 12, cache_read_input_tokens: 9000, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm 北' } },
  { type: 'ping' },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '北京🌍' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 320 } },
  { type: 'message_stop' },
)

const response = {
  id: 'resp_1',
  model: 'gpt-x',
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: '北京🌍' }] }],
  usage: {
    input_tokens: 81,
    input_tokens_details: { cached_tokens: 11 },
    output_tokens: 1035,
    output_tokens_details: { reasoning_tokens: 1024 },
  },
}

const responsesStream = namedEvents(
  { type: 'response.created', response: { id: 'resp_1', model: 'gpt-x', status: 'in_progress', usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } },
  { type: 'response.output_text.delta', delta: '北京' },
  { type: 'response.output_text.delta', delta: '🌍' },
  { type: 'response.output_text.done', text: '北京🌍' },
  { type: 'response.completed', response },
)

const geminiUsage = {
  promptTokenCount: 264,
  cachedContentTokenCount: 100,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 120,
  totalTokenCount: 404,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 6 },
    { modality: 'IMAGE', tokenCount: 258 },
  ],
}

const geminiChunks = [
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'hm 北', thought: true }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 264, totalTokenCount: 264 },
    modelVersion: 'gemini-x',
  },
  {
    candidates: [{ content: { parts: [{ text: '北京🌍 "[{]}\\' }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 264, candidatesTokenCount: 4, totalTokenCount: 268 },
  },
  { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a: [1, { b: '}' }] } } }] }, index: 0 }] },
  { candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 }], usageMetadata: geminiUsage },
]

const ollamaEnd = { model: 'gemma3:4b', done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 9 }

/** Every dialect in every framing that it is seen in. */
export const transcripts: readonly Transcript[] = [
  { name: 'chat, streamed', dialect: 'openai-chat', form: 'sse', body: chatStream },
  {
    name: 'chat',
    dialect: 'openai-chat',
    form: 'json',
    body: JSON.stringify({
      model: 'gpt-x',
      choices: [{ index: 0, message: { content: '北京🌍 é' }, finish_reason: 'stop' }],
      usage: chatUsage,
    }),
  },
  {
    name: 'completions, streamed',
    dialect: 'openai-completions',
    form: 'sse',
    body: dataEvents(
      { choices: [{ index: 0, text: '北京🌍' }] },
      { choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } },
      '[DONE]',
    ),
  },
  { name: 'responses, streamed', dialect: 'openai-responses', form: 'sse', body: responsesStream },
  { name: 'responses', dialect: 'openai-responses', form: 'json', body: JSON.stringify(response) },
  {
    name: 'embeddings',
    dialect: 'openai-embeddings',
    form: 'json',
    body: JSON.stringify({ model: 'e', data: [{ embedding: [0.1] }], usage: { prompt_tokens: 7, total_tokens: 7 } }),
  },
  { name: 'messages, streamed', dialect: 'anthropic-messages', form: 'sse', body: messagesStream },
  {
    name: 'messages',
    dialect: 'anthropic-messages',
    form: 'json',
    body: JSON.stringify({
      type: 'message',
      model: 'claude-x',
      content: [
        { type: 'text', text: '北京🌍' },
        { type: 'tool_use', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 12, output_tokens: 20 },
    }),
  },
  { name: 'Gemini, events', dialect: 'gemini-generate', form: 'sse', body: dataEvents(...geminiChunks) },
  {
    name: 'Gemini, one array',
    dialect: 'gemini-generate',
    form: 'json-array',
    body: `[${geminiChunks.map((chunk) => JSON.stringify(chunk, null, 2)).join('\n,\r\n')}\n]`,
  },
  {
    name: 'Gemini',
    dialect: 'gemini-generate',
    form: 'json',
    body: JSON.stringify({ ...geminiChunks[1], ...geminiChunks[3], usageMetadata: geminiUsage }),
  },
  {
    name: 'Gemini embeddings',
    dialect: 'gemini-embed',
    form: 'json',
    body: JSON.stringify({
      embeddings: [{ values: [0.1] }],
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    }),
  },
  {
    name: 'Ollama chat, streamed',
    dialect: 'ollama-chat',
    form: 'ndjson',
    body: jsonLines(
      { model: 'gemma3:4b', message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
      { message: { content: '北京🌍' }, done: false },
      { message: { content: '', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, done: false },
      { ...ollamaEnd, message: { content: '' } },
    ),
  },
  {
    name: 'Ollama chat',
    dialect: 'ollama-chat',
    form: 'json',
    body: JSON.stringify({ ...ollamaEnd, message: { content: '北京🌍' } }),
  },
  {
    name: 'Ollama generate, streamed',
    dialect: 'ollama-generate',
    form: 'ndjson',
    body: jsonLines({ response: '北京🌍', done: false }, { ...ollamaEnd, response: '', context: [1, 2] }),
  },
  {
    name: 'Ollama embed',
    dialect: 'ollama-embed',
    form: 'json',
    body: JSON.stringify({ model: 'e', embeddings: [[0.1]], prompt_eval_count: 7 }),
  },
]
