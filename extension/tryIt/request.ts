import { gateUrl } from '../../shared/addresses.ts'
import type { GateAddress } from '../../shared/addresses.ts'
import type { UpstreamRow } from '../../shared/upstreams.ts'

/** Most tokens that the answer may have. */
export const tryOutputTokens = 32

/** The whole prompt: a dozen tokens. */
const prompt = 'Say hello in one short sentence.'

/** A model that exists at such an upstream, as an example of how its names look. */
export function exampleModel({ name, dialect }: UpstreamRow): string {
  const known: Readonly<Record<string, string>> = {
    openrouter: 'openai/gpt-4o-mini',
    groq: 'llama-3.1-8b-instant',
    mistral: 'mistral-small-latest',
    deepseek: 'deepseek-chat',
    xai: 'grok-4',
    lmstudio: 'qwen3-4b',
    vllm: 'Qwen/Qwen3-4B',
    llamacpp: 'qwen3-4b',
  }
  if (dialect === 'openai') return known[name] ?? 'gpt-4o-mini'
  return { anthropic: 'claude-haiku-4-5', gemini: 'gemini-2.5-flash', ollama: 'qwen3:4b' }[dialect]
}

/** What is asked for. */
export interface TryAsk {
  readonly address: GateAddress
  readonly upstream: UpstreamRow
  readonly model: string
  /** The provider's key, for this call only; null where none is needed. */
  readonly apiKey: string | null
}

/** One request to the gate. */
export interface TryRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The one small call, as a client of the upstream's own dialect would send it. */
export function tryRequest({ address, upstream, model, apiKey }: TryAsk): TryRequest {
  const base = gateUrl(address, upstream.name)
  const messages = [{ role: 'user', content: prompt }]
  const request = (path: string, keyHeaders: Readonly<Record<string, string>>, body: unknown): TryRequest => ({
    url: base + path,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...(apiKey === null ? {} : keyHeaders) },
    body: JSON.stringify(body),
  })
  switch (upstream.dialect) {
    case 'openai': {
      // OpenAI's newer models refuse the older name; most servers that imitate it know only that one.
      const ceiling = upstream.name === 'openai' ? 'max_completion_tokens' : 'max_tokens'
      const body = { model, messages, [ceiling]: tryOutputTokens }
      return request('/v1/chat/completions', { authorization: `Bearer ${apiKey ?? ''}` }, body)
    }
    case 'anthropic': {
      const { url, headers, body } = request(
        '/v1/messages',
        { 'x-api-key': apiKey ?? '' },
        { model, messages, max_tokens: tryOutputTokens },
      )
      return { url, headers: { ...headers, 'anthropic-version': '2023-06-01' }, body }
    }
    case 'gemini':
      return request(
        `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}:generateContent`,
        { 'x-goog-api-key': apiKey ?? '' },
        {
          contents: [{ role: 'user', parts: [{ text: prompt }] }],
          generationConfig: { maxOutputTokens: tryOutputTokens },
        },
      )
    case 'ollama':
      return request(
        '/api/chat',
        { authorization: `Bearer ${apiKey ?? ''}` },
        { model, messages, stream: false, options: { num_predict: tryOutputTokens } },
      )
  }
}
