import { anthropicError, messagesReply } from './anthropic.ts'
import type { Answer } from './answer.ts'
import { listOf, numberOf } from './json.ts'
import { chatReply } from './openaiChat.ts'
import type { ChatFlavour } from './openaiChat.ts'
import { completionsReply } from './openaiCompletions.ts'
import { responsesReply } from './openaiResponses.ts'
import { openaiErrorBody } from './openaiShared.ts'
import { embeddingsReply } from './openaiSide.ts'
import { embedTokens, localAnswer } from './ollamaNative.ts'
import { renderMessages, renderPrompt, windowed } from './ollamaWindow.ts'
import type { Ask, Reply } from './reply.ts'
import { countJson } from './tokens.ts'

/**
 * Ollama's `/v1` routes. What they drop matters more than what they serve: `max_completion_tokens`, `n`, `truncate` and
 * `options` are not read at all, errors in mid-stream vanish, a Responses answer is always `completed`.
 */

const jsonType = { 'content-type': 'application/json' }

const flavour: ChatFlavour = {
  reasoningField: 'reasoning',
  rich: false,
  reply: (_ask, body) => ({ kind: 'json', status: 200, headers: jsonType, body }),
  // The adapter decodes the error as an empty delta: nothing is sent, and neither a finish chunk nor [DONE] follows.
  errorFrame: () => '',
}

function badRequest(message: string): Reply {
  return { kind: 'json', status: 400, headers: jsonType, body: openaiErrorBody(message, 'invalid_request_error') }
}

/** The request as the emulation hands it on: `options` and `truncate` do not exist here. */
function stripped(ask: Ask): Ask {
  const dropped = ['options', 'truncate']
  return { ...ask, body: Object.fromEntries(Object.entries(ask.body).filter(([name]) => !dropped.includes(name))) }
}

function generated(
  ask: Ask,
  rendered: Parameters<typeof windowed>[1],
  ceiling: number | null,
): { readonly answer: Answer; readonly promptTokens: number } | { readonly error: string } {
  const prompt = windowed(stripped(ask), rendered, countJson(ask.body['tools']))
  if (prompt.error !== null) return { error: prompt.error }
  const answer = localAnswer(ask, ceiling, prompt.seen, ask.memory.ollamaContext)
  return { answer, promptTokens: prompt.promptTokens }
}

/** `POST /v1/chat/completions`: only `max_tokens` bounds the answer. */
export function ollamaV1Chat(ask: Ask): Reply {
  if (listOf(ask.body['messages']).length === 0) return badRequest("[] is too short - 'messages'")
  const result = generated(ask, renderMessages(ask.body['messages'], true), numberOf(ask.body['max_tokens']))
  return 'error' in result ? badRequest(result.error) : chatReply(ask, result.answer, result.promptTokens, flavour)
}

/** `POST /v1/completions`: the prompt must be one text. */
export function ollamaV1Completions(ask: Ask): Reply {
  if (typeof ask.body['prompt'] !== 'string')
    return badRequest('json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string')
  const result = generated(ask, renderPrompt(ask.body['prompt'], '', undefined), numberOf(ask.body['max_tokens']))
  return 'error' in result
    ? badRequest(result.error)
    : completionsReply(ask, result.answer, result.promptTokens, 1, jsonType, true)
}

/** `POST /v1/responses`. */
export function ollamaV1Responses(ask: Ask): Reply {
  const { input, instructions } = ask.body
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  const all = [...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []), ...messages]
  const result = generated(ask, renderMessages(all, true), numberOf(ask.body['max_output_tokens']))
  return 'error' in result
    ? badRequest(result.error)
    : responsesReply(ask, result.answer, result.promptTokens, jsonType, true)
}

/** `POST /v1/messages`: `message_start` guesses the input as a quarter of the bytes. */
export function ollamaV1Messages(ask: Ask): Reply {
  const { system, messages, max_tokens: maxTokens } = ask.body
  const all = [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...listOf(messages)]
  const result = generated(ask, renderMessages(all, true), numberOf(maxTokens))
  if ('error' in result) return anthropicError(ask, 400, result.error)
  const guess = Math.floor(Buffer.byteLength(all.map((message) => JSON.stringify(message)).join('')) / 4)
  return messagesReply(ask, result.answer, result.promptTokens, jsonType, guess)
}

/** `POST /v1/embeddings`: cuts in silence, like `/api/embed`. */
export function ollamaV1Embeddings(ask: Ask): Reply {
  return embeddingsReply(ask, embedTokens(stripped(ask)) ?? 0, jsonType)
}

/** `GET /v1/models`. */
export function ollamaV1Models(_ask: Ask): Reply {
  const data = ['gemma3:4b', 'qwen3:4b'].map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'library',
  }))
  return { kind: 'json', status: 200, headers: jsonType, body: { object: 'list', data } }
}
