import assert from 'node:assert/strict'
import { chatAsInput } from '../../../daemon/models/chatAsInput.ts'

const user = { role: 'user', content: 'Read a.ts.' }
const convert = (more: object, messages: readonly object[] = [user]): ReturnType<typeof chatAsInput> =>
  chatAsInput({ model: 'gpt-5.6', messages, ...more })

describe('a chat completion as OpenAI counts it', () => {
  it('keeps text of every role, in strings and in parts', () => {
    const parts = (role: string) => ({ role, content: [{ type: 'text', text: 'one' }] })
    assert.deepEqual(convert({}, [{ role: 'system', content: 'Be brief.' }, parts('user'), parts('assistant')]), {
      model: 'gpt-5.6',
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'one' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'one' }] },
      ],
    })
  })

  it('keeps function tools, their calls and their results', () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' } } }
    const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } }
    const answered = { role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [call] }
    const more = {
      tools: [{ type: 'function', function: { name: 'read', description: 'Reads a file.', parameters } }],
      tool_choice: { type: 'function', function: { name: 'read' } },
      parallel_tool_calls: false,
    }
    assert.deepEqual(convert(more, [user, answered, { role: 'tool', tool_call_id: 'c1', content: 'text' }]), {
      model: 'gpt-5.6',
      input: [
        user,
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.ts"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'text' },
      ],
      tools: [{ type: 'function', name: 'read', description: 'Reads a file.', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'read' },
      parallel_tool_calls: false,
    })
  })

  it('keeps the schema of the answer, effort and verbosity, and leaves out what adds nothing to the prompt', () => {
    const schema = { type: 'object' }
    const more = {
      response_format: { type: 'json_schema', json_schema: { name: 'row', schema, strict: true } },
      reasoning_effort: 'high',
      verbosity: 'low',
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      user: 'ada',
      functions: null,
    }
    assert.deepEqual(convert(more), {
      model: 'gpt-5.6',
      input: [user],
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'row', schema, strict: true }, verbosity: 'low' },
    })
  })

  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const impossible: readonly (readonly [what: string, more: object, messages?: readonly object[]])[] = [
    ['an image', {}, [{ role: 'user', content: [image] }]],
    ['audio', {}, [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }]],
    ['audio of an earlier answer', {}, [user, { role: 'assistant', audio: { id: 'a' } }]],
    ['a refusal', {}, [user, { role: 'assistant', content: null, refusal: 'No.' }]],
    ['the name of a speaker', {}, [{ ...user, name: 'ada' }]],
    ['a role that is not known', {}, [{ role: 'function', name: 'f', content: 'x' }]],
    ['a message without content', {}, [{ role: 'user' }]],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'sql' } }] }],
    ['a custom tool call', {}, [user, { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: {} }] }]],
    ['a result without its call', {}, [user, { role: 'tool', content: 'x' }]],
    ['the older functions', { functions: [{ name: 'f' }] }],
    ['a choice of several tools', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
    ['a search', { web_search_options: { search_context_size: 'high' } }],
    ['a format that is not known', { response_format: { type: 'grammar' } }],
    ['a field that is not known', { some_new_context: 'x' }],
    ['messages that are no list', { messages: 'hello' }],
  ]
  for (const [what, more, messages] of impossible) {
    it(`is not made of ${what}`, () => assert.equal(convert(more, messages), null))
  }
})
