import assert from 'node:assert/strict'
import fc from 'fast-check'
import { modelInGeminiPath } from '../../../daemon/dialects/geminiPath.ts'
import { isOllamaEmulation, resolveRoute, upstreamUrl } from '../../../daemon/dialects/routes.ts'
import type { UpstreamDialect } from '../../../shared/config.ts'

function route(dialect: UpstreamDialect, line: string, name: string = dialect): string {
  const [method = '', path = ''] = line.split(' ')
  const found = resolveRoute(dialect, name, method, path)
  if (found.kind === 'metered') return `${found.dialect} ${found.path}`
  return found.kind === 'free' ? `free ${found.path}` : 'unsupported'
}

function reason(dialect: UpstreamDialect, line: string): string {
  const [method = '', path = ''] = line.split(' ')
  const found = resolveRoute(dialect, dialect, method, path)
  return found.kind === 'unsupported' ? found.reason : assert.fail('not refused')
}

describe('routes of an OpenAI-dialect upstream', () => {
  for (const path of [
    '/v1/chat/completions',
    '/chat/completions',
    '/v1/v1/chat/completions',
    '//v1//chat/completions/',
    'chat/completions',
  ]) {
    it(`takes ${path} for a chat`, () => assert.equal(route('openai', `POST ${path}`), 'openai-chat /chat/completions'))
  }
  const known: readonly (readonly [string, string])[] = [
    ['POST /v1/completions', 'openai-completions /completions'],
    ['POST /v1/responses?stream=1', 'openai-responses /responses?stream=1'],
    ['POST /v1/embeddings', 'openai-embeddings /embeddings'],
    ['POST /v1/messages', 'anthropic-messages /messages'],
    ['POST /v1/responses/input_tokens', 'free /responses/input_tokens'],
    ['GET /v1/models', 'free /models'],
    ['GET /v1/models/deepseek%2Fr1', 'free /models/deepseek%2Fr1'],
    ['GET /v1/responses/resp_1', 'free /responses/resp_1'],
    ['DELETE /v1/responses/resp_1', 'free /responses/resp_1'],
    ['GET /v1/responses/resp_1/input_items', 'free /responses/resp_1/input_items'],
    ['POST /v1/responses/resp_1/cancel', 'free /responses/resp_1/cancel'],
  ]
  for (const [line, expected] of known) it(`reads ${line}`, () => assert.equal(route('openai', line), expected))

  it('knows the paths that vendors put before /v1', () => {
    assert.equal(route('openai', 'POST /openai/v1/chat/completions', 'groq'), 'openai-chat /chat/completions')
    assert.equal(route('openai', 'POST /api/v1/chat/completions', 'openrouter'), 'openai-chat /chat/completions')
    assert.equal(route('openai', 'POST /api/v1/chat/completions', 'openai'), 'unsupported')
  })
  it('knows them by the host of an upstream that the user named', () => {
    const at = (baseUrl: string) => resolveRoute('openai', 'work', 'POST', '/openai/v1/chat/completions', baseUrl)
    const metered = { kind: 'metered', dialect: 'openai-chat', path: '/chat/completions' }
    assert.deepEqual(at('https://my-resource.openai.azure.com/openai/v1'), metered)
    assert.equal(at('https://llm.example/v1').kind, 'unsupported')
  })
  for (const family of [
    'images/generations',
    'audio/speech',
    'realtime/sessions',
    'batches',
    'files',
    'fine_tuning/jobs',
    'assistants',
    'responses/compact',
    'chat',
    'nonsense',
    '',
  ]) {
    it(`refuses what it cannot account for: ${family || 'nothing'}`, () =>
      assert.equal(route('openai', `POST /v1/${family}`), 'unsupported'))
  }
  it('names the endpoint that it refuses, and no more of the path', () => {
    assert.match(
      reason('openai', 'POST /v1/images/generations/sk-secret'),
      /^Image generation .*POST \/images\/generations at openai/,
    )
    assert.doesNotMatch(reason('openai', 'POST /v1/images/generations/sk-secret'), /sk-secret/)
    assert.match(reason('openai', 'GET /v1/responses'), /WebSocket/)
  })
  it('refuses Azure requests, which it would send to the wrong place', () => {
    assert.match(reason('openai', 'POST /chat/completions?API-Version=2024-10-21'), /Azure/)
    assert.match(reason('openai', 'POST /openai/deployments/gpt/chat/completions'), /Azure/)
  })
  it('does not meter a wrong method', () => assert.equal(route('openai', 'PUT /v1/chat/completions'), 'unsupported'))
})

describe('routes of an Anthropic-dialect upstream', () => {
  it('H01: routes count_tokens with its query kept, free of charge', () => {
    const expected = 'free /v1/messages/count_tokens?beta=true'
    assert.equal(route('anthropic', 'POST /v1/messages/count_tokens?beta=true'), expected)
    assert.equal(route('anthropic', 'POST /messages/count_tokens?beta=true'), expected)
  })
  it('H01: meters messages with and without /v1 and keeps the query', () => {
    const expected = 'anthropic-messages /v1/messages?beta=true'
    assert.equal(route('anthropic', 'POST /v1/messages?beta=true'), expected)
    assert.equal(route('anthropic', 'POST /messages?beta=true'), expected)
    assert.equal(route('anthropic', 'POST /v1/v1/messages/?beta=true'), expected)
  })
  it('passes model lists and the probe of the root', () => {
    assert.equal(route('anthropic', 'GET /v1/models/claude-x'), 'free /v1/models/claude-x')
    assert.equal(route('anthropic', 'HEAD /'), 'free /')
  })
  it('refuses batches and the older completions', () => {
    assert.match(reason('anthropic', 'POST /v1/messages/batches'), /^Batches/)
    assert.equal(route('anthropic', 'POST /v1/complete'), 'unsupported')
  })
})

describe('routes of an Ollama server', () => {
  const known: readonly (readonly [string, string])[] = [
    ['POST /api/chat', 'ollama-chat /api/chat'],
    ['POST /v1/api/chat', 'ollama-chat /api/chat'],
    ['POST /api/generate', 'ollama-generate /api/generate'],
    ['POST /api/embed', 'ollama-embed /api/embed'],
    ['POST /api/embeddings', 'ollama-embed /api/embeddings'],
    ['POST /v1/chat/completions', 'openai-chat /v1/chat/completions'],
    ['POST /chat/completions', 'openai-chat /v1/chat/completions'],
    ['POST /v1/completions', 'openai-completions /v1/completions'],
    ['POST /v1/embeddings', 'openai-embeddings /v1/embeddings'],
    ['POST /v1/responses', 'openai-responses /v1/responses'],
    ['POST /v1/messages?beta=true', 'anthropic-messages /v1/messages?beta=true'],
    ['POST /v1/messages/count_tokens', 'free /v1/messages/count_tokens'],
    ['GET /v1/models', 'free /v1/models'],
    ['GET /api/tags', 'free /api/tags'],
    ['POST /api/show', 'free /api/show'],
    ['GET /api/ps', 'free /api/ps'],
    ['HEAD /api/version', 'free /api/version'],
    ['POST /api/pull', 'free /api/pull'],
    ['DELETE /api/delete', 'free /api/delete'],
    ['HEAD /api/blobs/sha256:aa', 'free /api/blobs/sha256:aa'],
    ['HEAD /', 'free /'],
    ['GET /', 'free /'],
    ['POST /', 'unsupported'],
    ['GET /api/chat', 'unsupported'],
    ['POST /api/web_search', 'unsupported'],
  ]
  for (const [line, expected] of known) it(`reads ${line}`, () => assert.equal(route('ollama', line), expected))
})

describe('routes of a Gemini upstream', () => {
  it('passes model lists and the token counter, in either version and with an escaped colon', () => {
    assert.equal(route('gemini', 'GET /v1beta/models?pageSize=5'), 'free /v1beta/models?pageSize=5')
    assert.equal(route('gemini', 'POST /models/g:countTokens'), 'free /v1beta/models/g:countTokens')
    assert.equal(route('gemini', 'POST /v1/models/g%3AcountTokens'), 'free /v1/models/g%3AcountTokens')
  })
  const known: readonly (readonly [string, string])[] = [
    ['POST /v1beta/models/g:generateContent', 'gemini-generate /v1beta/models/g:generateContent'],
    ['POST /models/g:generateContent', 'gemini-generate /v1beta/models/g:generateContent'],
    ['POST /v1/models/g:generateContent', 'gemini-generate /v1/models/g:generateContent'],
    ['POST /v1alpha//v1alpha/models/g:generateContent/', 'gemini-generate /v1alpha/models/g:generateContent'],
    [
      'POST /v1beta/v1beta/models/g%3AstreamGenerateContent?alt=sse&key=k',
      'gemini-generate /v1beta/models/g%3AstreamGenerateContent?alt=sse&key=k',
    ],
    ['POST /v1beta/models%2Fg:streamGenerateContent', 'gemini-generate /v1beta/models%2Fg:streamGenerateContent'],
    ['POST /v1beta/tunedModels/t:generateContent', 'gemini-generate /v1beta/tunedModels/t:generateContent'],
    ['POST /v1beta/models/e:embedContent', 'gemini-embed /v1beta/models/e:embedContent'],
    ['POST /v1beta/models/e:batchEmbedContents', 'gemini-embed /v1beta/models/e:batchEmbedContents'],
    [
      'POST /v1beta1/projects/p/locations/l/publishers/google/models/g:generateContent',
      'gemini-generate /v1beta1/projects/p/locations/l/publishers/google/models/g:generateContent',
    ],
    ['POST /v1/publishers/google/models/g:countTokens', 'free /v1/publishers/google/models/g:countTokens'],
    ['GET /v1beta/models/g', 'free /v1beta/models/g'],
    ['GET /v1beta/cachedContents', 'free /v1beta/cachedContents'],
    ['DELETE /v1beta/cachedContents/c', 'free /v1beta/cachedContents/c'],
    ['GET /v1beta/files/f', 'free /v1beta/files/f'],
    ['DELETE /v1beta/files/f', 'free /v1beta/files/f'],
    ['POST /upload/v1beta/files?uploadType=resumable', 'free /upload/v1beta/files?uploadType=resumable'],
    ['GET /v1beta/batches/b', 'free /v1beta/batches/b'],
    ['POST /v1beta/batches/b:cancel', 'free /v1beta/batches/b:cancel'],
    ['GET /v1beta/operations/o', 'free /v1beta/operations/o'],
    ['HEAD /', 'free /'],
  ]
  for (const [line, expected] of known) it(`reads ${line}`, () => assert.equal(route('gemini', line), expected))

  const refused: readonly (readonly [string, RegExp])[] = [
    ['POST /v1beta/models/g:batchGenerateContent', /^Batches .*batchGenerateContent at gemini/],
    ['POST /v1beta/models/e:asyncBatchEmbedContent', /^Batches/],
    ['POST /v1beta/models/imagen:predict', /^Image generation/],
    ['POST /v1beta/models/veo:predictLongRunning', /^Video generation/],
    ['POST /v1beta/models/g:bidiGenerateContent', /^The Live API/],
    ['POST /v1beta/models/g:generateAnswer', /^generateAnswer at gemini is not an endpoint/],
    ['POST /v1beta/cachedContents', /^The storage of cached contents/],
    ['PATCH /v1beta/cachedContents/c', /^The storage of cached contents/],
    ['POST /v1beta/tunedModels', /^Fine-tuning/],
    ['POST /v1beta/fileSearchStores/s:importFile', /^File search stores/],
    ['POST /v1beta/interactions', /^The Interactions API/],
    ['POST /v1beta/auth_tokens', /^The Live API/],
    ['GET /ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', /^The Live API/],
    ['POST /v1beta/openai/chat/completions', /dialect openai/],
    ['POST /v1beta/models/g:generateContent?alt=proto', /format other than/],
    ['POST /v1beta/models/g:streamGenerateContent?a=b&$alt=PROTO', /format other than/],
    ['POST /v1beta/models', /not an endpoint/],
    ['GET /v1beta/nonsense', /not an endpoint/],
  ]
  for (const [line, sentence] of refused) {
    it(`refuses ${line}`, () => {
      assert.match(reason('gemini', line), sentence)
      assert.match(reason('gemini', line), /Nothing was sent to the provider/)
    })
  }
  it('N05: never repeats a query', () => {
    for (const [line] of refused) assert.doesNotMatch(reason('gemini', `${line}?key=AIzaSecret`), /AIza/)
  })
  it('does not meter a wrong method', () => {
    assert.equal(route('gemini', 'GET /v1beta/models/g:generateContent'), 'free /v1beta/models/g:generateContent')
    assert.equal(route('gemini', 'PUT /v1beta/models/g:generateContent'), 'unsupported')
  })
})

describe('the model in the path of a Gemini call', () => {
  it('is read without its escapes, and tuned models are not taken for others of the same name', () => {
    const model = (path: string): string | null => modelInGeminiPath.modelOf(path)
    assert.equal(model('/v1beta/models/gemini-2.5-pro:generateContent?key=k'), 'gemini-2.5-pro')
    assert.equal(model('/v1beta/models/gemini-2.5-pro%3AgenerateContent'), 'gemini-2.5-pro')
    assert.equal(model('/v1beta/tunedModels/gemini-2.5-pro:generateContent'), 'tunedModels/gemini-2.5-pro')
    assert.equal(model('/v1/projects/p/locations/l/publishers/google/models/g:generateContent'), 'g')
    assert.equal(model('/v1/projects/p/locations/l/endpoints/7:generateContent'), 'endpoints/7')
    assert.equal(model('/v1beta/models'), null)
    assert.equal(model('/v1beta/models/g%00:generateContent'), null)
    assert.equal(model(`/v1beta/models/${'g'.repeat(513)}:generateContent`), null)
  })
  it('is changed there and nowhere else, with the query kept', () => {
    const withModel = (path: string, model: string): string => modelInGeminiPath.withModel(path, model)
    assert.equal(
      withModel('/v1beta/models/a:streamGenerateContent?alt=sse&key=k', 'b'),
      '/v1beta/models/b:streamGenerateContent?alt=sse&key=k',
    )
    assert.equal(withModel('/v1beta/models/a%3AgenerateContent', 'models/b'), '/v1beta/models/b:generateContent')
    assert.equal(withModel('/v1beta/tunedModels/a:generateContent', 'b'), '/v1beta/models/b:generateContent')
    assert.equal(
      withModel('/v1/projects/p/locations/l/endpoints/7:generateContent', 'b'),
      '/v1/projects/p/locations/l/publishers/google/models/b:generateContent',
    )
    assert.equal(withModel('/v1beta/models', 'b'), '/v1beta/models')
  })
  it('comes back whatever it is', () => {
    const name = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/[/\u0000-\u001f\u007f]/.test(text))
    fc.assert(
      fc.property(name, (model) => {
        const path = modelInGeminiPath.withModel('/v1beta/models/a:generateContent', model)
        assert.equal(modelInGeminiPath.modelOf(path), model)
      }),
    )
  })
})

describe('paths that would lead out of the provider', () => {
  const escapes = [
    '/v1/../admin',
    '/v1/models/..',
    '/v1/models/%2e%2e/x',
    '/v1/models/%252e%252E/x',
    '/v1/models/..%2f..%2fx',
    '/v1/models/..%5cx',
    '/v1/models/.%2e;a/x',
    '/v1/models/%zz',
    '/v1/./models',
    '/v1/models/a%00',
    '/v1/models\\..\\x',
  ]
  for (const path of escapes) {
    it(`refuses ${path}`, () => {
      for (const dialect of ['openai', 'anthropic', 'ollama', 'gemini'] as const)
        assert.equal(route(dialect, `GET ${path}`), 'unsupported')
    })
  }
  it('never lets a dot segment through, however it is escaped', () => {
    const dots = fc.constantFrom('..', '%2e%2e', '.%2E', '%252e%252e', '%25252e.', '..%2f', '%2f..')
    fc.assert(
      fc.property(dots, fc.array(fc.constantFrom('v1', 'models', 'x'), { maxLength: 4 }), (dot, before) => {
        assert.equal(resolveRoute('openai', 'openai', 'GET', `/${[...before, dot, 'y'].join('/')}`).kind, 'unsupported')
      }),
    )
  })
  it('answers anything at all without throwing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<UpstreamDialect>('openai', 'anthropic', 'ollama', 'gemini'),
        fc.string(),
        fc.string(),
        (dialect, method, path) => {
          assert.ok(resolveRoute(dialect, dialect, method, path).kind)
        },
      ),
    )
  })
})

describe('the full URL', () => {
  const joined: readonly (readonly [UpstreamDialect, string, string, string])[] = [
    ['openai', 'https://api.openai.com/v1', '/chat/completions', 'https://api.openai.com/v1/chat/completions'],
    ['openai', 'https://api.openai.com/v1/', '/chat/completions?a=b', 'https://api.openai.com/v1/chat/completions?a=b'],
    ['openai', 'http://127.0.0.1:1234', '/chat/completions', 'http://127.0.0.1:1234/v1/chat/completions'],
    ['openai', 'https://api.groq.com/openai/v1', '/models', 'https://api.groq.com/openai/v1/models'],
    ['openai', 'https://openrouter.ai', '/models', 'https://openrouter.ai/api/v1/models'],
    ['openai', 'https://r.openai.azure.com', '/responses', 'https://r.openai.azure.com/openai/v1/responses'],
    ['openai', 'https://r.openai.azure.com/openai', '/responses', 'https://r.openai.azure.com/openai/v1/responses'],
    ['openai', 'https://r.openai.azure.com/openai/v1/', '/responses', 'https://r.openai.azure.com/openai/v1/responses'],
    [
      'openai',
      'https://example.test/v1beta/openai/',
      '/chat/completions',
      'https://example.test/v1beta/openai/chat/completions',
    ],
    ['openai', 'https://example.test/api/v4', '/chat/completions', 'https://example.test/api/v4/chat/completions'],
    [
      'openai',
      'https://example.test/v1?tenant=7',
      '/models?limit=2',
      'https://example.test/v1/models?tenant=7&limit=2',
    ],
    [
      'anthropic',
      'https://api.anthropic.com',
      '/v1/messages?beta=true',
      'https://api.anthropic.com/v1/messages?beta=true',
    ],
    ['anthropic', 'https://api.anthropic.com/v1', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['anthropic', 'https://example.test/anthropic', '/v1/messages', 'https://example.test/anthropic/v1/messages'],
    ['ollama', 'http://127.0.0.1:11434', '/api/chat', 'http://127.0.0.1:11434/api/chat'],
    ['ollama', 'http://127.0.0.1:11434/', '/v1/chat/completions', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['ollama', 'http://127.0.0.1:11434/v1', '/api/chat', 'http://127.0.0.1:11434/api/chat'],
    ['ollama', 'http://127.0.0.1:11434', '/', 'http://127.0.0.1:11434/'],
    ['gemini', 'https://example.test/v1beta', '/v1beta/models', 'https://example.test/v1beta/models'],
    ['gemini', 'https://example.test', '/v1beta/models', 'https://example.test/v1beta/models'],
  ]
  for (const [dialect, base, path, expected] of joined) {
    it(`puts ${path} behind ${base}`, () => assert.equal(upstreamUrl(dialect, base, path), expected))
  }
  it('a host name that looks like a version is no version', () => {
    assert.equal(upstreamUrl('openai', 'http://v1', '/models'), 'http://v1/v1/models')
  })
  it('tells the emulations of an Ollama server from its own routes', () => {
    assert.equal(isOllamaEmulation('ollama', 'openai-chat'), true)
    assert.equal(isOllamaEmulation('ollama', 'ollama-chat'), false)
    assert.equal(isOllamaEmulation('openai', 'openai-chat'), false)
  })
})
