import { builtInUpstreams, gateUrl, pathPart } from '../shared/addresses.ts'
import type { GateAddress } from '../shared/addresses.ts'
import { builtInRow } from '../shared/upstreams.ts'
import type { UpstreamRow } from '../shared/upstreams.ts'

const dialects: readonly unknown[] = ['openai', 'anthropic', 'gemini', 'ollama'] satisfies UpstreamRow['dialect'][]

/** The upstreams in an answer of `GET /api/upstreams`; rows that make no base URL are left out. */
export function parseUpstreams(value: unknown): readonly UpstreamRow[] {
  const { upstreams } = (value ?? {}) as { readonly upstreams?: unknown }
  if (!Array.isArray(upstreams)) return []
  return (upstreams as readonly unknown[]).filter((row): row is UpstreamRow => {
    const { name, dialect, free } = (row ?? {}) as Partial<Record<keyof UpstreamRow, unknown>>
    return typeof name === 'string' && pathPart.test(name) && dialects.includes(dialect) && typeof free === 'boolean'
  })
}

/**
 * The upstreams of the daemon's configuration. Where it is away, or too old to tell, the built-in ones: their names are the
 * same everywhere.
 */
export async function readUpstreams(call: (path: string) => Promise<unknown>): Promise<readonly UpstreamRow[]> {
  try {
    const upstreams = parseUpstreams(await call('/api/upstreams'))
    if (upstreams.length > 0) return upstreams
  } catch {
    // The base URL is needed all the same: it is a constant, and the daemon may be back when it is used.
  }
  return builtInUpstreams.map(builtInRow)
}

/** The base URL that a client of the upstream is given: OpenAI clients want `/v1` in it, the others add their own path. */
export function clientBaseUrl(address: GateAddress, { name, dialect }: Pick<UpstreamRow, 'name' | 'dialect'>): string {
  return gateUrl(address, name) + (dialect === 'openai' ? '/v1' : '')
}
