import type { CacheAsk } from './cacheAsk.ts'
import type { JsonObject, TokenCounter } from './dialect.ts'
import { asArray, isObject, stringIn } from './read.ts'
import { countSealed } from './structure.ts'

/** Blocks may hold blocks (tool results, documents); deeper than this nobody means it. */
const maxDepth = 16

/** Tokens that an image or document block has besides its content. */
const mediaBlock = 5

/**
 * Counts content: a string or blocks. `system`, messages, tool results and documents all have it (H03, H05). Images inside
 * tool results are images like any other (J04).
 */
export function countBlocks(content: unknown, counter: TokenCounter, cache: CacheAsk, depth = 0): void {
  if (typeof content === 'string') {
    if (content !== '') counter.text(content)
    return
  }
  // A single block in the place of a list.
  const blocks = isObject(content) ? [content] : asArray(content)
  for (const block of blocks) {
    if (typeof block === 'string') counter.text(block)
    else if (!isObject(block) || depth >= maxDepth) counter.media({ kind: 'unknown' })
    else countBlock(block, counter, cache, depth)
  }
}

function countBlock(block: JsonObject, counter: TokenCounter, cache: CacheAsk, depth: number): void {
  cache.see(block)
  const type = stringIn(block, 'type') ?? ''
  const text = (field: string): void => {
    const value = block[field]
    if (typeof value === 'string' && value !== '') counter.text(value)
  }
  switch (type) {
    case 'text':
      text('text')
      return
    case 'thinking':
      text('thinking')
      return
    case 'redacted_thinking':
      countSealed(counter, block['data'])
      return
    case 'compaction':
      countBlocks(block['content'], counter, cache, depth + 1)
      countSealed(counter, block['encrypted_content'])
      return
    case 'image':
      counter.structure(mediaBlock)
      countSource('image', block['source'], counter, cache, depth)
      return
    case 'document':
      counter.structure(mediaBlock)
      text('title')
      text('context')
      countSource('file', block['source'], counter, cache, depth)
      return
    case 'search_result':
      text('title')
      text('source')
      countBlocks(block['content'], counter, cache, depth + 1)
      return
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      counter.structure(10)
      text('name')
      if (block['input'] !== undefined) counter.json(block['input'])
      return
    case 'tool_result':
    case 'mcp_tool_result':
      counter.structure(10)
      countBlocks(block['content'], counter, cache, depth + 1)
      return
    case 'tool_reference':
    case 'web_search_result':
    case 'web_search_tool_result_error':
      // Encrypted page text is long, and what it stands for is billed as input.
      counter.json(block)
      return
    case 'web_fetch_result':
      text('url')
      countBlocks(block['content'], counter, cache, depth + 1)
      return
    default:
      if (type.endsWith('_tool_result')) {
        counter.structure(10)
        countBlocks(block['content'], counter, cache, depth + 1)
      } else if (/_result$|_error$|_output$/.test(type)) counter.json(block)
      else counter.media({ kind: 'unknown' })
  }
}

function countSource(
  kind: 'image' | 'file',
  source: unknown,
  counter: TokenCounter,
  cache: CacheAsk,
  depth: number,
): void {
  if (!isObject(source)) {
    counter.media({ kind })
    return
  }
  const mimeType = stringIn(source, 'media_type') ?? undefined
  const data = stringIn(source, 'data') ?? undefined
  if (source['type'] === 'text') counter.text(data ?? '')
  else if (source['type'] === 'content') countBlocks(source['content'], counter, cache, depth + 1)
  else counter.media({ kind, base64: source['type'] === 'base64' ? data : undefined, mimeType })
}
