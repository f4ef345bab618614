/**
 * Clients that repeat a refused request although it says `x-should-retry: false`, with the statuses that they repeat. They
 * get 400 instead, the only status that none of them repeats (measured, and read in their sources).
 */
interface RetryingClient {
  readonly name: string
  readonly userAgent: RegExp
  readonly repeats: (status: number) => boolean
}

const transient = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500
const allBut400 = (status: number): boolean => status !== 400

const retryingClients: readonly RetryingClient[] = [
  // Every status but 400, 429 and 500 ends in a turn-level retry, and 429 is shown as a plan limit.
  { name: 'codex', userAgent: /\bcodex/i, repeats: allBut400 },
  // 401 and 403 send the user to a login that does not help.
  { name: 'claude-code', userAgent: /\bclaude-(cli|code)\b/i, repeats: allBut400 },
  { name: 'opencode', userAgent: /\bopencode\b/i, repeats: transient },
  { name: 'ai-sdk', userAgent: /\bai-sdk\b|\bai\/\d/i, repeats: transient },
  // Repeats only where its program asks for it, and then five times whatever the header says.
  { name: 'google-genai', userAgent: /\bgoogle-genai-sdk\b/i, repeats: transient },
  { name: 'gemini-cli', userAgent: /\bgemini-?cli\b/i, repeats: transient },
  { name: 'cline', userAgent: /\b(cline|roo-?code|kilo-?code)\b/i, repeats: transient },
  { name: 'continue', userAgent: /\bcontinue\b/i, repeats: transient },
  // LiteLLM turns 402, 403, 413 and 422 into exceptions that aider retries.
  { name: 'litellm', userAgent: /\b(litellm|aider)\b/i, repeats: allBut400 },
  // Repeats everything outside a fixed list of statuses.
  {
    name: 'langchain',
    userAgent: /langchain/i,
    repeats: (status) => ![400, 401, 402, 403, 404, 405, 406, 407, 409, 413].includes(status),
  },
]

/** The status to send: the semantic one, or 400 where this client is known to repeat it. */
export function statusForClient(
  semanticStatus: number,
  userAgent: string,
  policy: 'auto' | 'semantic' | 'final',
): number {
  if (policy === 'semantic') return semanticStatus
  if (policy === 'final') return 400
  for (const client of retryingClients) {
    if (client.userAgent.test(userAgent)) return client.repeats(semanticStatus) ? 400 : semanticStatus
  }
  return semanticStatus
}
