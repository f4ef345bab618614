import { composeAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import { numberOf, objectOf } from './json.ts'
import { chatUsage, modelOf, openaiError, openaiErrorBody, openaiHeaders, openaiPrecheck } from './openaiShared.ts'
import { chunk, epochSeconds, finishOf, frame, sse } from './reply.ts'
import type { Ask, Frame, Reply } from './reply.ts'
import { countJson, countMessages } from './tokens.ts'

/** What of a chat server differs between OpenAI and the servers that imitate it. */
export interface ChatFlavour {
  /** Name of the delta field that carries reasoning. */
  readonly reasoningField: 'reasoning_content' | 'reasoning'
  readonly reply: (ask: Ask, body: unknown) => Reply
  /** Adds OpenAI's `service_tier`, `system_fingerprint` and the detail fields of usage. */
  readonly rich: boolean
  readonly errorFrame: (message: string, type: string) => string
}

const openai: ChatFlavour = {
  reasoningField: 'reasoning_content',
  reply: (ask, body) => ({ kind: 'json', status: 200, headers: openaiHeaders(ask), body }),
  rich: true,
  errorFrame: (message, type) => sse(openaiErrorBody(message, type)),
}

/** Model names that reason and so reject `max_tokens`. */
const reasoningModel = /^(o\d|gpt-5)/

/** `POST /v1/chat/completions` of OpenAI. */
export function openaiChat(ask: Ask): Reply {
  const { body } = ask
  const refused = openaiPrecheck(ask)
  if (refused) return refused
  if (body['stream_options'] !== undefined && body['stream'] !== true) {
    return openaiError(
      ask,
      400,
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      null,
      'stream_options',
    )
  }
  const maxTokens = numberOf(body['max_tokens'])
  const maxCompletionTokens = numberOf(body['max_completion_tokens'])
  if (maxTokens !== null && maxCompletionTokens !== null) {
    return openaiError(
      ask,
      400,
      'Setting both max_tokens and max_completion_tokens is not supported.',
      'invalid_parameter',
    )
  }
  if (ask.memory.strict && maxTokens !== null && reasoningModel.test(modelOf(ask))) {
    return openaiError(
      ask,
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model.",
      'unsupported_parameter',
      'max_tokens',
    )
  }
  const inputTokens = ask.step.inputTokens ?? countMessages(body['messages']) + countJson(body['tools'])
  return chatReply(ask, composeAnswer(ask.step, maxCompletionTokens ?? maxTokens), inputTokens, openai)
}

/** The answer of a chat server, streamed or not; shared with the emulations. */
export function chatReply(ask: Ask, answer: Answer, inputTokens: number, flavour: ChatFlavour): Reply {
  const choices = flavour.rich ? Math.max(1, numberOf(ask.body['n']) ?? 1) : 1
  const base = {
    id: ask.memory.nextId('chatcmpl-'),
    created: epochSeconds(),
    model: modelOf(ask),
    ...(flavour.rich ? { service_tier: ask.step.serviceTier ?? 'default', system_fingerprint: 'fp_playing' } : {}),
  }
  const finish = finishOf(answer, ask.step, { stop: 'stop', length: 'length', tool: 'tool_calls' })
  const usage = flavour.rich
    ? chatUsage(inputTokens, answer, choices, ask.step)
    : withoutDetails(chatUsage(inputTokens, answer, choices, ask.step))
  if (ask.body['stream'] === true) {
    const { headers } = flavour.reply(ask, null)
    const frames = chatFrames({ ask, answer, base, finish, usage, choices, inputTokens, flavour })
    return {
      kind: 'stream',
      headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
      frames,
      errorFrame: flavour.errorFrame,
    }
  }
  const message = {
    role: 'assistant',
    content: answer.callsTool ? null : answer.text.join(''),
    refusal: null,
    ...(answer.thinking.length > 0 ? { [flavour.reasoningField]: answer.thinking.join('') } : {}),
    ...(answer.callsTool ? { tool_calls: toolCalls(ask, false) } : {}),
  }
  return flavour.reply(ask, {
    ...base,
    object: 'chat.completion',
    choices: Array.from({ length: choices }, (_, index) => ({ index, message, logprobs: null, finish_reason: finish })),
    usage,
  })
}

function withoutDetails(usage: object | null | undefined): object | null | undefined {
  if (!usage) return usage
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !name.endsWith('_details')))
}

function toolCalls(ask: Ask, indexed: boolean) {
  const call = ask.step.toolCall
  if (call === undefined) return []
  const id = call.id ?? ask.memory.nextId('call_')
  return [
    {
      ...(indexed ? { index: 0 } : {}),
      id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    },
  ]
}

interface ChatStream {
  readonly ask: Ask
  readonly answer: Answer
  readonly base: object
  readonly finish: string
  readonly usage: object | null | undefined
  readonly choices: number
  readonly inputTokens: number
  readonly flavour: ChatFlavour
}

function* chatFrames(stream: ChatStream): Generator<Frame> {
  const { ask, answer, flavour, step } = { ...stream, step: stream.ask.step }
  const asked = objectOf(ask.body['stream_options'])['include_usage'] === true
  const everywhere = step.usageOnEveryChunk === true
  let sent = 0
  const piece = (index: number, delta: object, finish: string | null) => {
    const usage = everywhere
      ? finish === null
        ? { prompt_tokens: stream.inputTokens, completion_tokens: sent, total_tokens: stream.inputTokens + sent }
        : null
      : null
    return sse({
      ...stream.base,
      object: 'chat.completion.chunk',
      choices: [{ index, delta, logprobs: null, finish_reason: finish }],
      ...(asked || everywhere ? { usage } : {}),
    })
  }
  for (let count = 0; count < (step.pings ?? 0); count += 1) yield frame(': keep-alive\n\n')
  for (let index = 0; index < stream.choices; index += 1) {
    yield frame(piece(index, { role: 'assistant', content: '', refusal: null }, null))
    for (const thought of answer.thinking) {
      sent += 1
      yield chunk(piece(index, { [flavour.reasoningField]: thought }, null))
    }
    for (const text of answer.text) {
      sent += 1
      yield chunk(piece(index, { content: text }, null))
    }
    if (answer.callsTool) yield chunk(piece(index, { tool_calls: toolCalls(ask, true) }, null))
    yield frame(piece(index, {}, stream.finish))
  }
  if (asked && !everywhere && stream.usage !== undefined) {
    yield frame(sse({ ...stream.base, object: 'chat.completion.chunk', choices: [], usage: stream.usage }))
  }
  yield frame('data: [DONE]\n\n')
}
