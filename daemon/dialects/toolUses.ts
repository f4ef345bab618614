import type { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { objectIn, stringIn } from './read.ts'

/** Containers of one answer that are told apart. */
const mostContainers = 1000

/**
 * The provider's own tools in a Responses output, which its usage does not name (D10). Of web searches the searches
 * themselves are charged, not the pages that were opened; of code the containers, however often they were used.
 */
export class ToolUses {
  #webSearches = 0
  #fileSearches = 0
  #unnamedContainers = 0
  readonly #containers = new Set<string>()

  /** Looks at one finished item. */
  see(item: JsonObject): void {
    switch (item['type']) {
      case 'web_search_call':
        if ((stringIn(objectIn(item, 'action') ?? {}, 'type') ?? 'search') === 'search') this.#webSearches += 1
        return
      case 'file_search_call':
        this.#fileSearches += 1
        return
      case 'code_interpreter_call': {
        const container = stringIn(item, 'container_id')
        if (container === null) this.#unnamedContainers = 1
        else if (this.#containers.size < mostContainers) this.#containers.add(container.slice(0, 256))
      }
    }
  }

  /** Tells what was seen so far. */
  tell(record: AnswerRecord): void {
    record.atLeast('webSearches', this.#webSearches)
    record.atLeast('fileSearches', this.#fileSearches)
    record.atLeast('codeContainers', Math.max(this.#containers.size, this.#unnamedContainers))
  }
}
