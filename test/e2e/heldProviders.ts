import { startUpstream } from '../upstream/upstream.ts'
import { prompts } from '../vscode/host/prompts.ts'
import type { Played } from './stand.ts'

/** Pieces of an answer to `prompts.slow`. */
export const slowPieces = 900

/**
 * Providers that report 400,000 input tokens (some 94 cents) for a dear prompt, and answer a slow one piece by piece as long as it is
 * held, so that a test and no clock says how long it runs.
 */
export async function heldProviders(isHeld: () => boolean): Promise<Played> {
  const upstream = await startUpstream()
  upstream.script((request) => {
    const body = request.body.toString('utf8')
    if (body.includes(prompts.dear)) return { inputTokens: 400_000, outputTokens: 2000, chunkDelayMs: 0 }
    if (!body.includes(prompts.slow)) return undefined
    return {
      outputTokens: slowPieces,
      get chunkDelayMs() {
        return isHeld() ? 100 : 0
      },
    }
  })
  const gateConfig = { upstreams: { openai: { baseUrl: upstream.baseUrls.openai, dialect: 'openai' } } }
  return { upstream, gateConfig }
}
