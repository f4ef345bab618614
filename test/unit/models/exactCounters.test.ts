import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { CallFacts, DialectName } from '../../../daemon/call.ts'
import type { Upstream } from '../../../shared/config.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import { upstreamTarget } from '../../../daemon/http/target.ts'
import { exactCounter, soundCount } from '../../../daemon/models/exactCounters.ts'
import type { CountQuestion } from '../../../daemon/models/exactCounters.ts'
import { admittedCall } from '../tasks/calls.ts'

interface Asked {
  readonly dialect: DialectName
  readonly upstream: string
  readonly path: string
  readonly body: object
  readonly facts?: Partial<CallFacts>
}

function counterOf({ dialect, upstream, path, body, facts }: Asked): ReturnType<typeof exactCounter> {
  const call = admittedCall()
  const received = {
    ...call,
    dialect,
    upstreamName: upstream,
    upstream: defaults.upstreams[upstream] as Upstream,
    upstreamPath: path,
    body: Buffer.from(JSON.stringify(body)),
  }
  return exactCounter(received, { ...call.facts, hiddenInput: null, serverTools: [], ...facts })
}

/** Where the first question goes and what it holds; null where none is put. */
function questionOf(asked: Asked): { readonly url: string; readonly body: unknown } | null {
  const counter = counterOf(asked)
  const question = counter?.question() ?? null
  if (counter === null || question === null) return null
  const { origin, path } = upstreamTarget(counter.upstream, question.path)
  return { url: origin + path, body: JSON.parse(question.body.toString()) }
}

const withMedia: CallFacts['estimate'] = { upperTokens: 900, textTokens: 100, mediaTokens: 800 }
const search = { name: 'web_search', maxUses: 5 }
const messages = [{ role: 'user', content: 'hello' }]
const messagesAsk: Asked = {
  dialect: 'anthropic-messages',
  upstream: 'anthropic',
  path: '/v1/messages?beta=true',
  body: { model: 'claude-opus-5', max_tokens: 9, messages, system: 's', stream: true, metadata: { user_id: 'u' } },
}
const responsesAsk: Asked = {
  dialect: 'openai-responses',
  upstream: 'openai',
  path: '/responses',
  body: { model: 'gpt-5.6', input: 'go', previous_response_id: 'r1', max_output_tokens: 9, store: true },
  facts: { hiddenInput: { previousResponseId: 'r1' } },
}
const chatAsk: Asked = {
  dialect: 'openai-chat',
  upstream: 'openai',
  path: '/chat/completions',
  body: { model: 'gpt-5.6', messages, max_tokens: 9 },
}

describe('the exact counter of a call', () => {
  it('is count_tokens for Anthropic messages, with the query and only the fields that it takes', () => {
    assert.deepEqual(questionOf(messagesAsk), {
      url: 'https://api.anthropic.com/v1/messages/count_tokens?beta=true',
      body: { model: 'claude-opus-5', messages, system: 's' },
    })
  })

  it('A12: is input_tokens for OpenAI responses and knows what the provider keeps', () => {
    assert.deepEqual(questionOf(responsesAsk), {
      url: 'https://api.openai.com/v1/responses/input_tokens',
      body: { model: 'gpt-5.6', input: 'go', previous_response_id: 'r1' },
    })
  })

  it('is countTokens for Gemini, with the key of the query, the whole request in it, and its model named once more', () => {
    const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
    const body = { contents, system_instruction: { parts: [] }, generationConfig: { topK: 1 }, safetySettings: [] }
    const ask = (path: string, fields: object = body): Asked => ({
      dialect: 'gemini-generate',
      upstream: 'gemini',
      path,
      body: fields,
    })
    assert.deepEqual(questionOf(ask('/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=k')), {
      url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:countTokens?key=k',
      body: {
        generateContentRequest: {
          model: 'models/gemini-2.5-pro',
          contents,
          system_instruction: { parts: [] },
          generationConfig: { topK: 1 },
        },
      },
    })
    assert.deepEqual(questionOf(ask('/v1beta/models/g%3AgenerateContent', {})), {
      url: 'https://generativelanguage.googleapis.com/v1beta/models/g%3AcountTokens',
      body: { generateContentRequest: { model: 'models/g' } },
    })
    assert.deepEqual(questionOf(ask('/v1/publishers/google/models/g:generateContent')), {
      url: 'https://generativelanguage.googleapis.com/v1/publishers/google/models/g:countTokens',
      body: { contents, system_instruction: { parts: [] }, generationConfig: { topK: 1 } },
    })
    const counter = counterOf(ask('/v1beta/models/g:generateContent?key=k'))!
    assert.doesNotMatch(counter.name, /key/, 'N05: a key is in no name that is kept')
    const { read } = counter.question()!
    assert.equal(read({ totalTokens: 31 }), 31)
    assert.equal(read({ totalTokens: 31, cachedContentTokenCount: 900 }), 900)
    assert.equal(read({ error: {} }), null)
  })

  it('is asked about a Gemini cache that the request only names, and not about calls with Google’s tools', () => {
    const ask: Asked = {
      dialect: 'gemini-generate',
      upstream: 'gemini',
      path: '/v1beta/models/g:generateContent',
      body: { contents: [], cachedContent: 'cachedContents/c' },
    }
    assert.deepEqual(questionOf(ask)?.body, {
      generateContentRequest: { model: 'models/g', contents: [], cachedContent: 'cachedContents/c' },
    })
    assert.equal(counterOf({ ...ask, facts: { serverTools: [search] } }), null)
  })

  it('is not asked about a stored prompt, whose name it does not take', () => {
    const body = { model: 'gpt-5.6', prompt: { id: 'p' } }
    assert.equal(questionOf({ ...responsesAsk, body, facts: { hiddenInput: { previousResponseId: null } } }), null)
  })

  it('is input_tokens for a chat completion at OpenAI that can be converted', () => {
    assert.deepEqual(questionOf(chatAsk), {
      url: 'https://api.openai.com/v1/responses/input_tokens',
      body: { model: 'gpt-5.6', input: messages },
    })
    assert.equal(questionOf({ ...chatAsk, body: { model: 'm', messages: [{ role: 'user', name: 'ada' }] } }), null)
  })

  it('is tokenize at the root of vLLM', () => {
    assert.deepEqual(questionOf({ ...chatAsk, upstream: 'vllm' }), {
      url: 'http://127.0.0.1:8000/tokenize',
      body: { model: 'gpt-5.6', messages },
    })
    const read = counterOf({ ...chatAsk, upstream: 'vllm' })?.question()?.read
    assert.equal(read?.({ count: 12, max_model_len: 4096, tokens: [] }), 12)
  })

  it('is the template and then its tokens at llama.cpp', () => {
    const first = counterOf({ ...chatAsk, upstream: 'llamacpp' })?.question()
    assert.equal(first?.path, '/apply-template')
    const second = first.read({ prompt: '<user>hello' }) as CountQuestion
    assert.equal(second.path, '/tokenize')
    assert.equal((JSON.parse(second.body.toString()) as { content: string }).content, '<user>hello')
    assert.equal(second.read({ tokens: [1, 2, 3] }), 3)
    assert.equal(first.read({ error: 'no template' }), null)
    assert.equal(second.read({ tokens: [] }), null)
  })

  const without: readonly (readonly [string, Asked])[] = [
    ['Ollama', { ...chatAsk, upstream: 'ollama' }],
    ["Ollama's emulation of Anthropic", { ...messagesAsk, upstream: 'ollama' }],
    ['LM Studio', { ...chatAsk, upstream: 'lmstudio' }],
    ['responses at a local server', { ...responsesAsk, upstream: 'vllm' }],
    ['chat at another provider', { ...chatAsk, upstream: 'groq' }],
    ['embeddings', { ...chatAsk, dialect: 'openai-embeddings' }],
    ['images at a local server', { ...chatAsk, upstream: 'vllm', facts: { estimate: withMedia } }],
    ['server-side tools, which send the context again', { ...messagesAsk, facts: { serverTools: [search] } }],
  ]
  for (const [what, asked] of without) {
    it(`does not exist for ${what}`, () => assert.equal(counterOf(asked), null))
  }

  it('is asked about images where it knows them', () => {
    assert.notEqual(counterOf({ ...messagesAsk, facts: { estimate: withMedia } }), null)
  })

  it('says a whole number above 0 and below a hundred million, or nothing', () => {
    assert.equal(soundCount(1), 1)
    assert.equal(soundCount(99_999_999), 99_999_999)
    for (const value of [0, -1, 1.5, 100_000_000, NaN, Infinity, '12', null, undefined, [12], { count: 12 }]) {
      assert.equal(soundCount(value), null)
    }
    const read = counterOf(messagesAsk)?.question()?.read
    assert.ok(read !== undefined)
    assert.equal(read({ input_tokens: 4021, context_management: { original_input_tokens: 5000 } }), 4021)
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        const said = read(answer)
        return said === null || Number.isSafeInteger(said)
      }),
    )
  })
})
