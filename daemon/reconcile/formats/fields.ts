/** A field of an answer as a text; null for what is none, and where it is empty. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** True for a JSON object; what it holds is still unknown. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Line items that the ledger has as well: uses of the provider's own tools. */
export const toolItems: readonly string[] = ['web search', 'file search', 'code execution']
