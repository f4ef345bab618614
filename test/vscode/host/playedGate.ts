import { startUpstream } from '../../upstream/upstream.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { prompts, silentModel } from './prompts.ts'

/** Starts the playing upstream and gives the configuration that sends a gate there. */
export async function startPlayedUpstream(): Promise<{ readonly upstream: Upstream; readonly gateConfig: unknown }> {
  const upstream = await startUpstream()
  upstream.script((request) => {
    const body = request.body.toString('utf8')
    if (body.includes(prompts.slow)) return { outputTokens: 400, chunkDelayMs: 100 }
    if (body.includes(prompts.loop)) return { toolCall: { name: 'read_page', arguments: { page: 3 } } }
    if (body.includes(prompts.pages)) {
      const { messages } = request.json
      return { toolCall: { name: 'read_page', arguments: { page: Array.isArray(messages) ? messages.length : 0 } } }
    }
    if (request.json['model'] === silentModel) return { hangForever: true }
    if (body.includes(prompts.dear)) return { inputTokens: 100_000, outputTokens: 2000, chunkDelayMs: 0 }
    return undefined
  })
  const { openai, anthropic, ollama } = upstream.baseUrls
  const gateConfig = {
    // A halted task that still calls is cut off soon.
    plans: { agent: { task: { haltGraceSeconds: 1 } } },
    upstreams: {
      openai: { baseUrl: openai, dialect: 'openai' },
      anthropic: { baseUrl: anthropic, dialect: 'anthropic' },
      ollama: { baseUrl: ollama, dialect: 'ollama', free: true },
      // One that no program knows by name.
      corp: { baseUrl: openai, dialect: 'openai' },
    },
  }
  return { upstream, gateConfig }
}
