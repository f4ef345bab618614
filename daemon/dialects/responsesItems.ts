import type { CacheAsk } from './cacheAsk.ts'
import type { DescribeContext, JsonObject, TokenCounter } from './dialect.ts'
import { countContent, countText } from './openaiInput.ts'
import { arrayIn, isObject, objectIn } from './read.ts'
import { recordResponsesItem } from './responsesTranscript.ts'
import type { Structure } from './structure.ts'
import { countSealed, countUrl } from './structure.ts'

/** Counts and records the items of a Responses input. `stored` says that one of them only points at what the provider keeps. */
export function countResponsesItems(
  items: readonly unknown[],
  { counter, transcript }: DescribeContext,
  structure: Structure,
  cache: CacheAsk,
): { readonly stored: boolean } {
  let stored = false
  for (const item of items) {
    counter.structure(structure.perMessage)
    recordResponsesItem(item, transcript)
    if (!isObject(item)) continue
    cache.see(item)
    if (item['type'] === 'item_reference') stored = true
    else countItem(item, counter, cache)
  }
  return { stored }
}

function countItem(item: JsonObject, counter: TokenCounter, cache: CacheAsk): void {
  const type = item['type']
  if (type === undefined || type === null || type === 'message') {
    countContent(item['content'], counter, cache)
    return
  }
  switch (type) {
    case 'function_call':
    case 'custom_tool_call':
    case 'mcp_call':
      counter.structure(10)
      for (const field of ['name', 'arguments', 'input', 'output', 'error']) countText(item[field], counter)
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      countContent(item['output'], counter, cache)
      return
    case 'computer_call_output': {
      const output = objectIn(item, 'output')
      countContent(output === null ? item['output'] : [output], counter, cache)
      return
    }
    case 'reasoning':
      countContent(item['summary'], counter, cache)
      countContent(item['content'], counter, cache)
      countSealed(counter, item['encrypted_content'])
      return
    case 'compaction':
    case 'compaction_summary':
      countSealed(counter, item['encrypted_content'])
      return
    case 'image_generation_call':
      countText(item['revised_prompt'], counter)
      counter.media({ kind: 'image', base64: typeof item['result'] === 'string' ? item['result'] : undefined })
      return
    case 'code_interpreter_call':
      countText(item['code'], counter)
      for (const output of arrayIn(item, 'outputs')) countOutput(output, counter)
      return
    case 'web_search_call':
    case 'file_search_call':
    case 'computer_call':
    case 'local_shell_call':
    case 'shell_call':
    case 'shell_call_output':
    case 'apply_patch_call':
    case 'apply_patch_call_output':
    case 'mcp_list_tools':
    case 'mcp_approval_request':
    case 'mcp_approval_response':
    case 'tool_search_call':
    case 'tool_search_output':
      // Plain structures of commands, queries and results.
      counter.json(item)
      return
    default:
      // A kind that we do not know may hold base64, which must not be counted as text, and is never nothing (J04, J05).
      counter.media({ kind: 'unknown' })
  }
}

function countOutput(output: unknown, counter: TokenCounter): void {
  if (!isObject(output)) return
  if (output['type'] === 'image') countUrl(counter, 'image', output['url'])
  else countText(output['logs'], counter)
}
