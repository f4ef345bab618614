import { gateUrl } from '../../shared/addresses.ts'
import type { Format, GateBase } from './servers.ts'

/** What Continue's providers call where no `apiBase` is written, through the gate. It wants a slash at the end. */
const byProvider: Readonly<Record<string, readonly [upstream: string, path: string]>> = {
  openai: ['openai', '/v1/'],
  anthropic: ['anthropic', '/v1/'],
  gemini: ['gemini', '/v1beta/'],
  ollama: ['ollama', '/'],
  openrouter: ['openrouter', '/v1/'],
  groq: ['groq', '/v1/'],
}

/** What a provider of Continue speaks to its `apiBase`. Those that are not known here speak OpenAI's format. */
export function continueFormat(provider: string): Format {
  return provider === 'anthropic' || provider === 'gemini' ? provider : 'openai'
}

/** Whether a provider of Continue computes inside VS Code and calls no server. */
export function isInside(provider: string): boolean {
  return provider === 'transformers.js'
}

/** The `apiBase` of a model of Continue, undefined where the gate has no upstream of that name. */
export function continueAddress(provider: string, gate: GateBase): string | undefined {
  const found = Object.hasOwn(byProvider, provider) ? byProvider[provider] : undefined
  return found === undefined ? undefined : gateUrl(gate, found[0]) + found[1]
}
