import assert from 'node:assert/strict'
import type { DialectName } from '../../../daemon/call.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import type { TranscriptFacts } from '../../../daemon/transcript/transcript.ts'
import { render } from '../../fixtures/transcripts/render.ts'
import type { Client } from '../../fixtures/transcripts/scenario.ts'
import { failed, human, says, shell, turn, used } from '../../fixtures/transcripts/scenario.ts'
import { describeRequest } from '../dialects/builders.ts'

function facts(dialect: DialectName, body: JsonObject): TranscriptFacts {
  return describeRequest(dialect, { model: 'm', ...body }).facts.transcript
}

describe('the transcript of each dialect', () => {
  const steps = [
    human('Compare the two files.'),
    says('I read both files and run the comparison afterwards.', used('read', { path: 'a', limit: 9 }, 'one')),
    turn(shell('cmp a b', 'took 5 ms'), used('list', {}, '')),
    turn(failed('read', { path: 'c' }, 'Error: no such file')),
    human('Never mind.'),
  ]
  const clients: readonly Client[] = ['claude-code', 'codex', 'openai-agent', 'ollama-agent', 'gemini-agent']
  const seen = clients.map((client) => {
    const { dialect, body } = render(client, steps)
    return facts(dialect, body)
  })

  it('K11: has the same calls, results and errors', () => {
    const states = seen.map(({ toolStates }) =>
      toolStates.map(({ tool, callDigest, resultDigest, errorDigest }) => ({
        tool,
        callDigest,
        resultDigest,
        errorDigest,
      })),
    )
    assert.equal(states[0]!.length, 4)
    for (const other of states.slice(1)) assert.deepEqual(other, states[0])
    assert.notEqual(states[0]![3]!.errorDigest, null)
  })

  it('has one entry of the chain for each message or item, and points at the results and at the people', () => {
    assert.deepEqual(
      seen.map(({ chain }) => chain.length),
      [8, 15, 10, 10, 8],
    )
    assert.deepEqual(
      seen.map(({ humans }) => humans),
      [
        [0, 7],
        [1, 14],
        [1, 9],
        [1, 9],
        [0, 7],
      ],
    )
    assert.deepEqual(
      seen.map(({ toolStates }) => toolStates.map(({ message }) => message)),
      [
        [2, 4, 4, 6],
        [5, 9, 10, 13],
        [3, 5, 6, 8],
        [3, 5, 6, 8],
        [2, 4, 4, 6],
      ],
    )
  })

  it('has the same narration', () => {
    const said = seen.map(({ narration }) => narration.map(({ digest }) => digest))
    assert.equal(said[0]!.length, 1)
    for (const other of said.slice(1)) assert.deepEqual(other, said[0])
  })
})

describe('the transcript of a chat', () => {
  it('does not change with reasoning, which clients drop', () => {
    const plain = { role: 'assistant', content: 'done' }
    const chain = (message: JsonObject) =>
      facts('openai-chat', { messages: [{ role: 'user', content: 'go' }, message] }).chain
    assert.deepEqual(chain({ ...plain, reasoning_content: 'hm' }), chain(plain))
    assert.deepEqual(
      chain({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [] },
          { type: 'text', text: 'done' },
        ],
      }),
      chain(plain),
    )
    assert.notDeepEqual(chain({ ...plain, name: 'second speaker' }), chain(plain))
    assert.notDeepEqual(chain({ ...plain, content: null, refusal: 'no' }), chain(plain))
  })

  it('knows legacy functions and custom tools', () => {
    const { toolStates } = facts('openai-chat', {
      messages: [
        { role: 'assistant', function_call: { name: 'old', arguments: '{}' } },
        { role: 'function', name: 'old', content: 'x' },
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'free', input: 'ls -l' } }] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'y' }] },
      ],
    })
    assert.deepEqual(
      toolStates.map(({ tool, message }) => [tool, message]),
      [
        ['old', 1],
        ['free', 3],
      ],
    )
  })

  it('takes only the role user for a person, and survives what is no message', () => {
    const { humans, chain } = facts('openai-chat', {
      messages: [
        { role: 'developer', content: 'x' },
        null,
        'text',
        { role: 'critic', content: 'x' },
        { role: 'user', content: ['x'] },
      ],
    })
    assert.deepEqual([humans, chain.length], [[4], 5])
  })

  it('tells images apart in each dialect', () => {
    const messages = (content: unknown, extra: JsonObject = {}) => ({ messages: [{ role: 'user', content, ...extra }] })
    const part = (url: string) => messages([{ type: 'image_url', image_url: { url } }])
    assert.notDeepEqual(facts('openai-chat', part('a')).chain, facts('openai-chat', part('b')).chain)
    const bare = (image: string) => messages('see', { images: [image] })
    assert.notDeepEqual(facts('ollama-chat', bare('a')).chain, facts('ollama-chat', bare('b')).chain)
    const block = (data: string) => messages([{ type: 'image', source: { type: 'base64', data } }])
    assert.notDeepEqual(facts('anthropic-messages', block('a')).chain, facts('anthropic-messages', block('b')).chain)
  })
})

describe('the transcript of a message', () => {
  it('does not change with thinking and cache marks', () => {
    const chain = (...content: readonly JsonObject[]) =>
      facts('anthropic-messages', { max_tokens: 9, messages: [{ role: 'assistant', content }] }).chain
    const text = { type: 'text', text: 'done' }
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }
    const marks = { cache_control: { type: 'ephemeral' } }
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
    assert.deepEqual(chain(thinking, { type: 'redacted_thinking', data: 'x' }, { ...text, ...marks }), chain(text))
    assert.deepEqual(chain({ ...search, ...marks }), chain(search))
    assert.notDeepEqual(chain(search), chain({ ...search, input: { query: 'y' } }))
  })

  it('takes a user message with a tool result in it for no person', () => {
    const { humans } = facts('anthropic-messages', {
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'x', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'y' },
            { type: 'text', text: 'note' },
          ],
        },
        { role: 'user', content: { type: 'text', text: 'a single block' } },
      ],
    })
    assert.deepEqual(humans, [0, 3])
  })
})

describe('the transcript of Gemini contents', () => {
  const facts = (...contents: readonly unknown[]): TranscriptFacts =>
    describeRequest('gemini-generate', { contents }).facts.transcript
  const model = (...parts: readonly JsonObject[]): JsonObject => ({ role: 'model', parts })
  const user = (...parts: readonly JsonObject[]): JsonObject => ({ role: 'user', parts })

  it('does not change with thoughts and their signatures, which clients drop', () => {
    const text = { text: 'done' }
    const thoughtful = facts(model({ text: 'hm', thought: true }, { ...text, thoughtSignature: 'c2ln' }))
    assert.deepEqual(thoughtful.chain, facts(model(text)).chain)
    assert.notDeepEqual(facts(model(text)).chain, facts(model({ text: 'other' })).chain)
  })

  it('pairs responses without an id by name and order, and those with one by it', () => {
    const calls = model(
      { functionCall: { name: 'a', args: { at: 1 } } },
      { functionCall: { name: 'b' } },
      { functionCall: { name: 'a', args: { at: 2 } } },
      { function_call: { id: 'x', name: 'c', args: {} } },
    )
    const response = (name: string, output: string, id?: string): JsonObject => ({
      functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) },
    })
    const { toolStates } = facts(
      calls,
      user(response('c', 'fourth', 'x'), response('b', 'second'), response('a', 'first'), response('a', 'third')),
    )
    assert.deepEqual(
      toolStates.map(({ tool }) => tool),
      ['c', 'b', 'a', 'a'],
    )
    assert.notEqual(toolStates[2]!.callDigest, toolStates[3]!.callDigest)
    assert.equal(
      toolStates[2]!.callDigest,
      facts(model({ functionCall: { name: 'a', args: { at: 1 } } }), user(response('a', ''))).toolStates[0]!.callDigest,
    )
  })

  it('reads a result from whatever object it is wrapped in, and an error as one', () => {
    const state = (response: unknown) =>
      facts(model({ functionCall: { name: 'a' } }), user({ functionResponse: { name: 'a', response } })).toolStates[0]!
    const plain = state({ output: 'text' })
    for (const wrapped of [{ result: 'text' }, { content: 'text' }, { output: 'text', took: 5 }]) {
      assert.equal(state(wrapped).resultDigest, plain.resultDigest)
    }
    assert.notEqual(state({ output: 'other' }).resultDigest, plain.resultDigest)
    assert.notEqual(state({ rows: 3 }).resultDigest, state({ rows: 4 }).resultDigest)
    assert.equal(plain.errorDigest, null)
    assert.notEqual(state({ error: 'no such file' }).errorDigest, null)
    assert.equal(state({ error: null, output: 'text' }).resultDigest, plain.resultDigest)
  })

  it('takes a content with a response for no person, and one without a role for one', () => {
    const { humans } = facts(
      { parts: [{ text: 'go' }] },
      model({ functionCall: { name: 'a' } }),
      user({ functionResponse: { name: 'a', response: {} } }, { text: 'note' }),
      { role: 'function', parts: [{ functionResponse: { name: 'a', response: {} } }] },
      { role: 'user', parts: { text: 'one part in the place of a list' } },
    )
    assert.deepEqual(humans, [0, 4])
  })

  it('tells pictures apart, and survives what is no content', () => {
    const image = (data: string) => facts(user({ inlineData: { mimeType: 'image/png', data } })).chain
    assert.notDeepEqual(image('a'), image('b'))
    assert.equal(facts(null, 'text', 3, {}, { role: 'critic', parts: ['x', null] }).chain.length, 5)
  })
})

describe('the transcript of a Responses input', () => {
  it('may be a single text', () => {
    const one = facts('openai-responses', { input: 'hello' })
    assert.deepEqual([one.humans, one.longestMessageChars], [[0], 5])
    assert.deepEqual(one.chain, facts('openai-responses', { input: [{ role: 'user', content: 'hello' }] }).chain)
    assert.deepEqual(facts('openai-responses', {}).chain, [])
  })

  it('knows all calls that the client answers', () => {
    const items = [
      ['custom_tool_call', 'custom_tool_call_output', { name: 'free', input: 'x' }, 'free'],
      ['local_shell_call', 'local_shell_call_output', { action: { command: ['ls'] } }, 'local_shell'],
      ['shell_call', 'shell_call_output', { action: { commands: ['ls'] } }, 'shell'],
      ['apply_patch_call', 'apply_patch_call_output', { operation: { path: 'a' } }, 'apply_patch'],
      ['computer_call', 'computer_call_output', { action: { type: 'click' } }, 'computer'],
    ] as const
    const input = items.flatMap(([call, output, fields], at) => [
      { type: call, call_id: `c${at}`, ...fields },
      { type: output, call_id: `c${at}`, output: call === 'computer_call' ? { image_url: 'x' } : 'ok' },
    ])
    const { toolStates } = facts('openai-responses', { input })
    assert.deepEqual(
      toolStates.map(({ tool }) => tool),
      items.map(([, , , tool]) => tool),
    )
    assert.equal(new Set(toolStates.map(({ callDigest }) => callDigest)).size, items.length)
  })

  it('has items of other kinds in its chain', () => {
    const chain = (item: unknown) => facts('openai-responses', { input: [{ role: 'user', content: 'x' }, item] }).chain
    assert.notDeepEqual(
      chain({ type: 'compaction', encrypted_content: 'a' }),
      chain({ type: 'compaction', encrypted_content: 'b' }),
    )
    assert.notDeepEqual(chain({ type: 'web_search_call', id: 'a' }), chain({ type: 'web_search_call', id: 'b' }))
    const reasoning = chain({ type: 'reasoning', encrypted_content: 'a' })
    assert.equal(reasoning[1], reasoning[0])
    assert.equal(chain(null).length, 2)
  })
})

describe('requests without messages', () => {
  it('have no transcript', () => {
    for (const dialect of [
      'openai-embeddings',
      'openai-completions',
      'ollama-generate',
      'ollama-embed',
      'gemini-embed',
    ] as const) {
      assert.deepEqual(facts(dialect, { input: 'x', prompt: 'x', content: {} }).chain, [])
    }
    assert.deepEqual(facts('ollama-chat', {}).chain, [])
  })
})
