import assert from 'node:assert/strict'
import fc from 'fast-check'
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
  it('refuses generation by name', () => {
    assert.match(reason('gemini', 'POST /v1beta/models/g:generateContent'), /generateContent/)
    assert.match(reason('gemini', 'POST /v1beta/models/g%3AstreamGenerateContent?alt=sse'), /streamGenerateContent/)
    assert.equal(route('gemini', 'POST /v1beta/interactions'), 'unsupported')
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
