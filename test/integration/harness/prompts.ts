/** A text of about this many tokens: short words that are one token each in every vocabulary that is used here. */
export function promptOfTokens(tokens: number): string {
  return ' apple'.repeat(tokens).trimStart()
}

/** A text of exactly this many characters, in sentences as people write them. */
export function promptOfChars(chars: number): string {
  return 'The lighthouse keeper counts the waves and writes them down. '.repeat(Math.ceil(chars / 61)).slice(0, chars)
}

/** A chat request as most programs send it. */
export function chatAsk(content: string, more: object = {}): object {
  return { model: 'gpt-4o-mini', messages: [{ role: 'user', content }], ...more }
}
