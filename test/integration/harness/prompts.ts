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

/** A chat stream of so many frames of 128 KiB each, all of it one word: more than the buffers between two processes hold. */
export function bulkyFrames(count: number): readonly string[] {
  const frame = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
  return [
    ...Array<string>(count).fill(frame({ delta: { content: 'x'.repeat(128 * 1024) } })),
    frame({ delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ]
}
