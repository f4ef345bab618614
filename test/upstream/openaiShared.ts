import type { Answer } from './answer.ts'
import { overridden } from './answer.ts'
import { textOf } from './json.ts'
import type { Ask, Headers, Reply } from './reply.ts'
import type { Step } from './step.ts'

/** Headers that OpenAI sends with every answer. */
export function openaiHeaders(ask: Ask): Headers {
  return {
    'x-request-id': ask.memory.nextId('req_'),
    'openai-organization': 'playing-org',
    'openai-processing-ms': '12',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '2000000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-remaining-tokens': '1999000',
    'x-ratelimit-reset-requests': '6ms',
    'x-ratelimit-reset-tokens': '30ms',
  }
}

/** OpenAI's error object. */
export function openaiErrorBody(
  message: string,
  type: string,
  code: string | null = null,
  param: string | null = null,
) {
  return { error: { message, type, param, code } }
}

/** An OpenAI error answer. */
export function openaiError(
  ask: Ask,
  status: number,
  message: string,
  code: string | null = null,
  param: string | null = null,
): Reply {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error'
  return { kind: 'json', status, headers: openaiHeaders(ask), body: openaiErrorBody(message, type, code, param) }
}

/** The refusals that the real service makes before it looks at the content; null where there is nothing to refuse. */
export function openaiPrecheck(ask: Ask): Reply | null {
  const authorization = textOf(ask.headers['authorization'])
  if (ask.memory.strict && !/^Bearer \S+/.test(authorization)) {
    return openaiError(ask, 401, "You didn't provide an API key.", 'invalid_api_key')
  }
  if (textOf(ask.body['model']) === '') return openaiError(ask, 400, 'you must provide a model parameter')
  return null
}

/** OpenAI's chat usage. `prompt_tokens` includes what came from the cache, `completion_tokens` the reasoning. */
export function chatUsage(inputTokens: number, answer: Answer, choices: number, step: Step) {
  const completion = answer.outputTokens * choices
  const reasoning = answer.reasoningTokens * choices
  return overridden(
    {
      prompt_tokens: inputTokens,
      completion_tokens: completion,
      total_tokens: inputTokens + completion,
      prompt_tokens_details: {
        cached_tokens: step.cacheReadTokens ?? 0,
        cache_write_tokens: step.cacheWrite5mTokens ?? 0,
        audio_tokens: 0,
      },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    step,
  )
}

/** The model's dated name, as OpenAI answers an alias with its snapshot only where the request named one. */
export function modelOf(ask: Ask): string {
  return textOf(ask.body['model'])
}
