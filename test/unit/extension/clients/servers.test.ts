import assert from 'node:assert/strict'
import { serverOf } from '../../../../extension/clients/servers.ts'
import type { Format } from '../../../../extension/clients/servers.ts'
import { resolveRoute } from '../../../../daemon/dialects/routes.ts'
import type { UpstreamDialect } from '../../../../shared/config.ts'
import { gate } from './support.ts'

/** Addresses as clients have them, with what they put behind them. */
const calls: readonly (readonly [address: string, endpoint: string, format: Format])[] = [
  ['https://api.openai.com/v1', '/chat/completions', 'openai'],
  ['https://api.openai.com/v1/responses', '', 'openai'],
  ['https://api.openai.com/', 'v1/embeddings', 'openai'],
  ['https://api.anthropic.com', '/v1/messages', 'anthropic'],
  ['https://api.anthropic.com/v1/', 'messages', 'anthropic'],
  ['https://api.anthropic.com/v1', '/chat/completions', 'openai'],
  ['https://api.anthropic.com/v1/chat/completions', '', 'openai'],
  ['https://generativelanguage.googleapis.com/v1beta', '/models/gemini-2.5-pro:generateContent', 'gemini'],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', 'chat/completions', 'openai'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', '/embeddings', 'openai'],
  ['https://generativelanguage.googleapis.com', '/openai/chat/completions', 'openai'],
  ['https://openrouter.ai/api/v1', '/chat/completions', 'openai'],
  ['https://api.groq.com/openai/v1', '/chat/completions', 'openai'],
  ['http://localhost:11434', '/api/chat', 'openai'],
  ['http://127.0.0.1:11434/v1', '/chat/completions', 'openai'],
]

const dialects: Readonly<Record<string, UpstreamDialect>> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  ollama: 'ollama',
}

describe('an address in a client’s settings', () => {
  it('leads through the gate exactly where the gate takes the calls', () => {
    for (const [address, endpoint, format] of calls) {
      const { pathname } = new URL(address)
      // The path at the gate is the one behind what the upstream's own base has.
      const { hostname } = new URL(address)
      const upstream =
        /openai|anthropic|openrouter|groq/.exec(hostname)?.[0] ?? (hostname.includes('google') ? 'gemini' : 'ollama')
      const path = pathname.replace(/^\/(api|openai)(?=\/v1)/, '').replace(/\/$/, address.endsWith('/') ? '/' : '')
      const route = resolveRoute(dialects[upstream] ?? 'openai', upstream, 'POST', path + endpoint)
      const server = serverOf(address, gate, format)
      assert.equal(server.kind, route.kind === 'unsupported' ? 'elsewhere' : 'known', address)
      if (server.kind === 'known') assert.ok(server.through.endsWith(`/${upstream}${path}`), server.through)
    }
  })

  it('is elsewhere where its path says already that the gate refuses it, whatever the client speaks', () => {
    for (const address of [
      'https://api.anthropic.com/v1/chat/completions',
      'https://generativelanguage.googleapis.com/v1beta/openai/',
    ]) {
      assert.deepEqual(serverOf(address, gate), { kind: 'elsewhere', host: new URL(address).host })
    }
  })
})
