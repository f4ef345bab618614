import type { CallFacts } from '../call.ts'

const mostResponses = 5000
const mostModels = 500

/** Where neither the conversation nor the model's window is known: the largest window that is common today. */
const unknownHiddenInputTokens = 400_000

/**
 * What earlier answers tell about later prompts: the size of a conversation that the provider keeps (A12: a body of 20
 * bytes may be billed for 180,000 tokens), and whether the same count is reported for prompts that grow.
 */
export class PromptGrowth {
  readonly #responses = new Map<string, number>()
  readonly #last = new Map<string, { readonly textTokens: number; readonly reported: number }>()

  /**
   * Total tokens of an answer that a later request may name as `previous_response_id`, or those of a cache that it may name.
   */
  remember(responseId: string | null, totalTokens: number): void {
    if (responseId !== null) keep(this.#responses, responseId, totalTokens, mostResponses)
  }

  /** Whether the size of what the provider adds on its side is known; true where it adds nothing. */
  knows({ hiddenInput }: CallFacts): boolean {
    if (hiddenInput === null) return true
    const name = hiddenInput.previousResponseId ?? hiddenInput.cachedContent ?? null
    return name !== null && this.#responses.has(name)
  }

  /** The estimate, raised to what the provider is known, or has to be assumed, to add on its side. */
  atLeast(facts: CallFacts, estimatedTokens: number): number {
    const hidden = facts.hiddenInput
    if (hidden === null) return estimatedTokens
    const name = hidden.previousResponseId ?? hidden.cachedContent ?? null
    const known = name === null ? undefined : this.#responses.get(name)
    return estimatedTokens + (known ?? unknownHiddenInputTokens)
  }

  /** The previous prompt of this model, and remembers this one. */
  lastReported(
    upstream: string,
    model: string,
    textTokens: number,
    reported: number,
  ): { readonly textTokens: number; readonly reported: number } | null {
    const name = `${upstream}/${model}`
    const previous = this.#last.get(name) ?? null
    keep(this.#last, name, { textTokens, reported }, mostModels)
    return previous
  }
}

/** Sets an entry and drops the oldest above the bound. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.delete(name)
  map.set(name, value)
  if (map.size > most) {
    const [oldest] = map.keys()
    if (oldest !== undefined) map.delete(oldest)
  }
}
