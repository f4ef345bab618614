import assert from 'node:assert/strict'
import type { DialectName } from '../../../daemon/call.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { describeRequest } from './builders.ts'

/** Stands for a picture of any size; what matters is that it is never counted as text. */
const payload = 'iVBORw0KGgoAAAANSUhEUg'.repeat(2000)

describe('J04: base64 is media, never text', () => {
  const requests: readonly (readonly [string, DialectName, JsonObject, string])[] = [
    [
      'an image_url part',
      'openai-chat',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${payload}`, detail: 'low' } }],
          },
        ],
      },
      'image',
    ],
    [
      'an image_url that is a string',
      'openai-chat',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: `data:image/png;base64,${payload}` }] }] },
      'image',
    ],
    [
      'an upper-case DATA: URL',
      'openai-chat',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: `DATA:IMAGE/PNG;BASE64,${payload}` } }] },
        ],
      },
      'image',
    ],
    [
      'an image in a tool message',
      'openai-chat',
      {
        messages: [
          { role: 'tool', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${payload}` } }] },
        ],
      },
      'image',
    ],
    [
      'an audio part',
      'openai-chat',
      {
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: payload, format: 'wav' } }] }],
      },
      'audio',
    ],
    [
      'a file part',
      'openai-chat',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${payload}` } },
            ],
          },
        ],
      },
      'file',
    ],
    [
      'a part of an unknown kind',
      'openai-chat',
      { messages: [{ role: 'user', content: [{ type: 'hologram', data: payload }] }] },
      'unknown',
    ],
    [
      'an input_image',
      'openai-responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${payload}` }] }] },
      'image',
    ],
    [
      'an image in a function output',
      'openai-responses',
      {
        input: [
          {
            type: 'function_call_output',
            call_id: 'c',
            output: [{ type: 'input_image', image_url: `data:image/png;base64,${payload}` }],
          },
        ],
      },
      'image',
    ],
    [
      'a screenshot',
      'openai-responses',
      {
        input: [
          {
            type: 'computer_call_output',
            output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${payload}` },
          },
        ],
      },
      'image',
    ],
    [
      'a generated image that is sent back',
      'openai-responses',
      { input: [{ type: 'image_generation_call', id: 'i', result: payload }] },
      'image',
    ],
    [
      'an item of an unknown kind',
      'openai-responses',
      { input: [{ type: 'hologram_call', result: payload }] },
      'unknown',
    ],
    [
      'an Anthropic image',
      'anthropic-messages',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: payload } }],
          },
        ],
      },
      'image',
    ],
    [
      'an Anthropic document',
      'anthropic-messages',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: payload } }],
          },
        ],
      },
      'file',
    ],
    [
      'an image in a tool result',
      'anthropic-messages',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: payload } }],
              },
            ],
          },
        ],
      },
      'image',
    ],
    [
      'an Anthropic block of an unknown kind',
      'anthropic-messages',
      { messages: [{ role: 'user', content: [{ type: 'hologram', data: payload }] }] },
      'unknown',
    ],
    [
      'an image of Ollama’s chat',
      'ollama-chat',
      { messages: [{ role: 'user', content: 'see', images: [payload] }] },
      'image',
    ],
    ['an image of Ollama’s generate', 'ollama-generate', { prompt: 'see', images: [payload] }, 'image'],
  ]
  for (const [name, dialect, body, kind] of requests) {
    it(`${name} (${dialect})`, () => {
      const { counter } = describeRequest(dialect, { model: 'm', max_tokens: 5, ...body })
      assert.deepEqual(
        counter.parts.map((part) => part.kind),
        [kind],
      )
      assert.ok(counter.allText.length < 200, counter.allText.slice(0, 300))
    })
  }
  it('hands over the payload without its data URL head, for the size in its first bytes', () => {
    const { counter } = describeRequest('openai-chat', {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'DATA:image/PNG;base64,AAAA', detail: 'high' } }],
        },
      ],
    })
    assert.deepEqual(counter.parts, [{ kind: 'image', base64: 'AAAA', mimeType: 'image/png', detail: 'high' }])
  })
  it('J05: an image by address is not nothing', () => {
    const { counter } = describeRequest('openai-chat', {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.test/a.png' } }] }],
    })
    assert.deepEqual(
      counter.parts.map(({ kind, base64 }) => [kind, base64]),
      [['image', undefined]],
    )
  })
})

describe('H03: everything that the model reads is counted', () => {
  const sees = (dialect: DialectName, body: JsonObject, words: readonly string[]): void => {
    const { counter } = describeRequest(dialect, { model: 'm', max_tokens: 5, ...body })
    for (const word of words) assert.ok(counter.allText.includes(word), `${word} is missing`)
  }
  it('in a chat: system, names, tool schemas, tool calls and results, reasoning, answer schemas', () => {
    sees(
      'openai-chat',
      {
        messages: [
          { role: 'system', content: 'alpha' },
          { role: 'user', name: 'bravo', content: [{ type: 'text', text: 'charlie' }] },
          {
            role: 'assistant',
            content: null,
            reasoning_content: 'delta',
            tool_calls: [{ id: '1', type: 'function', function: { name: 'echo', arguments: '{"q":"foxtrot"}' } }],
          },
          { role: 'assistant', function_call: { name: 'golf', arguments: '{}' } },
          { role: 'tool', tool_call_id: '1', content: 'hotel' },
        ],
        tools: [{ type: 'function', function: { name: 'india', description: 'juliett' } }],
        tool_choice: { type: 'function', function: { name: 'kilo' } },
        response_format: { type: 'json_schema', json_schema: { name: 'lima' } },
      },
      ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett', 'kilo', 'lima'],
    )
  })
  it('H05: in messages: every system block, thinking, tools, calls and nested results', () => {
    sees(
      'anthropic-messages',
      {
        system: [
          { type: 'text', text: 'alpha' },
          { type: 'text', text: 'bravo' },
        ],
        messages: [
          { role: 'user', content: 'charlie' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'delta', signature: 's' },
              { type: 'tool_use', id: '1', name: 'echo', input: { q: 'foxtrot' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: '1', content: 'golf' },
              { type: 'document', title: 'hotel', source: { type: 'text', media_type: 'text/plain', data: 'india' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'search_result', title: 'juliett', source: 'kilo', content: [{ type: 'text', text: 'lima' }] },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'code_execution_tool_result', content: { type: 'code_execution_result', stdout: 'mike' } },
            ],
          },
        ],
        tools: [{ name: 'november', input_schema: { description: 'oscar' } }],
        tool_choice: { type: 'tool', name: 'papa' },
      },
      [
        'alpha',
        'bravo',
        'charlie',
        'delta',
        'echo',
        'foxtrot',
        'golf',
        'hotel',
        'india',
        'juliett',
        'kilo',
        'lima',
        'mike',
        'november',
        'oscar',
        'papa',
      ],
    )
  })
  it('in responses: instructions, items, tools, prompt variables', () => {
    sees(
      'openai-responses',
      {
        instructions: 'alpha',
        input: [
          { role: 'user', content: 'bravo' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'charlie' }] },
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'delta' }], encrypted_content: 'sealed' },
          { type: 'function_call', name: 'echo', arguments: '{"q":"foxtrot"}' },
          { type: 'function_call_output', output: 'golf' },
          { type: 'web_search_call', action: { query: 'hotel' } },
        ],
        tools: [{ type: 'function', name: 'india' }],
        text: { format: { type: 'json_schema', name: 'juliett' } },
        prompt: { id: 'p', variables: { a: 'kilo', b: { type: 'input_text', text: 'lima' } } },
      },
      ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'juliett', 'kilo', 'lima'],
    )
  })
  it('in Ollama’s formats: thinking, calls, tools, format, system and template', () => {
    sees(
      'ollama-chat',
      {
        messages: [
          { role: 'user', content: 'alpha' },
          {
            role: 'assistant',
            content: '',
            thinking: 'bravo',
            tool_calls: [{ function: { name: 'charlie', arguments: { q: 'delta' } } }],
          },
          { role: 'tool', tool_name: 'echo', content: 'foxtrot' },
        ],
        tools: [{ type: 'function', function: { name: 'golf' } }],
        format: { title: 'hotel' },
      },
      ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'],
    )
    const { counter } = describeRequest('ollama-generate', {
      model: 'm',
      prompt: 'alpha',
      system: 'bravo',
      template: 'charlie',
      suffix: 'delta',
      context: [1, 2, 3],
    })
    assert.deepEqual(counter.texts.toSorted(), ['alpha', 'bravo', 'charlie', 'delta'])
    assert.equal(counter.exactTokens, 3)
  })
  it('counts token ids by their number', () => {
    const exact = (dialect: DialectName, body: JsonObject): number =>
      describeRequest(dialect, { model: 'm', ...body }).counter.exactTokens
    assert.equal(exact('openai-embeddings', { input: [5, 6, 7] }), 3)
    assert.equal(exact('openai-embeddings', { input: [[5, 6], [7]] }), 3)
    assert.equal(exact('openai-completions', { prompt: [5, 6, 7] }), 3)
  })
  it('does not count sealed reasoning as text, but not as nothing either', () => {
    const sealed = 'x'.repeat(4000)
    const { counter } = describeRequest('openai-responses', {
      model: 'm',
      input: [{ type: 'reasoning', summary: [], encrypted_content: sealed }],
    })
    assert.equal(counter.allText, '')
    assert.ok(counter.structureTokens >= 1000)
  })
  it('does not fall over content that is nested without end', () => {
    let content: unknown = 'x'
    for (let depth = 0; depth < 5000; depth += 1) content = [{ type: 'tool_result', tool_use_id: 't', content }]
    const { counter } = describeRequest('anthropic-messages', {
      model: 'm',
      max_tokens: 1,
      messages: [{ role: 'user', content }],
    })
    assert.deepEqual(counter.parts, [{ kind: 'unknown' }])
  })
})

describe('structure tokens', () => {
  const structure = (dialect: DialectName, body: JsonObject, context = {}): number =>
    describeRequest(dialect, { model: 'm', max_tokens: 5, ...body }, context).counter.structureTokens
  const messages = [{ role: 'user', content: 'x'.repeat(6052) }]

  it('known answer 1: a chat message of 6,052 characters comes to 2,030 tokens at three characters each', () => {
    assert.equal(describeRequest('openai-chat', { model: 'm', messages }).facts.estimate.upperTokens, 2030)
  })
  it('grow with each message', () => {
    assert.equal(structure('openai-chat', { messages }), 12)
    assert.equal(structure('openai-chat', { messages: [...messages, ...messages] }), 16)
    assert.equal(structure('anthropic-messages', { messages }), 12)
    assert.equal(structure('ollama-chat', { messages }), 68)
  })
  it('hold what the provider adds as soon as there are tools', () => {
    const tools = [{ name: 't', input_schema: {} }]
    assert.equal(
      structure('anthropic-messages', { messages, tools }) - structure('anthropic-messages', { messages }),
      612,
    )
    assert.equal(structure('openai-chat', { messages, tools }) - structure('openai-chat', { messages }), 28)
    const builtIn = [{ type: 'bash_20250124', name: 'bash' }]
    assert.ok(
      structure('anthropic-messages', { messages, tools: builtIn }) >
        structure('anthropic-messages', { messages, tools }),
    )
  })
})
