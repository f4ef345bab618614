import type { builtInUpstreams } from './addresses.ts'
import type { UpstreamDialect } from './config.ts'

/** One upstream as `GET /api/upstreams` tells it. Its address is left out: it may hold credentials. */
export interface UpstreamRow {
  /** As it stands in a base URL. */
  readonly name: string
  readonly dialect: UpstreamDialect
  /** Its calls have no price. */
  readonly free: boolean
}

/** Answer of `GET /api/upstreams`, in the order of the configuration. */
export interface UpstreamsAnswer {
  readonly upstreams: readonly UpstreamRow[]
}

type BuiltIn = (typeof builtInUpstreams)[number]

const dialects: Readonly<Partial<Record<BuiltIn, UpstreamDialect>>> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  ollama: 'ollama',
}

const localServers: ReadonlySet<BuiltIn> = new Set(['ollama', 'lmstudio', 'vllm', 'llamacpp'])

/** A built-in upstream as it is without a configuration, for a client that cannot ask the daemon. */
export function builtInRow(name: BuiltIn): UpstreamRow {
  return { name, dialect: dialects[name] ?? 'openai', free: localServers.has(name) }
}
