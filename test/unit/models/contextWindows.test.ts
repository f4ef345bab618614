import assert from 'node:assert/strict'
import type { AskJson, JsonAsk, JsonReply } from '../../../daemon/http/askJson.ts'
import { ContextWindows } from '../../../daemon/models/contextWindows.ts'
import type { WindowQuestion } from '../../../daemon/models/contextWindows.ts'
import { lmStudioWindow, ollamaWindow } from '../../../daemon/models/effectiveWindow.ts'
import type { OllamaKnowledge } from '../../../daemon/models/effectiveWindow.ts'
import { admittedCall } from '../tasks/calls.ts'

const ollama = { baseUrl: 'http://127.0.0.1:11434', dialect: 'ollama', free: true } as const
const question: WindowQuestion = {
  upstreamName: 'ollama',
  upstream: ollama,
  dialect: 'openai-chat',
  model: 'gemma3:4b',
  numCtx: null,
  needsMaximum: false,
  credentials: [],
}

/** A server: what it has loaded, what its models are, and what it was asked. */
class PlayedServer {
  nowMs = 0
  readonly asks: JsonAsk[] = []
  loaded: Record<string, number> = {}
  parameters = ''
  maximum = 131_072
  fails: (path: string) => boolean = () => false

  get paths(): readonly string[] {
    return this.asks.map(({ path }) => path)
  }

  readonly ask: AskJson = (ask) => {
    this.asks.push(ask)
    return Promise.resolve(this.fails(ask.path) ? null : { status: 200, value: this.#answer(ask.path) })
  }

  windows(ask: AskJson = this.ask): ContextWindows {
    return new ContextWindows({ ask, nowMs: () => this.nowMs })
  }

  #answer(path: string): unknown {
    if (path === '/api/ps')
      return { models: Object.entries(this.loaded).map(([name, context_length]) => ({ name, context_length })) }
    return {
      parameters: this.parameters,
      model_info: { 'general.architecture': 'gemma3', 'gemma3.context_length': this.maximum },
    }
  }
}

describe('the window of a request at an Ollama server', () => {
  const nothing: OllamaKnowledge = { requested: null, loaded: null, shown: null, earlier: null }
  const shown = { numCtx: null, maximum: 131_072, hasVision: false, isRemote: false }

  for (const [name, knowledge, tokens, certainty] of [
    ['its own num_ctx', { requested: 8192, loaded: { window: 4096 }, shown }, 8192, 'requested'],
    ['no more than the model takes', { requested: 1_000_000, shown }, 131_072, 'requested'],
    [
      'at least 2,048 for a model that sees',
      { requested: 512, shown: { ...shown, hasVision: true } },
      2048,
      'requested',
    ],
    [
      'what the model is loaded with',
      { loaded: { window: 16_384 }, shown: { ...shown, numCtx: 8192 } },
      16_384,
      'loaded',
    ],
    ['what the Modelfile says', { shown: { ...shown, numCtx: 8192 }, earlier: 4096 }, 8192, 'configured'],
    ['all of a model in the cloud', { shown: { ...shown, isRemote: true } }, 131_072, 'model'],
    ['what it was loaded with before, as a guess', { shown, earlier: 32_768 }, 32_768, 'assumed'],
    ['4,096 where nothing is known', {}, 4096, 'assumed'],
    ['for certain no more than a small model takes', { shown: { ...shown, maximum: 2048 } }, 2048, 'model'],
  ] as const) {
    it(`is ${name}`, () => {
      const window = ollamaWindow({ ...nothing, ...knowledge })
      assert.deepEqual([window?.tokens, window?.certainty], [tokens, certainty])
    })
  }

  it('is not guessed for a model in the cloud', () => {
    assert.equal(ollamaWindow({ ...nothing, shown: { ...shown, maximum: null, isRemote: true } }), null)
  })

  it('at LM Studio is what is loaded, else a guess within what the model takes', () => {
    const window = (loaded: number | null, maximum: number | null) => {
      const { tokens, certainty } = lmStudioWindow({ loaded, maximum })
      return [tokens, certainty]
    }
    assert.deepEqual(window(8192, 32_768), [8192, 'loaded'])
    assert.deepEqual(window(null, 32_768), [4096, 'assumed'])
    assert.deepEqual(window(null, null), [4096, 'assumed'])
    assert.deepEqual(window(null, 2048), [2048, 'model'])
  })
})

describe('asking a model server for its windows', () => {
  let server: PlayedServer
  let windows: ContextWindows
  beforeEach(() => {
    server = new PlayedServer()
    windows = server.windows()
  })
  const find = (change: Partial<WindowQuestion> = {}) => windows.find({ ...question, ...change })

  it('asks once for all that ask at once, and at most every 10 s for a model that is loaded', async () => {
    server.loaded = { 'gemma3:4b': 8192 }
    const found = await Promise.all(Array.from({ length: 20 }, () => find()))
    assert.ok(found.every((window) => window?.tokens === 8192 && window.certainty === 'loaded'))
    assert.deepEqual(server.paths, ['/api/ps'])
    server.nowMs = 9999
    await find()
    assert.equal(server.asks.length, 1)
    server.nowMs = 10_001
    server.loaded = { 'gemma3:4b': 4096 }
    assert.equal((await find())?.tokens, 4096)
    assert.equal(server.asks.length, 2)
  })

  it('asks again after a second for a model that was not loaded, because the call loads it', async () => {
    server.parameters = 'num_ctx 8192'
    assert.deepEqual(await find(), { tokens: 8192, certainty: 'configured', modelMaximum: 131_072 })
    assert.deepEqual(server.paths, ['/api/ps', '/api/show'])
    assert.deepEqual(JSON.parse(server.asks[1]!.body!.toString()), { model: 'gemma3:4b' })
    server.nowMs = 1001
    server.loaded = { 'gemma3:4b': 8192 }
    assert.equal((await find())?.certainty, 'loaded')
    assert.deepEqual(server.paths, ['/api/ps', '/api/show', '/api/ps'])
  })

  it('asks for what a model is every 10 minutes', async () => {
    const native = { dialect: 'ollama-chat', numCtx: 200_000 } as const
    assert.deepEqual(await find(native), { tokens: 131_072, certainty: 'requested', modelMaximum: 131_072 })
    server.nowMs = 599_999
    await find(native)
    assert.deepEqual(server.paths, ['/api/show'])
    server.nowMs = 600_001
    server.maximum = 8192
    assert.equal((await find(native))?.tokens, 8192)
    assert.equal(server.asks.length, 2)
  })

  it('I03 does not believe a num_ctx on a route that ignores it', async () => {
    assert.deepEqual((await find({ dialect: 'openai-chat', numCtx: 32_768 }))?.tokens, 4096)
    assert.deepEqual((await find({ dialect: 'ollama-chat', numCtx: 32_768 }))?.tokens, 32_768)
  })

  it('asks a server that gave no answer nothing else, and nothing for 10 s', async () => {
    server.fails = () => true
    assert.deepEqual(await find(), { tokens: 4096, certainty: 'assumed', modelMaximum: null })
    server.nowMs = 9999
    await find()
    assert.deepEqual(server.paths, ['/api/ps'])
    server.nowMs = 10_001
    server.fails = () => false
    server.loaded = { 'gemma3:4b': 8192 }
    assert.equal((await find())?.certainty, 'loaded')
  })

  it('takes an error, a text and a question that throws for no answer', async () => {
    const replies: (JsonReply | Error)[] = [
      { status: 404, value: { models: [] } },
      { status: 200, value: null },
      { status: 200, value: { models: 'none' } },
      new Error('a fault of ours'),
    ]
    for (const reply of replies) {
      windows = server.windows(() => (reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply)))
      assert.equal((await find())?.certainty, 'assumed')
    }
  })

  it('needs the maximum of a loaded model only where it is asked for', async () => {
    server.loaded = { 'gemma3:4b': 4096 }
    assert.equal((await find())?.modelMaximum, null)
    assert.equal((await find({ needsMaximum: true }))?.modelMaximum, 131_072)
    assert.deepEqual(server.paths, ['/api/ps', '/api/show'])
  })

  it('does not count on a window that another request asked for: the server drops it for the next without num_ctx', async () => {
    const sent = (numCtx: number) => {
      const call = admittedCall({ upstream: ollama, dialect: 'ollama-chat' })
      windows.sent(call, { ...call.facts, model: 'gemma3:4b', ollama: { numCtx, numKeep: null, truncate: true } })
    }
    server.loaded = { 'gemma3:4b': 8192 }
    assert.equal((await find())?.tokens, 8192)
    sent(16_384)
    server.loaded = { 'gemma3:4b': 16_384 }
    server.nowMs = 10_001
    assert.deepEqual([(await find())?.tokens, (await find())?.certainty], [8192, 'assumed'])
    // What the model was cut down to counts as asked for, too.
    await find({ dialect: 'ollama-chat', numCtx: 500_000 })
    sent(500_000)
    server.loaded = { 'gemma3:4b': 131_072 }
    server.nowMs = 20_002
    assert.equal((await find())?.certainty, 'assumed')
    server.loaded = { 'gemma3:4b': 32_768 }
    server.nowMs = 30_003
    assert.deepEqual([(await find())?.tokens, (await find())?.certainty], [32_768, 'loaded'])
  })

  it('sends the credentials that the client has for the server, and asks for 300 ms', async () => {
    await find({ credentials: ['Authorization', 'Bearer theirs'] })
    for (const { headers, timeoutMs } of server.asks) {
      assert.deepEqual(headers.slice(-2), ['Authorization', 'Bearer theirs'])
      assert.equal(timeoutMs, 300)
    }
  })

  it('asks LM Studio, by its name or its port, beside the /v1 of its base URL', async () => {
    const lmStudio = { baseUrl: 'http://127.0.0.1:1234/v1', dialect: 'openai', free: true } as const
    const elsewhere = { ...lmStudio, baseUrl: 'http://10.0.0.7:9000/v1' }
    const data = [{ id: 'gemma3:4b', state: 'loaded', loaded_context_length: 8192, max_context_length: 131_072 }]
    const asks: JsonAsk[] = []
    windows = server.windows((ask) => {
      asks.push(ask)
      return Promise.resolve({ status: 200, value: { data } })
    })
    for (const upstream of [
      { upstreamName: 'mine', upstream: lmStudio },
      { upstreamName: 'lmstudio', upstream: elsewhere },
    ])
      assert.deepEqual(await find(upstream), { tokens: 8192, certainty: 'loaded', modelMaximum: 131_072 })
    assert.deepEqual([...new Set(asks.map(({ path }) => path))], ['/api/v0/models'])
    assert.equal(asks[0]!.upstream.dialect, 'ollama')
    assert.equal(asks.length, 2)
  })

  it('asks the cloud of Ollama only what the model takes', async () => {
    const upstream = { baseUrl: 'https://ollama.com', dialect: 'ollama', free: false } as const
    assert.deepEqual(await find({ upstream }), { tokens: 131_072, certainty: 'model', modelMaximum: 131_072 })
    assert.deepEqual(server.paths, ['/api/show'])
    server.fails = () => true
    assert.equal(await find({ upstream, model: 'another' }), null)
  })

  it('asks nothing of servers that refuse by themselves, and of providers', async () => {
    for (const name of ['vllm', 'llamacpp']) {
      const upstream = { baseUrl: 'http://127.0.0.1:8080/v1', dialect: 'openai', free: true } as const
      assert.equal(await find({ upstreamName: name, upstream }), null)
    }
    const openai = { baseUrl: 'https://api.openai.com/v1', dialect: 'openai', free: false } as const
    const window = await find({ upstreamName: 'openai', upstream: openai, model: 'gpt-4o' })
    assert.deepEqual(window, { tokens: 128_000, certainty: 'model', modelMaximum: 128_000 })
    assert.equal(await find({ upstreamName: 'openai', upstream: openai, model: 'gpt-9' }), null)
    assert.equal(server.asks.length, 0)
  })

  it('keeps few of the names that clients invent', async () => {
    for (let name = 0; name < 600; name += 1) await find({ model: `m${name}` })
    server.asks.length = 0
    await find({ model: 'm599' })
    assert.equal(server.asks.length, 0)
    await find({ model: 'm0' })
    assert.deepEqual(server.paths, ['/api/ps', '/api/show'])
  })
})
