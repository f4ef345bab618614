import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { startUpstream } from '../../upstream/upstream.ts'
import type { Upstream } from '../../upstream/upstream.ts'

describe('the playing upstream', () => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
  })
  beforeEach(() => upstream.reset())
  after(() => upstream.close())

  const openai = () => new OpenAI({ apiKey: 'sk-test', baseURL: upstream.baseUrls.openai, maxRetries: 0 })
  const anthropic = () => new Anthropic({ apiKey: 'sk-test', baseURL: upstream.baseUrls.anthropic, maxRetries: 0 })
  const gemini = () => new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: upstream.baseUrls.gemini } })
  const ollama = () => new Ollama({ host: upstream.baseUrls.ollama })
  const messages = [{ role: 'user' as const, content: 'Say hello.' }]
  /** The ceiling that the SDK's types call deprecated and half the servers still want. */
  const oldCeiling = (tokens: number): object => ({ max_tokens: tokens })
  const post = (path: string, body: object, signal?: AbortSignal) =>
    fetch(`${upstream.url}${path}`, { method: 'POST', body: JSON.stringify(body), ...(signal ? { signal } : {}) })

  it('answers Gemini in its three forms, with thoughts beside the candidates and a total that adds up', async () => {
    const step = { inputTokens: 90, cacheReadTokens: 40, thinkingTokens: 12, outputTokens: 20 }
    upstream.next(step, step, step)
    const model = 'gemini-2.5-flash'
    const usage = {
      promptTokenCount: 90,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 12,
      totalTokenCount: 122,
    }
    const whole = await gemini().models.generateContent({ model, contents: 'Say hello.' })
    assert.partialDeepStrictEqual(whole.usageMetadata, usage)
    let text = ''
    for await (const part of await gemini().models.generateContentStream({ model, contents: 'Say hello.' })) {
      text += part.text ?? ''
    }
    assert.equal(text, whole.text)
    const body = { contents: [{ parts: [{ text: 'Say hello.' }] }] }
    const response = await post(`/gemini/v1beta/models/${model}:streamGenerateContent`, body)
    const elements = (await response.json()) as { usageMetadata: { totalTokenCount: number } }[]
    assert.equal(elements.length, 21)
    assert.equal(elements.at(-1)!.usageMetadata.totalTokenCount, 122)
  })

  it('counts and embeds as Gemini does, and refuses what Gemini refuses', async () => {
    const counted = await gemini().models.countTokens({ model: 'g', contents: 'one two three' })
    assert.equal(counted.totalTokens, 6)
    const whole = { generateContentRequest: { contents: [{ parts: [{ text: 'one two three' }] }] } }
    assert.equal((await post('/gemini/v1beta/models/g:countTokens', whole)).status, 400, 'without its model')
    const vectors = await gemini().models.embedContent({ model: 'e', contents: ['a', 'b'] })
    assert.equal(vectors.embeddings?.length, 2)
    assert.equal((await post('/gemini/v1beta/models/g:generateContent', {})).status, 400)
    assert.equal((await post('/gemini/v1beta/nonsense', {})).status, 404)
  })

  it('answers an OpenAI chat with about 40 tokens and honest usage', async () => {
    const answer = await openai().chat.completions.create({ model: 'gpt-4o-mini', messages })
    assert.match(answer.choices[0]!.message.content ?? '', /friendly/)
    assert.equal(answer.choices[0]!.finish_reason, 'stop')
    assert.ok(answer.usage!.completion_tokens > 30 && answer.usage!.completion_tokens < 60)
    assert.equal(answer.usage!.total_tokens, answer.usage!.prompt_tokens + answer.usage!.completion_tokens)
  })

  it('streams the same text and sends the usage chunk only when it is asked for', async () => {
    const collect = async (extra: object) => {
      let text = ''
      let usages = 0
      const stream = await openai().chat.completions.create({ model: 'm', messages, stream: true, ...extra })
      for await (const part of stream) {
        text += part.choices[0]?.delta.content ?? ''
        if (part.usage) usages += 1
      }
      return { text, usages }
    }
    const without = await collect({})
    const asked = await collect({ stream_options: { include_usage: true } })
    assert.deepEqual([without.usages, asked.usages], [0, 1])
    assert.equal(asked.text, without.text)
    assert.match(without.text, /short and friendly answer each time you do\.$/)
  })

  it('stops at the output ceiling and says so, reasoning first', async () => {
    upstream.next({ outputTokens: 500 }, { thinkingTokens: 100_000 })
    const cut = await openai().chat.completions.create({ model: 'm', messages, max_completion_tokens: 20 })
    assert.equal(cut.choices[0]!.finish_reason, 'length')
    assert.equal(cut.usage!.completion_tokens, 20)
    const thought = await openai().chat.completions.create({ model: 'm', messages, ...oldCeiling(256) })
    assert.equal(thought.choices[0]!.message.content, '')
    assert.equal(thought.usage!.completion_tokens_details!.reasoning_tokens, 256)
  })

  it('answers Responses, embeddings, completions and counters', async () => {
    const client = openai()
    const first = await client.responses.create({ model: 'm', input: 'hello' })
    assert.match(first.output_text, /friendly/)
    const counted = await client.responses.inputTokens.count({
      model: 'm',
      input: 'go on',
      previous_response_id: first.id,
    })
    assert.ok(counted.input_tokens > first.usage!.total_tokens)
    const stream = await client.responses.create({ model: 'm', input: 'x', stream: true, max_output_tokens: 16 })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    assert.deepEqual([types[0], types.at(-1)], ['response.created', 'response.incomplete'])
    const vectors = await client.embeddings.create({ model: 'm', input: ['a', 'b'] })
    assert.deepEqual([vectors.data.length, vectors.usage.prompt_tokens, vectors.data[1]!.embedding.length], [2, 2, 8])
    const completion = await client.completions.create({ model: 'm', prompt: 'x' })
    assert.equal(completion.usage!.completion_tokens, 16)
    assert.equal((await client.models.list()).data.length, 4)
  })

  it('refuses in its counters what the real ones do not take', async () => {
    const count = (path: string, body: object) => post(path, { model: 'm', ...body })
    for (const [path, extra] of [
      ['/anthropic/v1/messages/count_tokens', { max_tokens: 5 }],
      ['/openai/v1/responses/input_tokens', { max_output_tokens: 5 }],
    ] as const) {
      assert.equal((await count(path, {})).status, 200)
      assert.equal((await count(path, extra)).status, 400)
    }
  })

  it('counts as local servers do', async () => {
    const ask = async (path: string, body: object) => (await post(`/openai${path}`, body)).json()
    const { count } = (await ask('/tokenize', { messages })) as { count: number }
    const { prompt } = (await ask('/apply-template', { messages })) as { prompt: string }
    const { tokens } = (await ask('/tokenize', { content: prompt })) as { tokens: readonly number[] }
    assert.match(prompt, /Say hello/)
    assert.ok(count > 4 && tokens.length > count)
  })

  it('answers Anthropic messages with cache fields, streamed and not', async () => {
    const step = { inputTokens: 11_000, cacheReadTokens: 9000, cacheWrite5mTokens: 1500, cacheWrite1hTokens: 300 }
    upstream.next(step, step)
    const ask = { model: 'claude-haiku-4-5', max_tokens: 100, messages }
    const plain = await anthropic().messages.create(ask)
    assert.equal(plain.usage.input_tokens, 200)
    assert.equal(plain.usage.cache_creation!.ephemeral_1h_input_tokens, 300)
    const streamed = await anthropic().messages.stream(ask).finalMessage()
    assert.deepEqual(streamed.content, plain.content)
    assert.equal(streamed.usage.output_tokens, plain.usage.output_tokens)
    assert.equal(streamed.stop_reason, 'end_turn')
    assert.equal((await anthropic().messages.countTokens({ model: 'm', messages })).input_tokens, 10)
  })

  it('cuts an Ollama prompt as the server does: 2,051 of 4,096 for every longer prompt', async () => {
    for (const tokens of [666, 3204, 12_920, 38_980]) {
      upstream.next({ inputTokens: tokens })
      const answer = await ollama().chat({ model: 'gemma3:4b', messages })
      assert.equal(answer.prompt_eval_count, tokens < 4096 ? tokens : 2051)
    }
    upstream.next({ inputTokens: 9000 })
    const raised = await ollama().generate({ model: 'gemma3:4b', prompt: 'x', options: { num_ctx: 16_384 } })
    assert.equal(raised.prompt_eval_count, 9000)
    upstream.next({ inputTokens: 9000 })
    const refused = ollama().chat({ model: 'gemma3:4b', messages, truncate: false } as never)
    await assert.rejects(refused, /longer than the context length/)
  })

  it('shows what the cut left of the prompt: its front and its tail', async () => {
    upstream.next({ echoWindow: true })
    const prompt = `FRONT ${' apple'.repeat(9000)} THE QUESTION`
    const answer = await ollama().generate({ model: 'gemma3:4b', prompt })
    assert.equal(answer.prompt_eval_count, 2051)
    const seen = answer.response ?? ''
    assert.match(seen, /^FRONT/)
    assert.match(seen, /THE QUESTION$/)
    assert.ok(seen.length < prompt.length / 3)
  })

  it('has the quirks of the Ollama emulations', async () => {
    const v1 = new OpenAI({ apiKey: 'x', baseURL: `${upstream.baseUrls.ollama}/v1`, maxRetries: 0 })
    upstream.next({ outputTokens: 90 }, { outputTokens: 90 }, { midStreamError: { afterChunks: 2 } })
    const ignored = await v1.chat.completions.create({ model: 'm', messages, max_completion_tokens: 5 })
    assert.equal(ignored.usage!.completion_tokens, 90)
    const response = await v1.responses.create({ model: 'm', input: 'x', max_output_tokens: 20 })
    assert.deepEqual([response.status, response.usage!.output_tokens], ['completed', 20])
    const swallowed: (string | null)[] = []
    for await (const part of await v1.chat.completions.create({ model: 'm', messages, stream: true })) {
      swallowed.push(part.choices[0]!.finish_reason)
    }
    assert.deepEqual(swallowed, [null, null, null])
    const v1Messages = new Anthropic({ apiKey: 'x', baseURL: upstream.baseUrls.ollama, maxRetries: 0 })
    const events = []
    const stream = await v1Messages.messages.create({ model: 'm', max_tokens: 10, messages, stream: true })
    for await (const event of stream) events.push(event)
    const start = events[0]
    assert.ok(start?.type === 'message_start' && start.message.usage.input_tokens > 0)
    await assert.rejects(v1Messages.messages.countTokens({ model: 'm', messages }), /404/)
  })

  it('answers what the Ollama client asks besides', async () => {
    assert.equal((await ollama().list()).models.length, 3)
    assert.ok((await ollama().show({ model: 'qwen3:4b' })).capabilities.includes('thinking'))
    await ollama().chat({ model: 'qwen3:4b', messages })
    assert.equal((await ollama().ps()).models[0]!.name, 'qwen3:4b')
    assert.equal((await ollama().embed({ model: 'n', input: ['a', 'b'] })).embeddings.length, 2)
    assert.equal((await fetch(`${upstream.baseUrls.ollama}/`, { method: 'HEAD' })).status, 200)
  })

  it('breaks off as it is told: error, clean cut, reset, silence', async () => {
    const ask = { model: 'm', messages, stream: true }
    upstream.next(
      { midStreamError: { afterChunks: 2, message: 'broke' } },
      { cutAfterChunks: 2 },
      { resetAfterChunks: 2 },
    )
    assert.match(await (await post('/v1/chat/completions', ask)).text(), /"error":\{"message":"broke"/)
    const cut = await (await post('/v1/chat/completions', ask)).text()
    assert.doesNotMatch(cut, /DONE|finish_reason":"stop"/)
    await assert.rejects((await post('/v1/chat/completions', ask)).text())
    upstream.next({ hangAfterChunks: 1 })
    const controller = new AbortController()
    const hanging = await post('/v1/chat/completions', ask, controller.signal)
    const request = await upstream.waitForRequests(4)
    assert.equal(request.closed, null)
    controller.abort()
    assert.equal((await upstream.waitForClose(request)).finished, false)
    await assert.rejects(hanging.text())
  })

  it('sends the same bytes compressed, in single bytes and with other line ends', async () => {
    const frames = ['data: {"a":"北京🌍"}\n\n', 'data: [DONE]\n\n']
    upstream.next({ frames }, { frames, splitBytes: 1 }, { frames, lineEnd: '\r\n' })
    const ask = { model: 'm', messages, stream: true }
    assert.equal(await (await post('/v1/chat/completions', ask)).text(), frames.join(''))
    assert.equal(await (await post('/v1/chat/completions', ask)).text(), frames.join(''))
    const crlf = await (await post('/v1/chat/completions', ask)).text()
    assert.equal(crlf, frames.join('').replaceAll('\n', '\r\n'))
    upstream.next({ frames, gzip: true }, { gzip: true, text: 'packed' }, { gzip: true, status: 404 })
    const streamed = await post('/v1/chat/completions', ask)
    assert.equal(streamed.headers.get('content-encoding'), 'gzip')
    assert.equal(await streamed.text(), frames.join(''))
    assert.match(await (await post('/v1/chat/completions', { model: 'm', messages })).text(), /packed/)
    const missing = await post('/v1/chat/completions', { model: 'm', messages })
    assert.equal(missing.status, 404)
    assert.match(await missing.text(), /answers 404/)
  })

  it('answers errors in the shape of the provider, redirects and garbage', async () => {
    upstream.script((request) =>
      request.path.includes('redirect') ? { redirect: 'http://192.0.2.1/' } : { status: 529 },
    )
    await assert.rejects(anthropic().messages.create({ model: 'm', max_tokens: 5, messages }), /overloaded_error/)
    await assert.rejects(ollama().chat({ model: 'm', messages }), /The provider answers 529/)
    const redirect = await fetch(`${upstream.url}/redirect`, { redirect: 'manual' })
    assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, 'http://192.0.2.1/'])
    upstream.next({ garbage: '<html>' })
    assert.equal(await (await post('/v1/chat/completions', {})).text(), '<html>')
  })

  it('when strict, refuses what the real services refuse', async () => {
    const strict = await startUpstream({ strict: true })
    try {
      const bare = await fetch(`${strict.baseUrls.anthropic}/v1/messages`, { method: 'POST', body: '{"model":"m"}' })
      assert.equal(bare.status, 401)
      const client = new OpenAI({ apiKey: 'sk-test', baseURL: strict.baseUrls.openai, maxRetries: 0 })
      const refused = client.chat.completions.create({ model: 'gpt-5.5', messages, ...oldCeiling(10) })
      await assert.rejects(refused, /Unsupported parameter/)
    } finally {
      await strict.close()
    }
  })
})
