import assert from 'node:assert/strict'
import type { AnswerFacts } from '../../../daemon/dialects/dialect.ts'
import { noUsage } from '../../../shared/usage.ts'
import { dataEvents, describeRequest, namedEvents, readAnswer } from './builders.ts'

function readChat(...chunks: readonly unknown[]): AnswerFacts {
  return readAnswer('openai-chat', 'sse', dataEvents(...chunks))
}
const delta = (content: string, more: object = {}): object => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
})
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

describe('usage of OpenAI’s dialects', () => {
  it('B01, D02: reads the last chunk into buckets that do not overlap', () => {
    const facts = readChat(
      delta('Hi'),
      stop,
      {
        choices: [],
        usage: {
          prompt_tokens: 20212,
          prompt_tokens_details: { cached_tokens: 16298, cache_write_tokens: 14, audio_tokens: 3 },
          completion_tokens: 931,
          completion_tokens_details: { reasoning_tokens: 31, audio_tokens: 2 },
        },
      },
      '[DONE]',
    )
    assert.deepEqual(facts.usage, {
      ...noUsage,
      input: 3900,
      cacheRead: 16298,
      cacheWrite5m: 14,
      output: 931,
      reasoning: 31,
      audioInput: 3,
      audioOutput: 2,
    })
    assert.deepEqual([facts.inputKnown, facts.outputKnown, facts.terminal, facts.finish], [true, true, true, 'stop'])
  })
  it('B02: reads chunks whose choices are null, missing or empty', () => {
    const facts = readChat(
      { choices: null },
      {},
      { choices: [] },
      { choices: [], prompt_filter_results: [{}] },
      { choices: [null, 7, {}] },
      delta('Hi'),
      stop,
      { choices: null, usage: { prompt_tokens: 9, completion_tokens: 2 } },
      '[DONE]',
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 9, output: 2 })
    assert.equal(facts.visibleChars, 2)
  })
  it('B03: takes the maximum of cumulative blocks, never their sum, and ignores null', () => {
    const chunks = Array.from({ length: 16 }, (_, index) =>
      delta('x', { usage: { prompt_tokens: 48, completion_tokens: index + 1 } }),
    )
    const facts = readChat(...chunks, { ...stop, usage: null }, '[DONE]')
    assert.deepEqual(facts.usage, { ...noUsage, input: 48, output: 16 })
  })
  it('B04: usage that is null everywhere is unknown', () => {
    const facts = readChat(delta('Hi', { usage: null }), { ...stop, usage: null }, '[DONE]')
    assert.deepEqual([facts.usage, facts.inputKnown, facts.outputKnown], [null, false, false])
  })
  it('B04: all zeros behind delivered text are unknown', () => {
    const facts = readChat(
      delta('x'.repeat(400)),
      stop,
      { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
      '[DONE]',
    )
    assert.deepEqual([facts.inputKnown, facts.outputKnown, facts.deliveredChars], [false, false, 400])
  })
  it('B04: zeroed blocks before the real one do no harm', () => {
    const facts = readAnswer(
      'openai-completions',
      'sse',
      dataEvents(
        { choices: [{ text: 'Hi' }], usage: { prompt_tokens: 0, completion_tokens: 0 } },
        { choices: [{ text: '', finish_reason: 'stop' }] },
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
        '[DONE]',
      ),
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 9, output: 2 })
  })
  it('an answer of no tokens is known to be one', () => {
    const facts = readChat(stop, { choices: [], usage: { prompt_tokens: 9, completion_tokens: 0 } }, '[DONE]')
    assert.deepEqual([facts.inputKnown, facts.outputKnown], [true, true])
  })
  it('reads the places and names of vendors behind a server that nobody knows', () => {
    const facts = describeRequest(
      'openai-chat',
      { model: 'm', messages: [] },
      { upstreamName: 'gateway', upstreamBaseUrl: 'https://llm.example/v1' },
    ).facts
    const read = (...chunks: readonly unknown[]): unknown =>
      readAnswer('openai-chat', 'sse', dataEvents(...chunks), facts).usage
    assert.deepEqual(
      read(delta('Hi'), { ...stop, x_groq: { usage: { prompt_tokens: 9, completion_tokens: 2 } } }, '[DONE]'),
      { ...noUsage, input: 9, output: 2 },
    )
    assert.deepEqual(
      read({
        ...stop,
        usage: { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 },
      }),
      { ...noUsage, input: 5, cacheRead: 4, output: 2 },
    )
    assert.deepEqual(read(delta('Hi'), { ...stop, timings: { prompt_n: 3, cache_n: 6, predicted_n: 2 } }, '[DONE]'), {
      ...noUsage,
      input: 3,
      cacheRead: 6,
      output: 2,
    })
  })
  it('D12: counts reasoning once, and adds it only where the total proves that it was left out', () => {
    const usage = (total: number): object => ({
      prompt_tokens: 10,
      completion_tokens: 28,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: 18 },
    })
    assert.equal(readChat({ ...stop, usage: usage(38) }).usage?.output, 28)
    assert.equal(readChat({ ...stop, usage: usage(56) }).usage?.output, 46)
    assert.equal(readChat({ ...stop, usage: usage(57) }).usage?.output, 28)
  })
  it('ignores figures that are none', () => {
    assert.equal(readChat({ ...stop, usage: { prompt_tokens: -4, completion_tokens: 'many' } }).usage, null)
    assert.equal(readChat({ ...stop, usage: [] }).usage, null)
  })
})

describe('text of OpenAI’s dialects', () => {
  it('tells visible text from reasoning, in all spellings of it', () => {
    const say = (said: object): object => ({ choices: [{ index: 0, delta: said }] })
    const facts = readChat(
      say({ reasoning_content: 'aa' }),
      say({ reasoning: 'bb' }),
      say({ thinking: 'cc' }),
      say({ content: 'dd' }),
      say({ refusal: 'ee' }),
      say({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'ff' }] },
          { type: 'text', text: 'gg' },
        ],
      }),
    )
    assert.deepEqual([facts.visibleChars, facts.deliveredChars], [6, 14])
  })
  it('counts tool calls once, however many pieces they come in', () => {
    const call = (index: number, args: string): object => ({
      choices: [
        { index: 0, delta: { tool_calls: [{ index, id: `t${index}`, function: { name: 'f', arguments: args } }] } },
      ],
    })
    assert.equal(readChat(call(0, '{'), call(0, '}'), call(1, '{}')).toolCalls, 2)
    const document = {
      choices: [
        {
          message: {
            tool_calls: [
              { id: 'a', function: { name: 'f', arguments: '{}' } },
              { id: 'b', function: { name: 'f', arguments: '{}' } },
            ],
          },
        },
      ],
    }
    assert.equal(readAnswer('openai-chat', 'json', JSON.stringify(document)).toolCalls, 2)
  })
  it('does not count the padding that OpenAI adds', () =>
    assert.equal(readChat(delta('Hi', { obfuscation: 'x'.repeat(50) })).deliveredChars, 2))
  it('D10: notes the search of a chat that asked for one', () => {
    const { facts } = describeRequest('openai-chat', { model: 'm', messages: [], web_search_options: {} })
    const read = readAnswer(
      'openai-chat',
      'sse',
      dataEvents(delta('Hi'), { ...stop, usage: { prompt_tokens: 9, completion_tokens: 2 } }),
      facts,
    )
    assert.deepEqual(read.usage, { ...noUsage, input: 9, output: 2, webSearches: 1 })
  })
})

describe('the end of a stream in OpenAI’s dialects', () => {
  it('F06: is clean with [DONE]', () => assert.equal(readChat(delta('Hi'), '[DONE]').terminal, true))
  it('F06: is clean without it where every choice has finished', () =>
    assert.equal(readChat(delta('Hi'), stop).terminal, true))
  it('F06: stays clean where a finished choice is named once more', () =>
    assert.equal(readChat(delta('Hi'), stop, delta('')).terminal, true))
  it('F06: is not clean where a choice is still open, or none has begun', () => {
    assert.equal(readChat(delta('Hi')).terminal, false)
    assert.equal(readChat().terminal, false)
    const first = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }
    const second = { choices: [{ index: 1, delta: { content: 'b' } }] }
    assert.equal(readChat(first, second).terminal, false)
    assert.equal(readChat(first, second, { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }).terminal, true)
  })
  it('F06: a document that was cut is not clean', () => {
    assert.equal(readAnswer('openai-chat', 'json', '{"choices":[{"mess').terminal, false)
  })
  it('F07: notes the class of an error after the deltas, and nothing of its text', () => {
    const facts = readChat(delta('a'), delta('b'), { error: { message: 'prompt text', code: 500 } })
    assert.deepEqual([facts.streamError, facts.terminal, facts.visibleChars], ['500', false, 2])
    assert.equal(readChat({ error: { message: 'm', type: 'server_error', code: null } }).streamError, 'server_error')
    assert.equal(readChat({ error: 'a sentence that may quote the prompt' }).streamError, 'error')
    assert.equal(readChat({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }).streamError, 'error')
    assert.equal(readChat({ error: null, choices: [] }).streamError, null)
  })
  it('B10: Responses end with completed, incomplete and failed alike', () => {
    const read = (type: string, response: object): AnswerFacts =>
      readAnswer(
        'openai-responses',
        'sse',
        namedEvents({ type: 'response.created', response: { id: 'r1', model: 'm' } }, { type, response }),
      )
    const incomplete = read('response.incomplete', {
      id: 'r1',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 900, output_tokens: 4096 },
    })
    assert.deepEqual(
      [incomplete.terminal, incomplete.finish, incomplete.usage, incomplete.responseId],
      [true, 'max_output_tokens', { ...noUsage, input: 900, output: 4096 }, 'r1'],
    )
    const failed = read('response.failed', {
      id: 'r1',
      status: 'failed',
      error: { code: 'server_error', message: 'm' },
      usage: null,
    })
    assert.deepEqual(
      [failed.terminal, failed.streamError, failed.usage, failed.inputKnown],
      [true, 'server_error', null, false],
    )
  })
  it('F06, F07: Responses that stop or break off have no clean end', () => {
    const cut = readAnswer(
      'openai-responses',
      'sse',
      namedEvents(
        { type: 'response.created', response: { id: 'r1' } },
        { type: 'response.output_text.delta', delta: 'Hi' },
      ),
    )
    assert.deepEqual([cut.terminal, cut.visibleChars, cut.usage], [false, 2, null])
    const broken = readAnswer(
      'openai-responses',
      'sse',
      namedEvents({ type: 'error', code: 'rate_limit_exceeded', message: 'm' }),
    )
    assert.deepEqual([broken.terminal, broken.streamError], [false, 'rate_limit_exceeded'])
  })
})

describe('Responses', () => {
  it('D10: counts searches by their output items', () => {
    const search = { type: 'web_search_call', id: 'w' }
    const response = {
      status: 'completed',
      output: [search, search, { type: 'function_call', name: 'f', arguments: '{}' }],
      usage: { input_tokens: 5, output_tokens: 6 },
    }
    const facts = readAnswer('openai-responses', 'json', JSON.stringify(response))
    assert.deepEqual([facts.usage?.webSearches, facts.toolCalls, facts.finish], [2, 1, 'completed'])
    const item = { type: 'response.output_item.done', item: search }
    assert.equal(
      readAnswer('openai-responses', 'sse', namedEvents(item, item, { type: 'response.completed', response })).usage
        ?.webSearches,
      2,
    )
  })
  it('D10: charges searches and not the pages that were opened, files by the search, code by the container', () => {
    const output = [
      { type: 'web_search_call', action: { type: 'search' } },
      { type: 'web_search_call', action: { type: 'open_page' } },
      { type: 'file_search_call' },
      { type: 'code_interpreter_call', container_id: 'c1' },
      { type: 'code_interpreter_call', container_id: 'c1' },
      { type: 'code_interpreter_call', container_id: 'c2' },
    ]
    const response = { status: 'completed', output, usage: { input_tokens: 5, output_tokens: 6 } }
    const used = { ...noUsage, input: 5, output: 6, webSearches: 1, fileSearches: 1, codeContainers: 2 }
    assert.deepEqual(readAnswer('openai-responses', 'json', JSON.stringify(response)).usage, used)
    const items = output.map((item) => ({ type: 'response.output_item.done', item }))
    const whole = { type: 'response.completed', response: { ...response, output: [] } }
    assert.deepEqual(readAnswer('openai-responses', 'sse', namedEvents(...items, whole)).usage, used)
  })
  it('D10: knows the tools of a stream that was cut before its usage', () => {
    const item = { type: 'response.output_item.done', item: { type: 'file_search_call' } }
    assert.equal(readAnswer('openai-responses', 'sse', namedEvents(item)).usage?.fileSearches, 1)
  })
  it('reads streams whose events have no name', () => {
    const facts = readAnswer(
      'openai-responses',
      'sse',
      dataEvents(
        { type: 'response.output_text.delta', delta: 'Hi' },
        { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 5, output_tokens: 6 } } },
      ),
    )
    assert.deepEqual([facts.visibleChars, facts.terminal, facts.usage?.output], [2, true, 6])
  })
  it('tells text from reasoning and arguments', () => {
    const facts = readAnswer(
      'openai-responses',
      'sse',
      namedEvents(
        { type: 'response.reasoning_summary_text.delta', delta: 'hmm' },
        { type: 'response.function_call_arguments.delta', delta: '{}' },
        { type: 'response.output_text.delta', delta: 'Hi' },
        { type: 'response.output_audio.delta', delta: 'AAAA' },
      ),
    )
    assert.deepEqual([facts.visibleChars, facts.deliveredChars], [2, 7])
  })
})

describe('answers that are too large to keep', () => {
  it('read the usage behind twenty million characters of one document', () => {
    const text = 'x'.repeat(1_000_000)
    const reader = [
      '{"choices":[{"message":{"content":"',
      ...Array.from({ length: 20 }, () => text),
      '"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"note":"}"}}',
    ]
    const facts = readAnswer('openai-chat', 'json', reader.join(''))
    assert.deepEqual([facts.usage, facts.finish, facts.terminal], [{ ...noUsage, input: 9, output: 2 }, 'length', true])
  })
  it('read the usage of embeddings without their vectors', () => {
    const vectors = Array.from({ length: 300 }, () => ({ embedding: Array.from({ length: 500 }, () => 0.123456) }))
    const facts = readAnswer(
      'openai-embeddings',
      'json',
      JSON.stringify({ data: vectors, model: 'e', usage: { prompt_tokens: 77, total_tokens: 77 } }),
    )
    assert.deepEqual(
      [facts.usage?.input, facts.model, facts.inputKnown, facts.outputKnown, facts.terminal],
      [77, 'e', true, true, true],
    )
  })
  it('read the usage at the end of one enormous event, and the events behind it', () => {
    const image = 'A'.repeat(9_000_000)
    const completed = {
      type: 'response.completed',
      response: {
        output: [{ type: 'image_generation_call', result: image }],
        usage: { input_tokens: 5, output_tokens: 6 },
      },
    }
    const bytes = namedEvents(completed, { type: 'error', code: 'late' })
    const facts = readAnswer('openai-responses', 'sse', bytes)
    assert.deepEqual(
      [facts.usage, facts.terminal, facts.streamError],
      [{ ...noUsage, input: 5, output: 6 }, true, 'late'],
    )
  })
})
