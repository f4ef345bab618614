import assert from 'node:assert/strict'
import type { DialectName } from '../../../daemon/call.ts'
import { InvalidRequest } from '../../../daemon/dialects/dialect.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { describeRequest, onOllama } from './builders.ts'

const hello = [{ role: 'user', content: 'hello' }]
const chat = (more: JsonObject = {}): JsonObject => ({ model: 'm', messages: hello, ...more })

describe('the output ceiling', () => {
  const ceiling = (dialect: DialectName, body: JsonObject, context = {}): unknown => {
    const { outputField, requestedOutputTokens } = describeRequest(dialect, body, context).facts
    return [outputField.join('.'), requestedOutputTokens]
  }
  const elsewhere = { upstreamName: 'vllm', upstreamBaseUrl: 'http://127.0.0.1:8000/v1' }

  it('H07: is the field that the client used', () => {
    assert.deepEqual(ceiling('openai-chat', chat({ max_tokens: 9 })), ['max_tokens', 9])
    assert.deepEqual(ceiling('openai-chat', chat({ max_completion_tokens: 9 }), elsewhere), [
      'max_completion_tokens',
      9,
    ])
    assert.deepEqual(ceiling('openai-chat', chat({ max_completion_tokens: null, max_tokens: 9 })), ['max_tokens', 9])
  })
  it('H07: is the field that the upstream understands where the client used none', () => {
    assert.deepEqual(ceiling('openai-chat', chat()), ['max_completion_tokens', null])
    assert.deepEqual(
      ceiling('openai-chat', chat(), { upstreamName: 'az', upstreamBaseUrl: 'https://x.openai.azure.com/openai/v1' }),
      ['max_completion_tokens', null],
    )
    assert.deepEqual(ceiling('openai-chat', chat(), elsewhere), ['max_tokens', null])
    assert.deepEqual(
      ceiling('openai-chat', chat(), { upstreamName: 'x', upstreamBaseUrl: 'https://api.openai.com.example/v1' }),
      ['max_tokens', null],
    )
  })
  it('takes the newer field for none on servers that ignore it', () => {
    assert.deepEqual(ceiling('openai-chat', chat({ max_completion_tokens: 9 }), onOllama), ['max_tokens', null])
  })
  it('takes a number below zero for none, and zero on local servers', () => {
    assert.deepEqual(ceiling('openai-chat', chat({ max_tokens: -1 }), elsewhere), ['max_tokens', null])
    assert.deepEqual(ceiling('openai-chat', chat({ max_tokens: 0 }), onOllama), ['max_tokens', null])
    assert.deepEqual(ceiling('anthropic-messages', chat({ max_tokens: 0 }), { upstreamName: 'anthropic' }), [
      'max_tokens',
      0,
    ])
  })
  it('has its own name in every dialect', () => {
    assert.deepEqual(ceiling('openai-completions', { model: 'm', prompt: 'x', max_tokens: 7 }), ['max_tokens', 7])
    assert.deepEqual(ceiling('openai-responses', { model: 'm', input: 'x', max_output_tokens: 7 }), [
      'max_output_tokens',
      7,
    ])
    assert.deepEqual(ceiling('anthropic-messages', chat({ max_tokens: 7 })), ['max_tokens', 7])
    for (const dialect of ['ollama-chat', 'ollama-generate'] as const) {
      assert.deepEqual(ceiling(dialect, chat({ options: { num_predict: 7 } })), ['options.num_predict', 7])
      for (const none of [-1, -2, 0, null, undefined]) {
        assert.deepEqual(ceiling(dialect, chat({ options: { num_predict: none } })), ['options.num_predict', null])
      }
      assert.deepEqual(ceiling(dialect, chat()), ['options.num_predict', null])
    }
  })
  it('does not exist for embeddings', () => {
    assert.equal(describeRequest('openai-embeddings', { model: 'm', input: 'x' }).facts.producesOutput, false)
    assert.equal(describeRequest('ollama-embed', { model: 'm', input: 'x' }).facts.producesOutput, false)
  })
})

describe('how many answers are billed', () => {
  const choices = (dialect: DialectName, body: JsonObject): number => describeRequest(dialect, body).facts.choices
  it('H10: n in a chat, n or best_of for every prompt of a completion', () => {
    assert.equal(choices('openai-chat', chat({ n: 8 })), 8)
    assert.equal(choices('openai-chat', chat({ n: null })), 1)
    assert.equal(choices('openai-completions', { model: 'm', prompt: 'x', n: 2, best_of: 5 }), 5)
    assert.equal(choices('openai-completions', { model: 'm', prompt: ['x', 'y', 'z'], n: 2 }), 6)
    assert.equal(choices('openai-completions', { model: 'm', prompt: [1, 2, 3] }), 1)
    assert.equal(choices('openai-completions', { model: 'm', prompt: [[1, 2], [3]] }), 2)
  })
})

describe('asking for the usage of a stream', () => {
  const state = (body: JsonObject, dialect: DialectName = 'openai-chat'): string =>
    describeRequest(dialect, body).facts.includeUsage
  it('B01: has to be injected where the client left it out', () => {
    assert.equal(state(chat({ stream: true })), 'inject')
    assert.equal(state(chat({ stream: true, stream_options: null })), 'inject')
    assert.equal(state({ model: 'm', prompt: 'x', stream: true }, 'openai-completions'), 'inject')
  })
  it('B02: replaces an explicit false, and sets the flag alone where other options stand beside it', () => {
    assert.equal(state(chat({ stream: true, stream_options: { include_usage: false } })), 'replace-false')
    assert.equal(state(chat({ stream: true, stream_options: { include_obfuscation: false } })), 'replace-false')
  })
  it('is left alone where it is there or means nothing', () => {
    assert.equal(state(chat({ stream: true, stream_options: { include_usage: true } })), 'present')
    assert.equal(state(chat()), 'not-applicable')
    assert.equal(state({ model: 'm', input: 'x', stream: true }, 'openai-responses'), 'not-applicable')
    assert.equal(state(chat({ stream: true }), 'anthropic-messages'), 'not-applicable')
  })
})

describe('what a request hides or costs besides tokens', () => {
  it('refuses background responses in a sentence', () => {
    const { facts } = describeRequest('openai-responses', { model: 'm', input: 'x', background: true })
    assert.match(facts.unsupported ?? '', /background/)
    assert.equal(
      describeRequest('openai-responses', { model: 'm', input: 'x', background: false }).facts.unsupported,
      null,
    )
  })
  it('A12: names input that lives on the provider’s side', () => {
    const hidden = (more: JsonObject): unknown =>
      describeRequest('openai-responses', { model: 'm', input: 'go', ...more }).facts.hiddenInput
    assert.deepEqual(hidden({ previous_response_id: 'r1' }), { previousResponseId: 'r1' })
    assert.deepEqual(hidden({ conversation: { id: 'c1' } }), { previousResponseId: null })
    assert.deepEqual(hidden({ prompt: { id: 'p1' } }), { previousResponseId: null })
    assert.deepEqual(hidden({ input: [{ type: 'item_reference', id: 'i1' }] }), { previousResponseId: null })
    assert.equal(hidden({ previous_response_id: null, conversation: null }), null)
  })
  it('D10: lists tools that the provider runs, with their bound', () => {
    const anthropic = describeRequest(
      'anthropic-messages',
      chat({
        max_tokens: 5,
        tools: [
          { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
          { type: 'code_execution_20250825', name: 'c' },
          { name: 'own', input_schema: {} },
          { type: 'bash_20250124', name: 'bash' },
        ],
        mcp_servers: [{ url: 'https://example.test' }],
      }),
    )
    assert.deepEqual(anthropic.facts.serverTools, [
      { name: 'web_search', maxUses: 3 },
      { name: 'code_execution', maxUses: null },
      { name: 'mcp', maxUses: null },
    ])
    const responses = describeRequest('openai-responses', {
      model: 'm',
      input: 'x',
      max_tool_calls: 4,
      tools: [
        { type: 'web_search_preview' },
        { type: 'web_search' },
        { type: 'file_search' },
        { type: 'function', name: 'f' },
        { type: 'shell', environment: { type: 'container_auto' } },
        { type: 'local_shell' },
      ],
    })
    assert.deepEqual(responses.facts.serverTools, [
      { name: 'web_search', maxUses: 4 },
      { name: 'file_search', maxUses: 4 },
      { name: 'code_interpreter', maxUses: 4 },
    ])
    assert.deepEqual(describeRequest('openai-chat', chat({ web_search_options: {} })).facts.serverTools, [
      { name: 'web_search', maxUses: 1 },
    ])
  })
  it('reads the fields that change prices', () => {
    assert.deepEqual(describeRequest('openai-chat', chat({ service_tier: 'flex' })).facts.tier, {
      service_tier: 'flex',
    })
    assert.deepEqual(
      describeRequest('anthropic-messages', chat({ speed: 'fast', inference_geo: 'us', service_tier: null })).facts
        .tier,
      { speed: 'fast', inference_geo: 'us' },
    )
  })
  it('D04: finds the longest cache lifetime, wherever it is asked for', () => {
    const cacheWrite = (more: JsonObject): string =>
      describeRequest('anthropic-messages', chat(more), {
        upstreamName: 'anthropic',
        upstreamBaseUrl: 'https://api.anthropic.com',
      }).facts.cacheWrite
    const mark = (ttl?: string): JsonObject => ({
      cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
    })
    assert.equal(cacheWrite({}), 'none')
    assert.equal(cacheWrite({ system: [{ type: 'text', text: 's', ...mark() }] }), '5m')
    assert.equal(
      cacheWrite({
        tools: [{ name: 't', input_schema: {}, ...mark('1h') }],
        system: [{ type: 'text', text: 's', ...mark('5m') }],
      }),
      '1h',
    )
    assert.equal(cacheWrite(mark('1h')), '1h')
    const nested = [
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 't', ...mark('1h') }] }],
      },
    ]
    assert.equal(cacheWrite({ messages: nested }), '1h')
  })
  it('expects the implicit cache writes of OpenAI’s own API only', () => {
    assert.equal(describeRequest('openai-chat', chat()).facts.cacheWrite, '5m')
    assert.equal(
      describeRequest('openai-chat', chat(), {
        upstreamName: 'groq',
        upstreamBaseUrl: 'https://api.groq.com/openai/v1',
      }).facts.cacheWrite,
      'none',
    )
  })
  it('tells a conversation from a name that a whole application may share', () => {
    const hint = (dialect: DialectName, fields: JsonObject) => {
      const { sessionHint } = describeRequest(dialect, { ...chat(fields), input: 'x' }).facts
      return sessionHint === null ? null : [sessionHint.name, sessionHint.isConversation]
    }
    assert.equal(hint('anthropic-messages', {}), null)
    assert.deepEqual(hint('anthropic-messages', { metadata: { user_id: 'ada' } }), ['ada', false])
    for (const user_id of [
      'user_5dd0_account__session_d2e7',
      '{"device_id":"5d","account_uuid":"","session_id":"d2e7"}',
    ])
      assert.deepEqual(hint('anthropic-messages', { metadata: { user_id } }), [user_id, true])
    assert.deepEqual(hint('openai-chat', { prompt_cache_key: 'shop' }), ['shop', false])
    assert.deepEqual(hint('openai-responses', { prompt_cache_key: 'shop' }), ['shop', false])
    const kept = { prompt_cache_key: 'shop', conversation: { id: 'conv_1' } }
    assert.deepEqual(hint('openai-responses', kept), ['conv_1', true])
    assert.deepEqual(hint('openai-responses', { conversation: 'conv_2' }), ['conv_2', true])
  })
  it('reads the thinking budget and Ollama’s options', () => {
    assert.equal(
      describeRequest('anthropic-messages', chat({ thinking: { type: 'enabled', budget_tokens: 2048 } })).facts
        .thinkingBudgetTokens,
      2048,
    )
    assert.equal(
      describeRequest('anthropic-messages', chat({ thinking: { type: 'adaptive' } })).facts.thinkingBudgetTokens,
      null,
    )
    assert.deepEqual(
      describeRequest('ollama-chat', chat({ options: { num_ctx: 8192, num_keep: 24 }, truncate: false })).facts.ollama,
      { numCtx: 8192, numKeep: 24, truncate: false },
    )
    assert.deepEqual(describeRequest('openai-chat', chat({ options: { num_ctx: 8192 } }), onOllama).facts.ollama, {
      numCtx: null,
      numKeep: null,
      truncate: true,
    })
    assert.equal(describeRequest('openai-chat', chat()).facts.ollama, null)
  })
  it('streams Ollama’s own routes unless told otherwise, and nothing else', () => {
    assert.equal(describeRequest('ollama-chat', chat()).facts.stream, true)
    assert.equal(describeRequest('ollama-generate', { model: 'm', prompt: 'x', stream: false }).facts.stream, false)
    assert.equal(describeRequest('openai-chat', chat()).facts.stream, false)
  })
})

describe('a request that cannot be read', () => {
  const wrong: readonly (readonly [DialectName, JsonObject, RegExp])[] = [
    ['openai-chat', { messages: hello }, /"model"/],
    ['openai-chat', chat({ model: 7 }), /"model"/],
    ['openai-chat', chat({ model: 'a\nb' }), /"model"/],
    ['openai-chat', { model: 'm' }, /"messages"/],
    ['openai-chat', chat({ messages: 'hi' }), /"messages"/],
    ['openai-chat', chat({ max_tokens: '100' }), /"max_tokens"/],
    ['openai-chat', chat({ max_completion_tokens: [] }), /"max_completion_tokens"/],
    ['openai-chat', chat({ n: '8' }), /"n"/],
    ['openai-chat', chat({ stream: 'true' }), /"stream"/],
    ['openai-chat', chat({ stream_options: true }), /"stream_options"/],
    ['openai-completions', { model: 'm', prompt: 7 }, /"prompt"/],
    ['openai-responses', { model: 'm', input: 7 }, /"input"/],
    ['openai-responses', { model: 'm', input: 'x', background: 'yes' }, /"background"/],
    ['openai-embeddings', { model: 'm' }, /"input"/],
    ['anthropic-messages', { model: 'm', max_tokens: 5 }, /"messages"/],
    ['anthropic-messages', chat({ thinking: { type: 'enabled', budget_tokens: 'x' } }), /"thinking.budget_tokens"/],
    ['ollama-chat', chat({ messages: {} }), /"messages"/],
    ['ollama-chat', chat({ options: [] }), /"options"/],
    ['ollama-generate', { model: 'm', prompt: [] }, /"prompt"/],
    ['ollama-embed', { model: 'm', input: 7 }, /"input"/],
  ]
  for (const [dialect, body, names] of wrong) {
    it(`${dialect}: says which field is wrong: ${names.source}`, () => {
      assert.throws(
        () => describeRequest(dialect, body),
        (fault: Error) => fault instanceof InvalidRequest && names.test(fault.message),
      )
    })
  }
  it('leaves all other oddities to the provider', () => {
    const odd = chat({
      messages: [null, 7, 'x', { role: 4, content: 9 }, { content: [null, 3, { type: 7 }] }],
      tools: 'none',
      tool_choice: [],
      metadata: 4,
      response_format: 1,
      thinking: 'on',
    })
    for (const dialect of ['openai-chat', 'anthropic-messages', 'ollama-chat'] as const)
      assert.equal(describeRequest(dialect, odd).facts.model, 'm')
    assert.equal(
      describeRequest('openai-responses', { model: 'm', input: [null, 7, { type: 'function_call_output', output: 4 }] })
        .facts.model,
      'm',
    )
  })
})
