/** Tokens that are kept free for the answer. */
const answerTokens = 1024

/** The smallest window that is worth setting. */
const leastWindow = 4096

/** The window that holds a prompt of so many tokens and a short answer: a power of two, at least 4,096 tokens. */
export function windowFor(promptTokens: number): number {
  const wanted = Math.max(leastWindow, promptTokens + answerTokens)
  return 2 ** Math.ceil(Math.log2(wanted))
}
