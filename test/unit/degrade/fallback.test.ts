import assert from 'node:assert/strict'
import { fallbackCall, withoutCredentials } from '../../../daemon/degrade/fallback.ts'
import type { Upstream } from '../../../shared/config.ts'
import { admittedCall } from '../tasks/calls.ts'

const ollama: Upstream = { baseUrl: 'http://127.0.0.1:11434', dialect: 'ollama', free: true }
const fallback = { upstream: 'ollama', model: 'qwen3:4b' }
const body = Buffer.from('{"model":"gpt-5.6","messages":[],"temperature":0.2}')

describe('a fallback', () => {
  for (const [dialect, upstreamPath, wanted] of [
    ['openai-chat', '/chat/completions', '/v1/chat/completions'],
    ['openai-responses', '/responses', '/v1/responses'],
    ['anthropic-messages', '/v1/messages?beta=true', '/v1/messages'],
  ] as const) {
    it(`takes ${dialect} to the same endpoint of a local server`, () => {
      const call = admittedCall({ dialect, upstreamPath, body })
      const other = fallbackCall(call, call.facts, fallback, ollama)
      assert.equal(other?.upstreamPath, wanted)
      assert.equal(other.upstreamName, 'ollama')
      assert.deepEqual(other.upstream, ollama)
      assert.equal(other.body.toString(), '{"model":"qwen3:4b","messages":[],"temperature":0.2}')
    })
  }

  it('takes a Gemini call to another server by its path, with the framing that the client asked for and without its key', () => {
    const local: Upstream = { baseUrl: 'http://127.0.0.1:8080', dialect: 'gemini', free: true }
    const contents = Buffer.from('{"contents":[]}')
    for (const [query, kept] of [
      ['?alt=sse&key=AIzaSecret', '?alt=sse'],
      ['?key=AIzaSecret&%24alt=sse', '?alt=sse'],
      ['?key=AIzaSecret', ''],
    ] as const) {
      const upstreamPath = `/v1beta/models/gemini-2.5-pro:streamGenerateContent${query}`
      const call = admittedCall({ dialect: 'gemini-generate', upstreamName: 'gemini', upstreamPath, body: contents })
      const other = fallbackCall(call, call.facts, { upstream: 'local', model: 'gemma3' }, local)
      assert.equal(other?.upstreamPath, `/v1beta/models/gemma3:streamGenerateContent${kept}`)
      assert.equal(other.body.toString(), '{"contents":[]}')
    }
  })

  const call = admittedCall({ body })
  for (const [name, facts, upstream] of [
    ['of embeddings, whose space is another one', { producesOutput: false }, ollama],
    ['of a conversation that the provider keeps', { hiddenInput: { previousResponseId: 'r1' } }, ollama],
    ['with a tool that only the provider runs', { serverTools: [{ name: 'web_search', maxUses: null }] }, ollama],
    ['on a server that costs', {}, { ...ollama, free: false }],
    ['on a server that speaks another dialect', {}, { ...ollama, dialect: 'gemini' as const }],
    ['on a server that is not configured', {}, undefined],
  ] as const) {
    it(`is none ${name}`, () => {
      assert.equal(fallbackCall(call, { ...call.facts, ...facts }, fallback, upstream), null)
    })
  }

  it('is none on the server that was asked in the first place', () => {
    const local = admittedCall({ upstreamName: 'ollama', upstream: ollama, body })
    assert.equal(fallbackCall(local, local.facts, fallback, ollama), null)
  })

  it('gets no credential of the provider that was meant', () => {
    const headers = [
      ['Authorization', 'Bearer sk-1'],
      ['x-api-key', 'sk-2'],
      ['API-Key', 'sk-3'],
      ['OpenAI-Organization', 'org'],
      ['x-some-vendor-token', 'sk-4'],
      ['Cookie', 'a=b'],
      ['content-type', 'application/json'],
      ['anthropic-version', '2023-06-01'],
    ]
    assert.deepEqual(withoutCredentials(headers.flat()), [
      'content-type',
      'application/json',
      'anthropic-version',
      '2023-06-01',
    ])
  })
})
