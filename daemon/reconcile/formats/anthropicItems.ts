/** The line item of a `cost_type`: null for tokens, else its words (`web search`, `code execution`, `session usage`). */
export function anthropicItem(costType: unknown): string | null {
  const word = typeof costType === 'string' ? costType.trim().toLowerCase() : ''
  return word === '' || word === 'token' || word === 'tokens' ? null : word.replaceAll('_', ' ')
}
