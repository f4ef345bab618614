import type { CallFacts } from '../call.ts'
import { countBlocks } from './anthropicInput.ts'
import { anthropicReader } from './anthropicReader.ts'
import { recordAnthropicMessage } from './anthropicTranscript.ts'
import { CacheAsk } from './cacheAsk.ts'
import { askFallbacks, budgetOf } from './anthropicFallbacks.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { completeFacts, emulationOptions } from './facts.ts'
import { askCeiling, tierOf } from './openaiCeiling.ts'
import { arrayIn, askArray, askBoolean, askModel, askNumber, isObject, objectIn, stringIn } from './read.ts'
import { anthropicErrorType, anthropicRefusal, lastMessage } from './refusalShape.ts'
import { anthropicSession } from './sessionHint.ts'
import { countTools, structureOf } from './structure.ts'
import { vendorOf } from './vendors.ts'

/** `POST /v1/messages`. */
export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  describe,
  reader: (form, facts) => anthropicReader(form, facts),
  refusalBody: (refusal, status, callId) => anthropicRefusal(refusal, anthropicErrorType(status), callId),
  // Within a stream the class alone decides whether a client tries again: this one is final for all of them.
  terminalError: (refusal, form, callId) =>
    lastMessage(form, 'error', anthropicRefusal(refusal, 'invalid_request_error', callId)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const messages = askArray(body, 'messages')
  const { counter } = context
  const structure = structureOf(context, 'anthropic')
  const cache = new CacheAsk()
  cache.see(body)
  counter.structure(structure.perRequest)
  countBlocks(body['system'], counter, cache)
  for (const message of messages) {
    counter.structure(structure.perMessage)
    if (isObject(message)) countBlocks(message['content'], counter, cache)
    recordAnthropicMessage(message, context.transcript)
  }
  const tools = arrayIn(body, 'tools')
  countTools(counter, tools, structure)
  for (const tool of tools) {
    if (!isObject(tool)) continue
    cache.see(tool)
    counter.structure(builtInToolTokens(stringIn(tool, 'type') ?? ''))
  }
  if (isObject(body['tool_choice'])) counter.json(body['tool_choice'])
  const format = objectIn(objectIn(body, 'output_config') ?? {}, 'format') ?? objectIn(body, 'output_format')
  if (format !== null) counter.json(format)
  const ceiling = askCeiling(body, 'max_tokens', context)
  const fallbacks = askFallbacks(body, context)
  return completeFacts({
    model,
    vendor: vendorOf(context).name,
    otherModels: [...fallbacks.models, ...advisorsOf(tools)],
    ...(fallbacks.ceilings.length === 0 || ceiling === null
      ? {}
      : { ceilings: [{ path: ['max_tokens'], tokens: ceiling }, ...fallbacks.ceilings] }),
    stream: askBoolean(body, 'stream', false),
    outputField: ['max_tokens'],
    requestedOutputTokens:
      ceiling === null ? null : Math.max(ceiling, ...fallbacks.ceilings.map(({ tokens }) => tokens)),
    thinkingBudgetTokens: largest([budgetOf(body), ...fallbacks.budgets]),
    serverTools: serverToolsOf(tools, arrayIn(body, 'mcp_servers').length > 0),
    tier: {
      ...tierOf(body, ['service_tier', 'speed', 'inference_geo']),
      ...(fallbacks.isFast ? { speed: 'fast' } : {}),
    },
    cacheWrite: cache.longest,
    ollama: emulationOptions(context),
    sessionHint: anthropicSession(body),
    estimate: counter.estimate(),
    transcript: context.transcript.facts(),
  })
}

/** The larger of the thinking budgets that there are. */
function largest(budgets: readonly (number | null)[]): number | null {
  const set = budgets.filter((budget) => budget !== null)
  return set.length === 0 ? null : Math.max(...set)
}

/** Models that the tool `advisor` asks, each with a price of its own. */
function advisorsOf(tools: readonly unknown[]): readonly string[] {
  return tools.flatMap((tool) =>
    isObject(tool) && /^advisor(?:_|$)/.test(stringIn(tool, 'type') ?? '') && tool['model'] !== undefined
      ? [askModel(tool)]
      : [],
  )
}

/** Tokens of the hidden definitions of Anthropic's own tools. */
function builtInToolTokens(type: string): number {
  if (type.startsWith('bash_')) return 250
  if (type.startsWith('text_editor_')) return 700
  if (type.startsWith('computer_')) return 750
  return type === '' || type === 'custom' ? 0 : 500
}

/** Tools that the provider runs: `web_search_20250305` is `web_search`. */
const providerTools = /^(web_search|web_fetch|code_execution|advisor)(?:_\d+)?$/

function serverToolsOf(tools: readonly unknown[], mcp: boolean): CallFacts['serverTools'] {
  const found = tools.flatMap((tool) => {
    if (!isObject(tool)) return []
    const name = providerTools.exec(stringIn(tool, 'type') ?? '')?.[1]
    if (name === undefined) return []
    const maxUses = askNumber(tool, 'max_uses', 'tools.max_uses')
    return [{ name, maxUses: maxUses !== null && maxUses >= 0 ? maxUses : null }]
  })
  return mcp ? [...found, { name: 'mcp', maxUses: null }] : found
}
