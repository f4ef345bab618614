import assert from 'node:assert/strict'
import type { DialectName } from '../../../daemon/call.ts'
import type { AnswerForm } from '../../../daemon/dialects/dialect.ts'
import { dialectByName } from '../../../daemon/dialects/registry.ts'
import type { RefusalCode } from '../../../shared/codes.ts'
import { refusalFields } from '../../../daemon/dialects/refusalShape.ts'
import { budgetRefusal, readAnswer } from './builders.ts'

const { message, ...figures } = budgetRefusal
const openai: readonly DialectName[] = ['openai-chat', 'openai-completions', 'openai-responses', 'openai-embeddings']
const gemini: readonly DialectName[] = ['gemini-generate', 'gemini-embed']
const ollama: readonly DialectName[] = ['ollama-chat', 'ollama-generate', 'ollama-embed']

describe('the body of a refusal', () => {
  for (const name of openai) {
    it(`A16, A17: ${name} has OpenAI’s shape with the figures in it`, () => {
      assert.deepEqual(dialectByName(name).refusalBody(budgetRefusal, 429, 'call-1'), {
        error: { message, type: 'tollgate_refusal', param: null, code: 'budget_exhausted', tollgate: figures },
      })
    })
  }
  it('A16, A17: messages have Anthropic’s shape, with the sentence on top for its SDK', () => {
    assert.deepEqual(dialectByName('anthropic-messages').refusalBody(budgetRefusal, 429, 'call-1'), {
      type: 'error',
      error: { type: 'rate_limit_error', message, details: { error_code: 'budget_exhausted' }, tollgate: figures },
      request_id: 'call-1',
      message,
    })
  })
  for (const name of ollama) {
    it(`A16, A17: ${name} has Ollama’s shape, a plain string`, () => {
      assert.deepEqual(dialectByName(name).refusalBody(budgetRefusal, 429, 'call-1'), {
        error: message,
        tollgate: figures,
      })
    })
  }
  for (const name of gemini) {
    it(`A16, A17: ${name} has Google’s shape, with the code as its reason`, () => {
      assert.deepEqual(dialectByName(name).refusalBody(budgetRefusal, 429, 'call-1'), {
        error: {
          code: 429,
          message,
          status: 'RESOURCE_EXHAUSTED',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'BUDGET_EXHAUSTED',
              domain: 'tollgate.local',
            },
          ],
          tollgate: figures,
        },
      })
    })
  }
  it('gives Google’s error a status that fits', () => {
    const statusOf = (status: number, code: RefusalCode): unknown =>
      (dialectByName('gemini-generate').refusalBody({ code, message }, status, 'c')['error'] as { status: string })
        .status
    assert.equal(statusOf(400, 'budget_exhausted'), 'FAILED_PRECONDITION')
    const expected = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      403: 'PERMISSION_DENIED',
      408: 'DEADLINE_EXCEEDED',
      413: 'INVALID_ARGUMENT',
      422: 'INVALID_ARGUMENT',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
      502: 'UNAVAILABLE',
      503: 'UNAVAILABLE',
      504: 'DEADLINE_EXCEEDED',
    }
    for (const [status, word] of Object.entries(expected)) {
      assert.equal(statusOf(Number(status), 'invalid_request'), word, status)
    }
  })
  it('leaves out what does not apply, but never the list of other guards', () => {
    assert.deepEqual(refusalFields({ code: 'killed', message: 'The kill switch is on.' }), { code: 'killed', also: [] })
  })
  it('gives Anthropic’s error a class that fits the status', () => {
    const classOf = (status: number): unknown =>
      (dialectByName('anthropic-messages').refusalBody(budgetRefusal, status, 'c')['error'] as { type: string }).type
    const expected = {
      400: 'invalid_request_error',
      401: 'authentication_error',
      403: 'permission_error',
      408: 'timeout_error',
      413: 'request_too_large',
      415: 'invalid_request_error',
      422: 'invalid_request_error',
      429: 'rate_limit_error',
      502: 'api_error',
      503: 'api_error',
      504: 'timeout_error',
    }
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((status) => [status, classOf(Number(status))])),
      expected,
    )
  })
})

describe('the last event of an answer that is stopped', () => {
  const last = (name: DialectName, form: AnswerForm = 'sse'): string =>
    dialectByName(name).terminalError(budgetRefusal, form, 'call-1')
  const dataOf = (event: string): unknown => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')

  it('F09: of a chat is an error and no [DONE]', () => {
    for (const name of ['openai-chat', 'openai-completions'] as const) {
      assert.match(last(name), /^data: \{"error":.*\}\n\n$/)
      assert.deepEqual(dataOf(last(name)), {
        error: { message, type: 'tollgate_refusal', param: null, code: 'budget_exhausted', tollgate: figures },
      })
    }
  })
  it('F09: of messages is an error event and no message_stop', () => {
    assert.match(last('anthropic-messages'), /^event: error\ndata: \{.*\}\n\n$/)
    const { error } = dataOf(last('anthropic-messages')) as { error: { type: string; message: string } }
    assert.deepEqual([error.type, error.message], ['invalid_request_error', message])
  })
  it('F09: of Responses is a failure with the one code that is final for its clients', () => {
    assert.match(last('openai-responses'), /^event: response\.failed\ndata: \{.*\}\n\n$/)
    const data = dataOf(last('openai-responses')) as {
      type: string
      sequence_number: number
      response: { status: string; error: { code: string; message: string } }
    }
    assert.deepEqual(
      [data.type, typeof data.sequence_number, data.response.status],
      ['response.failed', 'number', 'failed'],
    )
    assert.deepEqual([data.response.error.code, data.response.error.message], ['insufficient_quota', message])
  })
  it('F09: of Ollama is an error line and no done', () => {
    for (const name of ['ollama-chat', 'ollama-generate'] as const) {
      assert.match(last(name, 'ndjson'), /^\{.*\}\n$/)
      assert.deepEqual(JSON.parse(last(name, 'ndjson')), { error: message, tollgate: figures })
    }
  })
  it('F09: of Gemini is an error with a code that its SDK throws for, as an event and as the last element of an array', () => {
    assert.match(last('gemini-generate'), /^data: \{.*\}\n\n$/)
    const { error } = dataOf(last('gemini-generate')) as { error: { code: number; status: string; message: string } }
    assert.deepEqual([error.code, error.status, error.message], [400, 'FAILED_PRECONDITION', message])
    assert.deepEqual(JSON.parse(`[${last('gemini-generate', 'json-array')}`), [{ error }])
  })
  it('F09: is never taken for a clean end by our own readers', () => {
    const streams: readonly (readonly [DialectName, AnswerForm])[] = [
      ['gemini-generate', 'sse'],
      ['openai-chat', 'sse'],
      ['openai-completions', 'sse'],
      ['anthropic-messages', 'sse'],
      ['ollama-chat', 'ndjson'],
      ['ollama-generate', 'ndjson'],
    ]
    for (const [name, form] of streams) {
      const facts = readAnswer(name, form, last(name, form))
      assert.deepEqual([facts.terminal, typeof facts.streamError], [false, 'string'], name)
    }
    assert.equal(readAnswer('openai-responses', 'sse', last('openai-responses')).streamError, 'insufficient_quota')
  })
  it('does not exist inside a single document, where nothing well-formed can follow', () => {
    for (const name of [...openai, ...ollama, ...gemini, 'anthropic-messages'] as const)
      assert.equal(last(name, 'json'), '')
  })
  it('cannot be broken out of by the text of a message', () => {
    const hostile = dialectByName('openai-chat').terminalError(
      { code: 'killed', message: 'a\n\ndata: [DONE]\n\n' },
      'sse',
      'c',
    )
    assert.equal(hostile.trimEnd().split('\n').length, 1)
  })
})
