/** Names of the built-in upstreams as they stand in a base URL. */
export const builtInUpstreams = [
  'openai',
  'anthropic',
  'gemini',
  'ollama',
  'openrouter',
  'groq',
  'mistral',
  'deepseek',
  'xai',
  'lmstudio',
  'vllm',
  'llamacpp',
] as const

/** Characters that a key, task, project or upstream may have in a path: no client library rewrites these. */
export const pathPart = /^[A-Za-z0-9_-]{1,128}$/

/** Parts of a base URL. */
export interface GateAddress {
  readonly origin: string
  readonly key: string | null
  readonly task?: string | null
  readonly project?: string | null
}

/** `http://127.0.0.1:4141/k/<key>/t/<task>/p/<project>/<upstream>`, the base URL of a client without the provider's own `/v1`. */
export function gateUrl(address: GateAddress, upstream: string): string {
  const parts: string[] = []
  if (address.key !== null) parts.push('k', address.key)
  if (address.task) parts.push('t', address.task)
  if (address.project) parts.push('p', address.project)
  parts.push(upstream)
  return `${address.origin}/${parts.join('/')}`
}

/** A project name for a path: other characters become `-`; empty when nothing is left. */
export function projectSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
}
