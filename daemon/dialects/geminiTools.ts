import type { CallFacts } from '../call.ts'
import { fieldIn } from './geminiFields.ts'
import type { JsonObject } from './dialect.ts'
import { isObject } from './read.ts'

/**
 * Tools that Google runs, by the field of a tool that switches them on, with the name under which prices know them. A map
 * lookup is charged as the search that it is beside. What is fetched and computed costs its tokens only.
 */
export const geminiServerTools: ReadonlyMap<string, string> = new Map([
  ['googleSearch', 'web_search'],
  ['googleSearchRetrieval', 'web_search'],
  ['enterpriseWebSearch', 'web_search'],
  ['exaAiSearch', 'web_search'],
  ['parallelAiSearch', 'web_search'],
  ['googleMaps', 'web_search'],
  ['urlContext', 'url_context'],
  ['codeExecution', 'code_execution'],
  ['fileSearch', 'file_search'],
  ['retrieval', 'retrieval'],
  ['mcpServers', 'mcp'],
])

/** Up to Gemini 2.5 a grounded answer costs one fee however many searches it took; from 3 on each search costs one. */
export function paysBySearch(model: string): boolean {
  return !/gemini-(?:1|2)(?:\D|$)/.test(model)
}

/** The server tools of a request with their most uses; null is unbounded. */
export function serverToolsOf(tools: readonly unknown[], model: string): CallFacts['serverTools'] {
  const kinds = new Set<string>()
  for (const tool of tools) {
    if (!isObject(tool)) continue
    for (const [field, kind] of geminiServerTools) if (fieldIn(tool, field) !== undefined) kinds.add(kind)
  }
  return [...kinds].map((name) => ({ name, maxUses: name === 'web_search' && !paysBySearch(model) ? 1 : null }))
}

/** Counts the searches that an answer's grounding tells of. Chunks of a stream repeat what they know. */
export class GroundingSearches {
  readonly #perSearch: boolean
  readonly #queries = new Set<string>()
  #isGrounded = false

  constructor(model: string) {
    this.#perSearch = paysBySearch(model)
  }

  /** How many are charged so far. */
  get count(): number {
    return this.#perSearch ? Math.max(this.#queries.size, this.#isGrounded ? 1 : 0) : this.#isGrounded ? 1 : 0
  }

  add(grounding: JsonObject): void {
    for (const name of ['webSearchQueries', 'imageSearchQueries']) {
      for (const query of asList(grounding[name])) {
        if (typeof query !== 'string' || query.trim() === '' || this.#queries.size >= mostQueries) continue
        this.#queries.add(query.slice(0, mostQueryChars))
        this.#isGrounded = true
      }
    }
    const isFromOutside = (chunk: unknown): boolean =>
      isObject(chunk) && (isObject(chunk['web']) || isObject(chunk['maps']))
    if (asList(grounding['groundingChunks']).some(isFromOutside)) this.#isGrounded = true
  }
}

/** A model asks for a handful; more than this nobody can be charged for unseen. */
const mostQueries = 1000
const mostQueryChars = 512

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}
