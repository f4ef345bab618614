import assert from 'node:assert/strict'
import type { AnswerFacts } from '../../../daemon/dialects/dialect.ts'
import { noUsage } from '../../../shared/usage.ts'
import { describeRequest, jsonLines, namedEvents, onOllama, readAnswer, smallestFacts } from './builders.ts'

const start = (usage: object): { type: string; message: object } => ({
  type: 'message_start',
  message: { model: 'c', usage },
})
const change = (usage: object, reason = 'end_turn'): { type: string; delta: object; usage: object } => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage,
})
const text = (said: string): { type: string; index: number; delta: object } => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: said },
})
const stop = { type: 'message_stop' }

function readMessages(...events: readonly { type: string }[]): AnswerFacts {
  return readAnswer('anthropic-messages', 'sse', namedEvents(...events))
}

describe('usage of Anthropic messages', () => {
  it('B06: the placeholder of the start is not added', () => {
    const facts = readMessages(
      start({ input_tokens: 9, output_tokens: 1 }),
      text('Hi'),
      change({ output_tokens: 15 }),
      stop,
    )
    assert.deepEqual(
      [facts.usage, facts.inputKnown, facts.outputKnown, facts.terminal, facts.finish],
      [{ ...noUsage, input: 9, output: 15 }, true, true, true, 'end_turn'],
    )
  })
  it('B07: input and cache that the end repeats are not added', () => {
    const facts = readMessages(
      start({ input_tokens: 2, cache_creation_input_tokens: 47119, output_tokens: 4 }),
      change({ input_tokens: 2, cache_creation_input_tokens: 47119, output_tokens: 64 }),
      stop,
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 2, cacheWrite5m: 47119, output: 64 })
  })
  it('takes the larger figures of the end, where server tools read more', () => {
    const facts = readMessages(
      start({ input_tokens: 10, output_tokens: 1 }),
      change({ input_tokens: 900, output_tokens: 20, server_tool_use: { web_search_requests: 3 } }),
      change({ output_tokens: 30 }),
      stop,
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 900, output: 30, webSearches: 3 })
  })
  it('D03: input leaves the cache out, so that the buckets come as they are', () => {
    const facts = readAnswer(
      'anthropic-messages',
      'json',
      JSON.stringify({
        content: [],
        usage: {
          input_tokens: 12,
          cache_read_input_tokens: 98000,
          output_tokens: 300,
          output_tokens_details: { thinking_tokens: 200 },
        },
      }),
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 12, cacheRead: 98000, output: 300, reasoning: 200 })
  })
  it('D04: splits cache writes by their lifetime', () => {
    const split = {
      input_tokens: 1,
      cache_creation_input_tokens: 3904,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3904 },
      output_tokens: 1,
    }
    assert.deepEqual(readMessages(start(split), change({ output_tokens: 5 }), stop).usage, {
      ...noUsage,
      input: 1,
      cacheWrite1h: 3904,
      output: 5,
    })
    const both = { ...split, cache_creation: { ephemeral_5m_input_tokens: 904, ephemeral_1h_input_tokens: 3000 } }
    assert.deepEqual(readMessages(start(both), stop).usage, {
      ...noUsage,
      input: 1,
      cacheWrite5m: 904,
      cacheWrite1h: 3000,
      output: 1,
    })
    const asked = describeRequest('anthropic-messages', {
      model: 'm',
      messages: [],
      cache_control: { type: 'ephemeral', ttl: '1h' },
    }).facts
    const unsplit = namedEvents(start({ input_tokens: 1, cache_creation_input_tokens: 50, cache_creation: null }), stop)
    assert.equal(readAnswer('anthropic-messages', 'sse', unsplit, asked).usage?.cacheWrite1h, 50)
  })
  it('adds compaction, which the totals leave out, and keeps only the last list', () => {
    const iterations = [
      { type: 'message', input_tokens: 5, output_tokens: 6 },
      { type: 'compaction', input_tokens: 1000, cache_read_input_tokens: 7, output_tokens: 100 },
    ]
    const facts = readMessages(
      start({ input_tokens: 5, output_tokens: 1 }),
      change({ output_tokens: 6, iterations: iterations.slice(0, 1) }),
      change({ output_tokens: 6, iterations }),
      stop,
    )
    assert.deepEqual(facts.usage, { ...noUsage, input: 1005, cacheRead: 7, output: 106 })
  })
  it('A8: knows the input but not the output of a stream that was cut after its start', () => {
    const facts = readMessages(start({ input_tokens: 50_000, output_tokens: 1 }), text('Hi'))
    assert.deepEqual(
      [facts.inputKnown, facts.outputKnown, facts.terminal, facts.usage?.input],
      [true, false, false, 50_000],
    )
  })
  it('does not trust the guess at the start of Ollama’s emulation', () => {
    const facts = smallestFacts('anthropic-messages', onOllama)
    const read = (...events: readonly { type: string }[]): AnswerFacts =>
      readAnswer('anthropic-messages', 'sse', namedEvents(...events), facts)
    assert.equal(read(start({ input_tokens: 400, output_tokens: 0 }), text('Hi')).inputKnown, false)
    assert.deepEqual(
      read(start({ input_tokens: 400, output_tokens: 0 }), change({ input_tokens: 300, output_tokens: 7 }), stop).usage,
      { ...noUsage, input: 300, output: 7 },
    )
  })
  it('B04: zeros behind delivered text are unknown', () => {
    const facts = readMessages(
      start({ input_tokens: 0, output_tokens: 0 }),
      text('Hi'),
      change({ output_tokens: 0 }),
      stop,
    )
    assert.deepEqual([facts.inputKnown, facts.outputKnown], [false, false])
  })
  it('reads the tier that was served, and searches that no usage told of', () => {
    const block = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', name: 'web_search', input: {} },
    }
    const facts = readMessages(
      start({ input_tokens: 5, output_tokens: 1, service_tier: 'standard', inference_geo: 'us', speed: null }),
      block,
      block,
    )
    assert.deepEqual(
      [facts.serviceTier, facts.usage?.webSearches, facts.toolCalls],
      [{ service_tier: 'standard', inference_geo: 'us' }, 2, 0],
    )
  })
})

describe('the end of an Anthropic stream', () => {
  it('F06: is clean with message_stop and with nothing else', () => {
    assert.equal(
      readMessages(start({ input_tokens: 5, output_tokens: 1 }), text('Hi'), change({ output_tokens: 6 })).terminal,
      false,
    )
  })
  it('F07: notes an error event, keeps what came before and invents nothing', () => {
    const facts = readMessages(start({ input_tokens: 5, output_tokens: 1 }), text('Hello'), {
      type: 'error',
      error: { type: 'overloaded_error', message: 'quotes the prompt' },
    } as { type: string })
    assert.deepEqual(
      [facts.streamError, facts.terminal, facts.finish, facts.visibleChars, facts.inputKnown],
      ['overloaded_error', false, null, 5, true],
    )
  })
  it('F04: a ping is nothing', () => {
    const facts = readMessages(
      { type: 'ping' },
      start({ input_tokens: 5, output_tokens: 1 }),
      { type: 'ping' },
      change({ output_tokens: 2 }),
      stop,
    )
    assert.deepEqual([facts.usage?.output, facts.streamError], [2, null])
  })
  it('counts the arguments of a tool call as delivered, but not as visible', () => {
    const call = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    }
    const facts = readMessages(text('Hi'), call, {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
    } as { type: string })
    assert.deepEqual([facts.visibleChars, facts.deliveredChars, facts.toolCalls], [2, 10, 1])
  })
})

describe('Ollama', () => {
  const line = (content: string): object => ({ model: 'g', message: { role: 'assistant', content }, done: false })
  const readChat = (...lines: readonly unknown[]): AnswerFacts =>
    readAnswer('ollama-chat', 'ndjson', jsonLines(...lines))

  it('reads the counts of the last line', () => {
    const facts = readChat(line('Hi'), { done: true, done_reason: 'stop', prompt_eval_count: 2051, eval_count: 40 })
    assert.deepEqual(
      [facts.usage, facts.inputKnown, facts.outputKnown, facts.finish, facts.model],
      [{ ...noUsage, input: 2051, output: 40 }, true, true, 'stop', 'g'],
    )
  })
  it('I05: a prompt count that is missing or zero is unknown, not zero, and the output stays exact', () => {
    for (const counts of [{ eval_count: 40 }, { prompt_eval_count: 0, eval_count: 40 }]) {
      const facts = readChat(line('Hi'), { done: true, done_reason: 'stop', ...counts })
      assert.deepEqual(
        [facts.inputKnown, facts.outputKnown, facts.usage?.output, facts.terminal],
        [false, true, 40, true],
      )
    }
  })
  it('I05: a missing output count is unknown where text was delivered', () => {
    assert.equal(readChat(line('Hi'), { done: true, prompt_eval_count: 9 }).outputKnown, false)
    assert.equal(readChat({ done: true, prompt_eval_count: 9 }).outputKnown, true)
  })
  it('knows that loading a model reads nothing', () => {
    const facts = readAnswer(
      'ollama-generate',
      'json',
      JSON.stringify({ model: 'g', response: '', done: true, done_reason: 'load' }),
    )
    assert.deepEqual([facts.usage, facts.inputKnown, facts.outputKnown], [noUsage, true, true])
  })
  it('F06: a stream that the server ended silently is not clean', () =>
    assert.equal(readChat(line('x'), line('x')).terminal, false))
  it('F07: notes an error line', () => {
    const facts = readChat(line('Hi'), { error: 'model runner has unexpectedly stopped' })
    assert.deepEqual([facts.streamError, facts.terminal, facts.visibleChars], ['error', false, 2])
  })
  it('tells thinking and tool calls from text', () => {
    const facts = readChat(
      {
        message: {
          content: 'Hi',
          thinking: 'hmm',
          tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }, { function: { name: 'g', arguments: {} } }],
        },
      },
      { done: true },
    )
    assert.deepEqual([facts.visibleChars, facts.deliveredChars, facts.toolCalls], [2, 16, 2])
  })
  it('reads embeddings of any size, and does not take silence for zero', () => {
    const vectors = Array.from({ length: 400 }, () => Array.from({ length: 200 }, () => 0.123456))
    const large = readAnswer(
      'ollama-embed',
      'json',
      JSON.stringify({ model: 'e', embeddings: vectors, prompt_eval_count: 77 }),
    )
    assert.deepEqual([large.usage?.input, large.inputKnown, large.outputKnown, large.terminal], [77, true, true, true])
    const older = readAnswer('ollama-embed', 'json', JSON.stringify({ embedding: [0.1] }))
    assert.deepEqual([older.inputKnown, older.outputKnown], [false, true])
  })
})
