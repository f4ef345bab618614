import { composeAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import { listOf, numberOf, objectOf } from './json.ts'
import { chatUsage, modelOf, openaiErrorBody, openaiHeaders, openaiPrecheck } from './openaiShared.ts'
import { chunk, epochSeconds, finishOf, frame, sse } from './reply.ts'
import type { Ask, Frame, Headers, Reply } from './reply.ts'
import { countTokens } from './tokens.ts'

/** Tokens of a `prompt` or an embeddings `input`: text, several texts, token ids, several lists of ids. */
export function countPrompt(prompt: unknown): number {
  if (typeof prompt === 'string') return countTokens(prompt)
  let tokens = 0
  for (const part of listOf(prompt)) {
    if (typeof part === 'number') tokens += 1
    else if (typeof part === 'string') tokens += countTokens(part)
    else tokens += listOf(part).length
  }
  return tokens
}

/** `POST /v1/completions` of OpenAI: without `max_tokens` it writes 16 tokens. */
export function openaiCompletions(ask: Ask): Reply {
  const refused = openaiPrecheck(ask)
  if (refused) return refused
  const { body, step } = ask
  const choices = Math.max(1, numberOf(body['n']) ?? 1, numberOf(body['best_of']) ?? 1)
  const answer = composeAnswer(step, numberOf(body['max_tokens']) ?? 16)
  return completionsReply(
    ask,
    answer,
    step.inputTokens ?? countPrompt(body['prompt']),
    choices,
    openaiHeaders(ask),
    false,
  )
}

/**
 * The answer of a completions server. `zeroedUsage`: Ollama's emulation sends an all-zero usage object on every chunk when
 * usage was asked for; only the last one, without choices, is real.
 */
export function completionsReply(
  ask: Ask,
  answer: Answer,
  inputTokens: number,
  choices: number,
  headers: Headers,
  zeroedUsage: boolean,
): Reply {
  const base = {
    id: ask.memory.nextId('cmpl-'),
    object: 'text_completion',
    created: epochSeconds(),
    model: modelOf(ask),
  }
  const finish = finishOf(answer, ask.step, { stop: 'stop', length: 'length', tool: 'stop' })
  const usage = chatUsage(inputTokens, answer, choices, ask.step)
  if (ask.body['stream'] !== true) {
    const text = answer.text.join('')
    const list = Array.from({ length: choices }, (_, index) => ({ index, text, logprobs: null, finish_reason: finish }))
    return { kind: 'json', status: 200, headers, body: { ...base, choices: list, usage } }
  }
  return {
    kind: 'stream',
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    frames: completionFrames(ask, answer, base, finish, usage, zeroedUsage),
    errorFrame: (message, type) => sse(openaiErrorBody(message, type)),
  }
}

function* completionFrames(
  ask: Ask,
  answer: Answer,
  base: object,
  finish: string,
  usage: object | null | undefined,
  zeroedUsage: boolean,
): Generator<Frame> {
  const asked = objectOf(ask.body['stream_options'])['include_usage'] === true
  const between = zeroedUsage ? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } : null
  const piece = (text: string, reason: string | null) =>
    sse({
      ...base,
      choices: [{ index: 0, text, logprobs: null, finish_reason: reason }],
      ...(asked ? { usage: between } : {}),
    })
  for (const text of answer.text) yield chunk(piece(text, null))
  yield frame(piece('', finish))
  if (asked && usage !== undefined) yield frame(sse({ ...base, choices: [], usage }))
  yield frame('data: [DONE]\n\n')
}
