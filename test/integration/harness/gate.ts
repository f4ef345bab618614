import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { startUpstream } from '../../upstream/upstream.ts'
import type { Upstream, UpstreamOptions } from '../../upstream/upstream.ts'
import { against, startDaemon } from './daemon.ts'
import type { Daemon } from './daemon.ts'

/** What of a request a test may set besides its body. */
interface PostInit extends Omit<RequestInit, 'headers' | 'body' | 'method'> {
  readonly headers?: Readonly<Record<string, string>>
}

/** A playing upstream with a daemon in front of it, and the real clients that pass through. */
export interface Gate {
  readonly upstream: Upstream
  readonly daemon: Daemon
  /** Clients as a developer would make them: default retries, any key. */
  openai(parts?: { readonly task?: string }): OpenAI
  anthropic(parts?: { readonly task?: string }): Anthropic
  gemini(parts?: { readonly task?: string }): GoogleGenAI
  ollama(parts?: { readonly task?: string }): Ollama
  /** A plain POST through the gate: `post('openai', '/v1/chat/completions', {…})`. */
  post(
    upstream: string,
    path: string,
    body: object | string | Uint8Array<ArrayBuffer>,
    init?: PostInit,
  ): Promise<Response>
  close(): Promise<void>
}

/** The provider key that clients of the tests send; nothing but the upstream may ever see it. */
export const providerKey = 'sk-canary-3f9d2c71aa'

/** Starts both. `config` is laid over the configuration that points at the upstream. */
export async function startGate(config: object = {}, upstreamOptions: UpstreamOptions = {}): Promise<Gate> {
  const upstream = await startUpstream(upstreamOptions)
  const daemon = await startDaemon({ config: against(upstream, config) }).catch(async (error: unknown) => {
    await upstream.close()
    throw error
  })
  return {
    upstream,
    daemon,
    openai: (parts) => new OpenAI({ apiKey: providerKey, baseURL: `${daemon.base('openai', parts)}/v1` }),
    anthropic: (parts) => new Anthropic({ apiKey: providerKey, baseURL: daemon.base('anthropic', parts) }),
    gemini: (parts) => new GoogleGenAI({ apiKey: providerKey, httpOptions: { baseUrl: daemon.base('gemini', parts) } }),
    ollama: (parts) => new Ollama({ host: daemon.base('ollama', parts) }),
    post: (name, path, body, { headers, ...init } = {}) =>
      fetch(`${daemon.base(name)}${path}`, {
        method: 'POST',
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${providerKey}`, ...headers },
      }),
    async close() {
      await Promise.all([daemon.discard(), upstream.close()])
    },
  }
}
