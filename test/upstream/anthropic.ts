import { composeAnswer, overridden } from './answer.ts'
import type { Answer } from './answer.ts'
import { numberOf, objectOf, textOf } from './json.ts'
import { modelOf } from './openaiShared.ts'
import { chunk, finishOf, frame, sse } from './reply.ts'
import type { Ask, Frame, Headers, Reply } from './reply.ts'
import { countContent, countJson, countMessages } from './tokens.ts'

/** Headers that Anthropic sends with every answer. */
function anthropicHeaders(ask: Ask): Headers {
  return {
    'request-id': ask.memory.nextId('req_'),
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    'anthropic-ratelimit-requests-limit': '4000',
    'anthropic-ratelimit-requests-remaining': '3999',
    'anthropic-ratelimit-requests-reset': '2030-01-01T00:00:00Z',
    'anthropic-ratelimit-tokens-limit': '400000',
    'anthropic-ratelimit-tokens-remaining': '399000',
    'anthropic-ratelimit-tokens-reset': '2030-01-01T00:00:00Z',
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** An Anthropic error answer. */
export function anthropicError(ask: Ask, status: number, message: string): Reply {
  const headers = anthropicHeaders(ask)
  const type = errorTypes[status] ?? 'api_error'
  return {
    kind: 'json',
    status,
    headers,
    body: { type: 'error', error: { type, message }, request_id: headers['request-id'] },
  }
}

function precheck(ask: Ask): Reply | null {
  if (ask.memory.strict) {
    const key = textOf(ask.headers['x-api-key']) || textOf(ask.headers['authorization'])
    if (key === '') return anthropicError(ask, 401, 'x-api-key header is required')
    if (ask.headers['anthropic-version'] === undefined)
      return anthropicError(ask, 400, 'anthropic-version: header is required')
  }
  return modelOf(ask) === '' ? anthropicError(ask, 400, 'model: Field required') : null
}

/** Input by the model's own count: system, messages, tools and the hidden prompt that tools bring along. */
function countInput(ask: Ask): number {
  const { system, messages, tools } = ask.body
  const toolTokens = countJson(tools)
  return (
    ask.step.inputTokens ?? countMessages(messages) + countContent(system) + (toolTokens === 0 ? 0 : toolTokens + 340)
  )
}

const countFields = /^(?:model|messages|system|tools|tool_choice|thinking|output_config|cache_control|speed)$/
const betaCountFields = /^(?:context_management|output_format|mcp_servers|compaction)$/

/** `POST /v1/messages/count_tokens`; as strict about its fields as the real one. */
export function anthropicCount(ask: Ask): Reply {
  const refused = precheck(ask)
  if (refused) return refused
  const beta = ask.headers['anthropic-beta'] !== undefined
  const extra = Object.keys(ask.body).find((name) => !countFields.test(name) && !(beta && betaCountFields.test(name)))
  if (extra !== undefined) return anthropicError(ask, 400, `${extra}: Extra inputs are not permitted`)
  return { kind: 'json', status: 200, headers: anthropicHeaders(ask), body: { input_tokens: countInput(ask) } }
}

/** `GET /v1/models` and `/v1/models/{id}`. */
export function anthropicModels(ask: Ask): Reply {
  const models = ['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-5'].map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-01-01T00:00:00Z',
  }))
  const name = ask.path.split('?')[0]?.split('/models/')[1]
  const list = { data: models, has_more: false, first_id: models[0]?.id, last_id: models.at(-1)?.id }
  return {
    kind: 'json',
    status: 200,
    headers: anthropicHeaders(ask),
    body: name === undefined ? list : { ...models[0], id: name },
  }
}

/** `POST /v1/messages` of Anthropic. */
export function anthropicMessages(ask: Ask): Reply {
  const refused = precheck(ask)
  if (refused) return refused
  const maxTokens = numberOf(ask.body['max_tokens'])
  if (maxTokens === null) return anthropicError(ask, 400, 'max_tokens: Field required')
  const thinkingBudget = numberOf(objectOf(ask.body['thinking'])['budget_tokens'])
  if (thinkingBudget !== null && thinkingBudget >= maxTokens) {
    return anthropicError(ask, 400, '`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  return messagesReply(ask, composeAnswer(ask.step, maxTokens), countInput(ask), anthropicHeaders(ask), null)
}

/**
 * The answer of a Messages server. `startInputGuess`: what `message_start` says where it is only a guess (Ollama's
 * emulation); null where it is the true number.
 */
export function messagesReply(
  ask: Ask,
  answer: Answer,
  inputTokens: number,
  headers: Headers,
  startInputGuess: number | null,
): Reply {
  const { step } = ask
  const emulated = startInputGuess !== null
  const written = (step.cacheWrite5mTokens ?? 0) + (step.cacheWrite1hTokens ?? 0)
  const input = emulated
    ? { input_tokens: inputTokens }
    : {
        input_tokens: Math.max(0, inputTokens - written - (step.cacheReadTokens ?? 0)),
        cache_creation_input_tokens: written,
        cache_read_input_tokens: step.cacheReadTokens ?? 0,
      }
  const split = {
    cache_creation: {
      ephemeral_5m_input_tokens: step.cacheWrite5mTokens ?? 0,
      ephemeral_1h_input_tokens: step.cacheWrite1hTokens ?? 0,
    },
    service_tier: step.serviceTier ?? 'standard',
  }
  const used = {
    ...input,
    output_tokens: answer.outputTokens,
    ...(answer.reasoningTokens > 0 && !emulated
      ? { output_tokens_details: { thinking_tokens: answer.reasoningTokens } }
      : {}),
    ...(step.webSearches === undefined ? {} : { server_tool_use: { web_search_requests: step.webSearches } }),
  }
  const stopReason = finishOf(answer, step, { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use' })
  const message = { id: ask.memory.nextId('msg_'), type: 'message', role: 'assistant', model: modelOf(ask) }
  if (ask.body['stream'] !== true) {
    const usage = overridden(emulated ? used : { ...used, ...split }, step)
    const body = { ...message, content: blocksOf(ask, answer), stop_reason: stopReason, stop_sequence: null, usage }
    return { kind: 'json', status: 200, headers, body }
  }
  const startUsage = {
    ...(emulated ? { input_tokens: startInputGuess } : { ...input, ...split }),
    output_tokens: emulated ? 0 : 1,
  }
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null }
  const usages = {
    start: step.usage === 'zeros' ? overridden(startUsage, step) : startUsage,
    delta: overridden(used, step),
  }
  return {
    kind: 'stream',
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    frames: messageFrames(ask, answer, { ...start, usage: usages.start }, stopReason, usages.delta),
    errorFrame: (text, type) => sse({ type: 'error', error: { type, message: text } }, 'error'),
  }
}

function blocksOf(ask: Ask, answer: Answer): readonly object[] {
  const blocks: object[] = []
  if (answer.thinking.length > 0)
    blocks.push({ type: 'thinking', thinking: answer.thinking.join(''), signature: 'playing' })
  if (answer.text.length > 0) blocks.push({ type: 'text', text: answer.text.join('') })
  const call = ask.step.toolCall
  if (answer.callsTool && call !== undefined) {
    blocks.push({
      type: 'tool_use',
      id: call.id ?? ask.memory.nextId('toolu_'),
      name: call.name,
      input: call.arguments,
    })
  }
  return blocks
}

function* messageFrames(
  ask: Ask,
  answer: Answer,
  start: object,
  stopReason: string,
  usage: object | null | undefined,
): Generator<Frame> {
  const event = (type: string, fields: object) => sse({ type, ...fields }, type)
  yield frame(event('message_start', { message: start }))
  let index = 0
  const block = function* (opened: object, deltas: readonly object[]): Generator<Frame> {
    yield frame(event('content_block_start', { index, content_block: opened }))
    if (index === 0) for (let count = 0; count < (ask.step.pings ?? 1); count += 1) yield frame(event('ping', {}))
    for (const delta of deltas) yield chunk(event('content_block_delta', { index, delta }))
    yield frame(event('content_block_stop', { index }))
    index += 1
  }
  if (answer.thinking.length > 0) {
    const deltas = answer.thinking.map((thinking) => ({ type: 'thinking_delta', thinking }))
    yield* block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas,
      { type: 'signature_delta', signature: 'playing' },
    ])
  }
  if (answer.text.length > 0) {
    yield* block(
      { type: 'text', text: '' },
      answer.text.map((text) => ({ type: 'text_delta', text })),
    )
  }
  const call = ask.step.toolCall
  if (answer.callsTool && call !== undefined) {
    const opened = { type: 'tool_use', id: call.id ?? ask.memory.nextId('toolu_'), name: call.name, input: {} }
    yield* block(opened, [{ type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) }])
  }
  const delta = { stop_reason: stopReason, stop_sequence: null }
  yield frame(event('message_delta', { delta, ...(usage === undefined ? {} : { usage }) }))
  yield frame(event('message_stop', {}))
}
