import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { DialectName } from '../../../daemon/call.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import { cheaperModel, constrainedChanges } from '../../../daemon/tasks/constrained.ts'
import type { ConstrainedCall, ConstrainedChanges } from '../../../daemon/tasks/constrained.ts'
import { agentRequest, agentTurns } from '../transcript/agentRun.ts'

const on: NonNullable<ConstrainedCall['limits']> = {
  cheaperModel: true,
  disablePaidTools: true,
  compact: true,
  maxOutputTokens: 1024,
}

const paidTools = [
  'web_search',
  'web_fetch',
  'code_execution',
  'code_interpreter',
  'file_search',
  'image_generation',
  'mcp',
]

function call(dialect: DialectName, body: JsonObject, changes: Partial<ConstrainedCall> = {}): ConstrainedCall {
  const outputField = dialect === 'openai-responses' ? ['max_output_tokens'] : ['max_tokens']
  return {
    dialect,
    body,
    facts: { model: 'claude-opus-5', outputField, producesOutput: true, thinkingBudgetTokens: null },
    limits: on,
    tiers: { 'claude-opus-5': 'claude-haiku-4-5' },
    outputCeiling: 4096,
    paidTools,
    ...changes,
  }
}

function sent(body: JsonObject, { edits }: Pick<ConstrainedChanges, 'edits'>): unknown {
  return JSON.parse(applyEdits(Buffer.from(JSON.stringify(body)), edits).toString())
}

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
const read = { name: 'read_file', input_schema: { type: 'object' } }

/** What stays of tools and their choice when only they are changed. */
function withoutPaid(dialect: DialectName, body: JsonObject): unknown {
  const limits = { cheaperModel: false, disablePaidTools: true, compact: false, maxOutputTokens: null }
  return sent(body, constrainedChanges(call(dialect, body, { limits })))
}

describe('constrainedChanges', () => {
  it('changes model, ceiling, tools and transcript, and says each of them', () => {
    const { messages } = agentRequest('anthropic-messages', agentTurns(20))
    const body = { model: 'claude-opus-5', max_tokens: 4096, tools: [search, read], messages }
    const changes = constrainedChanges(call('anthropic-messages', body))
    const elided = changes.compaction?.elidedResults ?? 0
    assert.ok(elided >= 10)
    assert.deepEqual(changes.says, [
      'model=claude-haiku-4-5',
      'max_tokens=1024',
      'tools-=web_search',
      `compacted=${elided}`,
    ])
    assert.deepEqual(
      [changes.model, changes.outputCeiling, changes.removedTools],
      ['claude-haiku-4-5', 1024, ['web_search']],
    )
    const after = sent(body, changes) as JsonObject
    assert.deepEqual(
      { ...after, messages: [] },
      { model: 'claude-haiku-4-5', max_tokens: 1024, tools: [read], messages: [] },
    )
    assert.ok(JSON.stringify(after).length < JSON.stringify(body).length / 2)
  })
  it('leaves out what is switched off, each by its own flag', () => {
    const { messages } = agentRequest('anthropic-messages', agentTurns(20))
    const body = { model: 'claude-opus-5', max_tokens: 4096, tools: [search, read], messages }
    const first = (limits: Partial<typeof on>): readonly (string | undefined)[] =>
      constrainedChanges(call('anthropic-messages', body, { limits: { ...on, ...limits } })).says.map(
        (said) => said.split(/-?=/)[0],
      )
    assert.deepEqual(first({ cheaperModel: false }), ['max_tokens', 'tools', 'compacted'])
    assert.deepEqual(first({ maxOutputTokens: null }), ['model', 'tools', 'compacted'])
    assert.deepEqual(first({ disablePaidTools: false }), ['model', 'max_tokens', 'compacted'])
    assert.deepEqual(first({ compact: false }), ['model', 'max_tokens', 'tools'])
    const none = constrainedChanges(call('anthropic-messages', body, { limits: null }))
    assert.deepEqual(none, {
      edits: [],
      says: [],
      model: null,
      outputCeiling: 4096,
      removedTools: [],
      compaction: null,
    })
  })
  it('says nothing where the request has nothing to lose', () => {
    const body = { model: 'other', max_tokens: 100, tools: [read], messages: [{ role: 'user', content: 'x' }] }
    const facts = { model: 'other', outputField: ['max_tokens'], producesOutput: true, thinkingBudgetTokens: null }
    const changes = constrainedChanges(call('anthropic-messages', body, { facts, outputCeiling: 100 }))
    assert.deepEqual(changes, {
      edits: [],
      says: [],
      model: null,
      outputCeiling: 100,
      removedTools: [],
      compaction: null,
    })
  })
  it('never changes the model of embeddings, nor of a conversation in tokens of one model', () => {
    const tiers = { '*': 'small' }
    const facts = { model: 'embed', outputField: [], producesOutput: false, thinkingBudgetTokens: null }
    const embeddings = call('openai-embeddings', { model: 'embed', input: 'x' }, { facts, tiers, outputCeiling: null })
    assert.deepEqual(constrainedChanges(embeddings).says, [])
    const generate = call('ollama-generate', { model: 'm', prompt: 'x', context: [1, 2] }, { tiers })
    assert.equal(constrainedChanges(generate).model, null)
  })
})

describe('the model of a constrained Gemini call', () => {
  const facts = {
    model: 'gemini-2.5-pro',
    outputField: ['generationConfig', 'maxOutputTokens'],
    producesOutput: true,
    thinkingBudgetTokens: null,
  }
  const tiers = { 'gemini-2.5-pro': 'gemini-2.5-flash' }
  it('is named by the path: the change is said, and the body stays as it is but for the ceiling', () => {
    const changes = constrainedChanges(call('gemini-generate', { contents: [] }, { facts, tiers }))
    assert.equal(changes.model, 'gemini-2.5-flash')
    assert.deepEqual(changes.says, ['model=gemini-2.5-flash', 'maxOutputTokens=1024'])
    assert.deepEqual(sent({ contents: [] }, changes), { contents: [], generationConfig: { maxOutputTokens: 1024 } })
  })
  it('stays where the request names a cache, which is of one model', () => {
    const body = { contents: [], cachedContent: 'cachedContents/c' }
    assert.equal(constrainedChanges(call('gemini-generate', body, { facts, tiers })).model, null)
  })
})

describe('the output ceiling of a constrained task', () => {
  it('H07: goes into the field that the client used', () => {
    for (const outputField of [['max_completion_tokens'], ['options', 'num_predict']]) {
      const facts = { model: 'm', outputField, producesOutput: true, thinkingBudgetTokens: null }
      const { edits, says } = constrainedChanges(call('openai-chat', { model: 'm' }, { facts }))
      assert.deepEqual(edits, [{ path: outputField, value: 1024 }])
      assert.deepEqual(says, [`${outputField.at(-1) ?? ''}=1024`])
    }
  })
  it('stays above the thinking budget, which the provider demands, and never rises', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40_000 }),
        fc.integer({ min: 1, max: 40_000 }),
        fc.option(fc.integer({ min: 1024, max: 30_000 })),
        (maxOutputTokens, asked, thinkingBudgetTokens) => {
          const facts = { model: 'm', outputField: ['max_tokens'], producesOutput: true, thinkingBudgetTokens }
          const ceiling = Math.max(asked, (thinkingBudgetTokens ?? 0) + 1)
          const limits = { ...on, maxOutputTokens }
          const changes = constrainedChanges(call('anthropic-messages', {}, { facts, limits, outputCeiling: ceiling }))
          const after = changes.outputCeiling ?? 0
          assert.ok(after <= ceiling && after > (thinkingBudgetTokens ?? 0))
          assert.ok(after <= Math.max(maxOutputTokens, (thinkingBudgetTokens ?? 0) + 1))
          assert.equal(changes.edits.length, after < ceiling ? 1 : 0)
        },
      ),
    )
  })
  it('stays at 16 for Responses, which accept no less', () => {
    const limits = { ...on, maxOutputTokens: 5 }
    assert.equal(constrainedChanges(call('openai-responses', {}, { limits })).outputCeiling, 16)
    assert.equal(constrainedChanges(call('openai-responses', {}, { limits, outputCeiling: 9 })).outputCeiling, 9)
  })
})

describe('cheaperModel', () => {
  const tiers = { 'claude-opus-5': 'claude-haiku-4-5', 'gpt-*': 'gpt-5-mini', 'gpt-5.5': 'gpt-5' }
  it('finds a model by name, by name without a date, and by pattern, in this order', () => {
    assert.equal(cheaperModel('claude-opus-5', tiers), 'claude-haiku-4-5')
    assert.equal(cheaperModel('claude-opus-5-20260301', tiers), 'claude-haiku-4-5')
    assert.equal(cheaperModel('claude-opus-5@20260301', tiers), 'claude-haiku-4-5')
    assert.equal(cheaperModel('gpt-5.5', tiers), 'gpt-5')
    assert.equal(cheaperModel('gpt-5.5-2026-04-01', tiers), 'gpt-5')
    assert.equal(cheaperModel('gpt-6', tiers), 'gpt-5-mini')
  })
  it('finds none for other models, for the cheap one itself, and for names of the language', () => {
    for (const model of ['claude-opus-5-fast', 'claude-haiku-4-5', 'gpt-5-mini', 'constructor', '__proto__']) {
      assert.equal(cheaperModel(model, tiers), null)
    }
  })
})

describe('paid tools of a constrained task', () => {
  const messages = [{ role: 'user', content: 'x' }]
  it('go from Anthropic requests, with a choice that names one', () => {
    const tools = [search, read, { type: 'web_fetch_20250910', name: 'web_fetch' }]
    const named = { messages, tools, tool_choice: { type: 'tool', name: 'web_fetch' } }
    assert.deepEqual(withoutPaid('anthropic-messages', named), { messages, tools: [read] })
    for (const choice of [{ type: 'any' }, { type: 'tool', name: 'read_file' }]) {
      const body = { messages, tools, tool_choice: choice }
      assert.deepEqual(withoutPaid('anthropic-messages', body), { messages, tools: [read], tool_choice: choice })
    }
  })
  it('go with everything that needs tools where none is left', () => {
    const body = { tools: [{ type: 'web_search' }], tool_choice: 'auto', parallel_tool_calls: true, input: 'x' }
    assert.deepEqual(withoutPaid('openai-responses', body), { input: 'x' })
  })
  it('go from Responses requests: by type, by version, in a container, and from a list of allowed ones', () => {
    const own = { type: 'function', name: 'web_search', parameters: {} }
    const tools = [
      { type: 'web_search_preview_2025_03_11' },
      own,
      { type: 'mcp', server_label: 's', server_url: 'https://example.com' },
      { type: 'shell', environment: { type: 'container_auto' } },
      { type: 'shell', environment: { type: 'local' } },
    ]
    const kept = [own, tools[4]]
    const after = (choice: unknown): unknown =>
      (withoutPaid('openai-responses', { tools, tool_choice: choice }) as JsonObject)['tool_choice']
    assert.deepEqual(withoutPaid('openai-responses', { tools }), { tools: kept })
    assert.equal(after({ type: 'web_search_preview' }), undefined)
    assert.equal(after({ type: 'mcp', server_label: 's', name: 'x' }), undefined)
    assert.deepEqual(after({ type: 'function', name: 'web_search' }), { type: 'function', name: 'web_search' })
    assert.deepEqual(after({ type: 'shell' }), { type: 'shell' })
    assert.equal(after('required'), 'required')
    const ours = { type: 'function', name: 'web_search' }
    const allowed = (...listed: unknown[]): unknown => ({ type: 'allowed_tools', mode: 'auto', tools: listed })
    assert.deepEqual(after(allowed({ type: 'mcp', server_label: 's' }, ours, { type: 'web_search' })), allowed(ours))
    assert.deepEqual(after(allowed(ours)), allowed(ours))
    assert.equal(after(allowed({ type: 'mcp', server_label: 's' })), undefined)
  })
  it('go from chat completions, where a search is a field; a choice of a function stays', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }]
    const choice = { type: 'function', function: { name: 'f' } }
    const body = { messages, web_search_options: {}, tools, tool_choice: choice }
    const changes = constrainedChanges(call('openai-chat', body))
    assert.deepEqual(changes.removedTools, ['web_search'])
    assert.deepEqual(withoutPaid('openai-chat', body), { messages, tools: [tools[0]], tool_choice: choice })
  })
  it('go with the servers behind them', () => {
    const server = { type: 'url', name: 's', url: 'https://example.com' }
    const body = { messages, mcp_servers: [server], tools: [read, { type: 'mcp_toolset', mcp_server_name: 's' }] }
    assert.deepEqual(withoutPaid('anthropic-messages', body), { messages, tools: [read] })
  })
  it('stay where they cost nothing', () => {
    const body = { messages, tools: [search, read] }
    const changes = constrainedChanges(call('anthropic-messages', body, { paidTools: ['web_fetch'] }))
    assert.deepEqual(changes.removedTools, [])
  })
  it('go from Gemini requests, whose tools share an object with the client’s functions', () => {
    const functionDeclarations = [{ name: 'read_file' }]
    const toolConfig = { functionCallingConfig: { mode: 'AUTO' } }
    const body = {
      contents: [],
      tools: [{ googleSearch: {}, functionDeclarations }, { google_search: {} }],
      toolConfig,
    }
    const changes = constrainedChanges(call('gemini-generate', body))
    assert.deepEqual(changes.removedTools, ['web_search'])
    assert.deepEqual(withoutPaid('gemini-generate', body), {
      contents: [],
      tools: [{ functionDeclarations }],
      toolConfig,
    })
    const only = { contents: [], tools: [{ googleSearch: {} }, { codeExecution: {} }], toolConfig }
    assert.deepEqual(withoutPaid('gemini-generate', only), { contents: [] })
    const cached = { ...only, cachedContent: 'cachedContents/c' }
    assert.deepEqual(withoutPaid('gemini-generate', cached), cached)
    const named = { contents: [], tools: [{ functionDeclarations: [{ name: 'googleSearch' }] }] }
    assert.deepEqual(withoutPaid('gemini-generate', named), named)
  })
  it('stay in a turn that was paused while one of them ran', () => {
    const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const body = { messages: [...messages, { role: 'assistant', content: [use] }], tools: [search, read] }
    assert.deepEqual(withoutPaid('anthropic-messages', body), body)
    const answered = { ...body, messages: [...body.messages, { role: 'user', content: 'go on' }] }
    assert.deepEqual(withoutPaid('anthropic-messages', answered), { ...answered, tools: [read] })
  })
  it('stay where another tool or a skill runs inside of them', () => {
    const code = { type: 'code_execution_20250825', name: 'code_execution' }
    const called = { ...read, allowed_callers: ['code_execution_20250825'] }
    const withCallers = { messages, tools: [code, called, search] }
    assert.deepEqual(withoutPaid('anthropic-messages', withCallers), { messages, tools: [code, called] })
    const withSkills = { messages, container: { skills: [] }, tools: [code, read] }
    assert.deepEqual(withoutPaid('anthropic-messages', withSkills), withSkills)
    assert.deepEqual(withoutPaid('anthropic-messages', { messages, tools: [code, read] }), { messages, tools: [read] })
  })
  it('leave the cache breakpoint of the tools to the one before', () => {
    const mark = { type: 'ephemeral' }
    const body = { tools: [read, { ...search, cache_control: mark }, { ...read, name: 'b' }] }
    assert.deepEqual(withoutPaid('anthropic-messages', body), {
      tools: [
        { ...read, cache_control: mark },
        { ...read, name: 'b' },
      ],
    })
    const own = { ...read, cache_control: { type: 'ephemeral', ttl: '1h' } }
    assert.deepEqual(withoutPaid('anthropic-messages', { tools: [own, { ...search, cache_control: mark }] }), {
      tools: [own],
    })
  })
})
