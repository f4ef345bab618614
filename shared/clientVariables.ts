import { gateUrl } from './addresses.ts'

/** Where the clients of one shell or terminal should send their calls. */
export interface ClientAddress {
  /** `http://127.0.0.1:4141`, without a slash at the end. */
  readonly origin: string
  /** The local key; null where the gate asks for none. */
  readonly key: string | null
  readonly project?: string | null
  /** Makes the whole shell one task with its own ceilings. */
  readonly task?: string | null
}

/**
 * The environment that sends a plain model client through the gate, the same for a terminal of the editor and for
 * `tollgate env`. OpenAI clients want the provider's `/v1` in the base, Anthropic, Gemini and Ollama clients add their own path.
 * `OLLAMA_HOST` is left out: `ollama serve` binds to it. `ENABLE_TOOL_SEARCH` restores what Claude Code turns off behind a
 * base URL of its own.
 */
export function clientVariables(client: ClientAddress): Record<string, string> {
  const address = {
    origin: client.origin,
    key: client.key,
    task: client.task ?? null,
    project: client.project ?? null,
  }
  const openai = `${gateUrl(address, 'openai')}/v1`
  const anthropic = gateUrl(address, 'anthropic')
  const ollama = gateUrl(address, 'ollama')
  return {
    OPENAI_BASE_URL: openai,
    OPENAI_API_BASE: openai,
    ANTHROPIC_BASE_URL: anthropic,
    ANTHROPIC_API_BASE: anthropic,
    ANTHROPIC_API_URL: anthropic,
    GOOGLE_GEMINI_BASE_URL: gateUrl(address, 'gemini'),
    OLLAMA_API_BASE: ollama,
    OLLAMA_BASE_URL: ollama,
    ENABLE_TOOL_SEARCH: 'true',
  }
}
