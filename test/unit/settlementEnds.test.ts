import assert from 'node:assert/strict'
import type { CallFacts, DialectName } from '../../daemon/call.ts'
import type { AnswerForm, DescribeContext } from '../../daemon/dialects/dialect.ts'
import { vendorNamed } from '../../daemon/dialects/vendors.ts'
import { settleUsage } from '../../daemon/settlement.ts'
import type { Ending, SettledUsage } from '../../daemon/settlement.ts'
import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import { dataEvents, describeRequest, jsonLines, namedEvents, readAnswer } from './dialects/builders.ts'

/** One end of a call, from the bytes that came to the row that it leaves. */
interface End {
  readonly seen: string
  readonly dialect?: DialectName
  readonly at?: string
  readonly form?: AnswerForm
  readonly status?: number | null
  /** What came of the answer; null: none began. */
  readonly bytes: string | null
  readonly ending: Ending
  readonly row: readonly [
    settlement: SettledUsage['settlement'],
    outcome: SettledUsage['outcome'],
    usage: Partial<Usage>,
  ]
}

const complete: Ending = { kind: 'complete' }
const left: Ending = { kind: 'cut', outcome: 'client_closed' }
const broken: Ending = { kind: 'cut', outcome: 'upstream_truncated' }
const killed: Ending = { kind: 'cut', outcome: 'killed' }

const estimated = 1000
const reserved = 4096
/** Thirty characters: ten tokens by the gate's own count. */
const thirty = 'a'.repeat(30)
const chunk = { choices: [{ index: 0, delta: { content: thirty }, finish_reason: null }] }
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const usage = { choices: [], usage: { prompt_tokens: 900, completion_tokens: 40 } }
const start = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 900, output_tokens: 1 } } }
const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: thirty } }
const change = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 40 } }
const created = { type: 'response.created', response: { id: 'r1', model: 'm', usage: null } }
const said = { type: 'response.output_text.delta', delta: thirty }
const responsesUsage = { input_tokens: 900, output_tokens: 4096 }
const line = { model: 'm', message: { content: thirty }, done: false }
const done = {
  model: 'm',
  message: { content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 900,
  eval_count: 40,
}

const exactly = { input: 900, output: 40 }
const ends: readonly End[] = [
  // Final usage.
  {
    seen: 'OpenAI chat, whole',
    bytes: dataEvents(chunk, stop, usage, '[DONE]'),
    ending: complete,
    row: ['exact', 'ok', exactly],
  },
  {
    seen: 'L03: OpenAI chat, the client gone behind the usage',
    bytes: dataEvents(chunk, stop, usage),
    ending: left,
    row: ['exact', 'client_closed', exactly],
  },
  {
    seen: 'Anthropic, whole',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start, text, change, { type: 'message_stop' }),
    ending: complete,
    row: ['exact', 'ok', exactly],
  },
  {
    seen: 'Anthropic, the client gone behind the last report',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start, text, change),
    ending: left,
    row: ['exact', 'client_closed', exactly],
  },
  {
    seen: 'Anthropic, broken off behind the last report',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start, text, change),
    ending: complete,
    row: ['exact', 'upstream_truncated', exactly],
  },
  {
    seen: 'B10: Responses, incomplete at the ceiling',
    dialect: 'openai-responses',
    bytes: namedEvents(created, {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage: responsesUsage },
    }),
    ending: complete,
    row: ['exact', 'ok', { input: 900, output: 4096 }],
  },
  {
    seen: 'B10: Responses, failed with usage',
    dialect: 'openai-responses',
    bytes: namedEvents(created, {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' }, usage: responsesUsage },
    }),
    ending: complete,
    row: ['exact', 'upstream_error', { input: 900, output: 4096 }],
  },
  {
    seen: 'Ollama, whole',
    dialect: 'ollama-chat',
    form: 'ndjson',
    bytes: jsonLines(line, done),
    ending: complete,
    row: ['exact', 'ok', exactly],
  },
  // Errors before any output are not billed; what was not sent is released.
  {
    seen: 'A23: a refused request',
    form: 'json',
    status: 400,
    bytes: null,
    ending: complete,
    row: ['exact', 'upstream_error', {}],
  },
  {
    seen: 'A23: an overloaded provider',
    form: 'json',
    status: 529,
    bytes: null,
    ending: complete,
    row: ['exact', 'upstream_error', {}],
  },
  {
    seen: 'A23: a provider that was never reached',
    status: null,
    bytes: null,
    ending: { kind: 'unsent', outcome: 'upstream_unreachable' },
    row: ['released', 'upstream_unreachable', {}],
  },
  // Cut: the input, and what was delivered.
  {
    seen: 'Anthropic, cut behind its start',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start),
    ending: left,
    row: ['partial', 'client_closed', { input: 900, output: 1 }],
  },
  {
    seen: 'Anthropic, cut behind a start without a placeholder',
    dialect: 'anthropic-messages',
    bytes: namedEvents({ ...start, message: { usage: { input_tokens: 900, output_tokens: 0 } } }),
    ending: left,
    row: ['partial', 'client_closed', { input: 900, output: 1 }],
  },
  {
    seen: 'Anthropic, cut in its text',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start, text),
    ending: killed,
    row: ['partial', 'killed', { input: 900, output: 10 }],
  },
  {
    seen: 'F07: Anthropic, an error behind its text',
    dialect: 'anthropic-messages',
    bytes: namedEvents(start, text, { type: 'error', error: { type: 'overloaded_error' } }),
    ending: complete,
    row: ['partial', 'upstream_error', { input: 900, output: 10 }],
  },
  {
    seen: 'C01: OpenAI chat, cut',
    bytes: dataEvents(chunk),
    ending: left,
    row: ['partial', 'client_closed', { input: estimated, output: 10 }],
  },
  {
    seen: 'F06: OpenAI chat, ended without an end',
    bytes: dataEvents(chunk),
    ending: complete,
    row: ['partial', 'upstream_truncated', { input: estimated, output: 10 }],
  },
  {
    seen: 'C05: dispatched, and nothing came',
    status: null,
    bytes: null,
    ending: left,
    row: ['partial', 'client_closed', { input: estimated }],
  },
  {
    seen: 'Responses, cut',
    dialect: 'openai-responses',
    bytes: namedEvents(created, said),
    ending: broken,
    row: ['partial', 'upstream_truncated', { input: estimated, output: 10 }],
  },
  {
    seen: 'Responses, ended without an end',
    dialect: 'openai-responses',
    bytes: namedEvents(created, said),
    ending: complete,
    row: ['partial', 'upstream_truncated', { input: estimated, output: 10 }],
  },
  {
    seen: 'Ollama, cut',
    dialect: 'ollama-chat',
    form: 'ndjson',
    bytes: jsonLines(line, line),
    ending: left,
    row: ['partial', 'client_closed', { input: estimated, output: 20 }],
  },
  {
    seen: 'vLLM with continuous usage, cut',
    at: 'vllm',
    bytes: dataEvents({ ...chunk, usage: { prompt_tokens: 900, completion_tokens: 12 } }),
    ending: left,
    row: ['partial', 'client_closed', { input: 900, output: 12 }],
  },
  {
    seen: 'llama.cpp, cut',
    at: 'llamacpp',
    bytes: dataEvents(chunk),
    ending: left,
    row: ['partial', 'client_closed', { input: estimated, output: 10 }],
  },
  {
    seen: 'OpenRouter, cut',
    at: 'openrouter',
    bytes: dataEvents(chunk),
    ending: left,
    row: ['partial', 'client_closed', { input: estimated, output: 10 }],
  },
  // Providers that go on: all that was reserved.
  {
    seen: 'C07: Bedrock, cut',
    at: 'bedrock',
    bytes: dataEvents(chunk),
    ending: left,
    row: ['partial', 'client_closed', { input: estimated, output: reserved }],
  },
  {
    seen: 'C07: Gemini’s OpenAI format, cut with its input known',
    at: 'gemini',
    bytes: dataEvents({ ...chunk, usage: { prompt_tokens: 900, completion_tokens: 2 } }),
    ending: left,
    row: ['partial', 'client_closed', { input: 900, output: reserved }],
  },
  {
    seen: 'Bedrock, whole',
    at: 'bedrock',
    bytes: dataEvents(chunk, stop, usage, '[DONE]'),
    ending: complete,
    row: ['exact', 'ok', exactly],
  },
  // Whole, but silent about its usage.
  {
    seen: 'B04: OpenAI chat, usage null',
    bytes: dataEvents(chunk, { ...stop, usage: null }, '[DONE]'),
    ending: complete,
    row: ['estimated', 'ok', { input: estimated, output: 10 }],
  },
  {
    seen: 'B10: Responses, failed without usage',
    dialect: 'openai-responses',
    bytes: namedEvents(created, { type: 'response.failed', response: { status: 'failed', usage: null } }),
    ending: complete,
    row: ['estimated', 'upstream_error', { input: estimated }],
  },
  {
    seen: 'B13: a legacy completion without usage',
    dialect: 'openai-completions',
    bytes: dataEvents({ choices: [{ index: 0, text: thirty, finish_reason: 'stop' }] }, '[DONE]'),
    ending: complete,
    row: ['estimated', 'ok', { input: estimated, output: 10 }],
  },
]

describe('the settlement of each end of a call', () => {
  for (const end of ends) {
    it(`${end.row[0]}: ${end.seen}`, () => {
      const { settlement, outcome, usage: settled } = settle(end)
      const [expected, expectedOutcome, expectedUsage] = end.row
      assert.deepEqual([settlement, outcome, settled], [expected, expectedOutcome, { ...noUsage, ...expectedUsage }])
    })
  }
  it('has no end of a background response: such a request is refused', () => {
    const asked = describeRequest('openai-responses', { model: 'm', input: 'x', background: true })
    assert.match(asked.facts.unsupported ?? '', /background/)
  })
})

function settle(end: End): SettledUsage {
  const { dialect = 'openai-chat', form = 'sse', bytes, ending, status = 200 } = end
  const context: Partial<DescribeContext> =
    end.at === undefined ? {} : { upstreamName: end.at, upstreamBaseUrl: 'http://127.0.0.1:9/v1' }
  const facts: CallFacts = describeRequest(
    dialect,
    { model: 'm', messages: [], input: 'x', prompt: 'x', max_tokens: reserved },
    context,
  ).facts
  return settleUsage({
    ending,
    status,
    streamed: form !== 'json',
    answer: bytes === null ? null : readAnswer(dialect, form, bytes, facts),
    estimatedInputTokens: estimated,
    producesOutput: facts.producesOutput,
    reservedOutputTokens: reserved,
    billsAfterAbort: vendorNamed(facts.vendor).billsAfterAbort,
  })
}
