import { composeAnswer, overridden } from './answer.ts'
import type { Answer } from './answer.ts'
import { numberOf, textOf } from './json.ts'
import { modelOf, openaiError, openaiHeaders, openaiPrecheck } from './openaiShared.ts'
import { chunk, epochSeconds, frame, sse } from './reply.ts'
import type { Ask, Frame, Headers, Reply } from './reply.ts'
import { countContent, countJson, countTokens } from './tokens.ts'

/** Input of a Responses request: items, instructions, tools, and what an earlier response carries along. */
export function responsesInput(ask: Ask): number {
  const { input, instructions, tools, previous_response_id: previous } = ask.body
  const carried = ask.memory.responses.get(textOf(previous))?.tokens ?? 0
  const items = typeof input === 'string' ? countTokens(input) : countContent(input)
  return ask.step.inputTokens ?? items + countTokens(textOf(instructions)) + countJson(tools) + 8 + carried
}

const countFields =
  /^(?:model|input|instructions|tools|tool_choice|reasoning|text|previous_response_id|conversation|parallel_tool_calls|personality|truncation)$/

/** `POST /v1/responses/input_tokens`: the exact counter; as strict about its fields as the real one. */
export function openaiInputTokens(ask: Ask): Reply {
  const refused = openaiPrecheck(ask)
  if (refused) return refused
  const extra = Object.keys(ask.body).find((name) => !countFields.test(name))
  if (extra !== undefined) {
    return openaiError(ask, 400, `Unknown parameter: '${extra}'.`, 'unknown_parameter', extra)
  }
  const body = { object: 'response.input_tokens', input_tokens: responsesInput(ask) }
  return { kind: 'json', status: 200, headers: openaiHeaders(ask), body }
}

/** `GET` and `DELETE /v1/responses/{id}`. */
export function openaiResponseById(ask: Ask): Reply {
  const id = ask.path.split('?')[0]?.split('/').at(-1) ?? ''
  const stored = ask.memory.responses.get(id)
  if (!stored) return openaiError(ask, 404, `Response with id '${id}' not found.`)
  return { kind: 'json', status: 200, headers: openaiHeaders(ask), body: stored.body }
}

/** `POST /v1/responses` of OpenAI. */
export function openaiResponses(ask: Ask): Reply {
  const refused = openaiPrecheck(ask)
  if (refused) return refused
  const previous = textOf(ask.body['previous_response_id'])
  if (previous !== '' && !ask.memory.responses.has(previous)) {
    return openaiError(
      ask,
      400,
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
      'previous_response_id',
    )
  }
  const answer = composeAnswer(ask.step, numberOf(ask.body['max_output_tokens']))
  return responsesReply(ask, answer, responsesInput(ask), openaiHeaders(ask), false)
}

/** The answer of a Responses server. `alwaysCompleted`: Ollama's emulation says so even when the ceiling cut the answer. */
export function responsesReply(
  ask: Ask,
  answer: Answer,
  inputTokens: number,
  headers: Headers,
  alwaysCompleted: boolean,
): Reply {
  const id = ask.memory.nextId('resp_')
  const usage = overridden(
    {
      input_tokens: inputTokens,
      input_tokens_details: {
        cached_tokens: alwaysCompleted ? 0 : (ask.step.cacheReadTokens ?? 0),
        cache_write_tokens: alwaysCompleted ? 0 : (ask.step.cacheWrite5mTokens ?? 0),
      },
      output_tokens: answer.outputTokens,
      output_tokens_details: { reasoning_tokens: alwaysCompleted ? 0 : answer.reasoningTokens },
      total_tokens: inputTokens + answer.outputTokens,
    },
    ask.step,
  )
  const incomplete = answer.cut && !alwaysCompleted
  const base = {
    id,
    object: 'response',
    created_at: epochSeconds(),
    error: null,
    instructions: ask.body['instructions'] ?? null,
    max_output_tokens: ask.body['max_output_tokens'] ?? null,
    metadata: {},
    model: modelOf(ask),
    parallel_tool_calls: true,
    previous_response_id: ask.body['previous_response_id'] ?? null,
    service_tier: ask.step.serviceTier ?? 'default',
    temperature: 1,
    tool_choice: 'auto',
    tools: ask.body['tools'] ?? [],
    top_p: 1,
  }
  const final = {
    ...base,
    status: incomplete ? 'incomplete' : 'completed',
    incomplete_details: incomplete ? { reason: 'max_output_tokens' } : null,
    output: outputItems(ask, answer),
    usage,
  }
  ask.memory.responses.set(id, { tokens: inputTokens + answer.outputTokens, body: final })
  if (ask.body['stream'] !== true) return { kind: 'json', status: 200, headers, body: final }
  const begun = { ...base, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  return {
    kind: 'stream',
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    frames: responseFrames(ask, answer, begun, final),
    errorFrame: (message, type) => {
      const failed = { ...begun, status: 'failed', error: { code: type, message } }
      return sse({ type: 'response.failed', sequence_number: 999, response: failed }, 'response.failed')
    },
  }
}

interface OutputItem {
  readonly type: string
  readonly id: string
  readonly [field: string]: unknown
}

interface FinalResponse {
  readonly status: string
  readonly output: readonly OutputItem[]
}

function outputItems(ask: Ask, answer: Answer): readonly OutputItem[] {
  const items: OutputItem[] = []
  if (answer.thinking.length > 0) {
    const summary = [{ type: 'summary_text', text: answer.thinking.join('') }]
    items.push({ type: 'reasoning', id: ask.memory.nextId('rs_'), summary })
  }
  if (answer.text.length > 0) {
    const content = [{ type: 'output_text', text: answer.text.join(''), annotations: [], logprobs: [] }]
    const status = answer.cut ? 'incomplete' : 'completed'
    items.push({ type: 'message', id: ask.memory.nextId('msg_'), role: 'assistant', status, content })
  }
  const call = ask.step.toolCall
  if (answer.callsTool && call !== undefined) {
    const ids = { id: ask.memory.nextId('fc_'), call_id: call.id ?? ask.memory.nextId('call_') }
    items.push({
      type: 'function_call',
      ...ids,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
      status: 'completed',
    })
  }
  return items
}

function* responseFrames(ask: Ask, answer: Answer, begun: object, final: FinalResponse): Generator<Frame> {
  let sequence = 0
  const event = (type: string, fields: object) => sse({ type, sequence_number: sequence++, ...fields }, type)
  yield frame(event('response.created', { response: begun }))
  yield frame(event('response.in_progress', { response: begun }))
  for (let count = 0; count < (ask.step.pings ?? 0); count += 1) yield frame(': keep-alive\n\n')
  for (const [index, item] of final.output.entries()) {
    const at = { output_index: index, item_id: item.id }
    yield frame(event('response.output_item.added', { output_index: index, item: opened(item) }))
    if (item.type === 'reasoning') {
      const part = { ...at, summary_index: 0 }
      yield frame(event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } }))
      for (const delta of answer.thinking)
        yield chunk(event('response.reasoning_summary_text.delta', { ...part, delta }))
      yield frame(event('response.reasoning_summary_text.done', { ...part, text: answer.thinking.join('') }))
      yield frame(
        event('response.reasoning_summary_part.done', {
          ...part,
          part: { type: 'summary_text', text: answer.thinking.join('') },
        }),
      )
    } else if (item.type === 'message') {
      const part = { ...at, content_index: 0 }
      const text = answer.text.join('')
      yield frame(
        event('response.content_part.added', {
          ...part,
          part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
        }),
      )
      for (const delta of answer.text)
        yield chunk(event('response.output_text.delta', { ...part, delta, logprobs: [] }))
      yield frame(event('response.output_text.done', { ...part, text, logprobs: [] }))
      yield frame(
        event('response.content_part.done', {
          ...part,
          part: { type: 'output_text', text, annotations: [], logprobs: [] },
        }),
      )
    } else {
      const text = textOf(item['arguments'])
      yield chunk(event('response.function_call_arguments.delta', { ...at, delta: text }))
      yield frame(event('response.function_call_arguments.done', { ...at, name: item['name'], arguments: text }))
    }
    yield frame(event('response.output_item.done', { output_index: index, item }))
  }
  const terminal = final.status === 'completed' ? 'response.completed' : 'response.incomplete'
  yield frame(event(terminal, { response: final }))
}

/** An item as `output_item.added` shows it: begun and still empty. */
function opened(item: { readonly type: string }): object {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'reasoning') return { ...item, summary: [] }
  return { ...item, status: 'in_progress', arguments: '' }
}
