import type { CallFacts } from '../call.ts'
import { answerReader } from './answerReader.ts'
import { CacheAsk } from './cacheAsk.ts'
import type { AnswerForm, AnswerReader, DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { completeFacts, emulationOptions } from './facts.ts'
import { OpenaiChoices } from './openaiChoices.ts'
import { askChoices, chatCeiling, includeUsageOf, tierOf } from './openaiCeiling.ts'
import { countChatMessages } from './openaiInput.ts'
import { arrayIn, askArray, askBoolean, askModel, askModels, askNumber, isObject, objectIn } from './read.ts'
import { lastMessage, openaiRefusal } from './refusalShape.ts'
import { cacheKeySession } from './sessionHint.ts'
import { countTools, structureOf } from './structure.ts'
import { vendorOf } from './vendors.ts'

/** `POST /v1/chat/completions`, of OpenAI and of everything that imitates it. */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  describe,
  reader: (form, facts) => chatReader(form, facts),
  refusalBody: (refusal) => openaiRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, openaiRefusal(refusal)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const vendor = vendorOf(context)
  const stream = askBoolean(body, 'stream', false)
  const messages = askArray(body, 'messages')
  const { counter } = context
  const structure = structureOf(context, 'openai')
  const cache = new CacheAsk()
  cache.see(body)
  counter.structure(structure.perRequest)
  countChatMessages(messages, counter, structure, cache, context.transcript)
  const tools = [...arrayIn(body, 'tools'), ...arrayIn(body, 'functions')]
  countTools(counter, tools, structure)
  for (const tool of tools) if (isObject(tool)) cache.see(tool)
  for (const field of ['tool_choice', 'response_format', 'prediction']) {
    if (isObject(body[field])) counter.json(body[field])
  }
  const thinkingBudget = askNumber(objectIn(body, 'reasoning') ?? {}, 'max_tokens', 'reasoning.max_tokens')
  return completeFacts({
    model,
    vendor: vendor.name,
    otherModels: vendor.listsModels ? askModels(body, 'models') : [],
    stream,
    ...chatCeiling(body, context),
    choices: askChoices(body, 'n'),
    thinkingBudgetTokens: thinkingBudget !== null && thinkingBudget > 0 ? thinkingBudget : null,
    includeUsage: includeUsageOf(body, stream, context),
    // One search for a call, priced by the call; the usage block does not name it.
    serverTools: isObject(body['web_search_options']) ? [{ name: 'web_search', maxUses: 1 }] : [],
    tier: tierOf(body),
    cacheWrite: openaiCacheWrite(cache, context),
    ollama: emulationOptions(context),
    sessionHint: cacheKeySession(body),
    estimate: counter.estimate(),
    transcript: context.transcript.facts(),
  })
}

/** OpenAI's newer models charge for cache writes that nobody asked for, so that on its own API one is always expected. */
export function openaiCacheWrite(cache: CacheAsk, context: DescribeContext): CallFacts['cacheWrite'] {
  return cache.longest === 'none' && vendorOf(context).writesCacheUnasked ? '5m' : cache.longest
}

/** The fields of a delta or message that hold reasoning, by vendor. */
const reasoningFields = ['reasoning_content', 'reasoning', 'thinking'] as const

function chatReader(form: AnswerForm, facts: CallFacts): AnswerReader {
  const searches = facts.serverTools.some(({ name }) => name === 'web_search')
  const answer = new OpenaiChoices((record, choice, index) => {
    const said = objectIn(choice, 'delta') ?? objectIn(choice, 'message')
    if (said === null) return
    const { content } = said
    if (typeof content === 'string') {
      record.addSpoken(content)
      if (searches && content !== '') record.atLeastWebSearches(1)
    } else if (content !== undefined && content !== null) for (const part of arrayIn(said, 'content')) addPart(part)
    if (said['refusal'] !== undefined) record.addVisible(said['refusal'])
    for (const field of reasoningFields) if (said[field] !== undefined) record.addHidden(said[field])
    if (said['tool_calls'] !== undefined) for (const call of arrayIn(said, 'tool_calls')) addToolCall(call)
    if (isObject(said['function_call'])) addToolCall({ function: said['function_call'] })

    function addPart(part: unknown): void {
      if (!isObject(part)) return
      if (part['type'] === 'text') record.addVisible(part['text'])
      // Mistral's reasoning comes as parts inside a part.
      else for (const inner of arrayIn(part, 'thinking')) if (isObject(inner)) record.addHidden(inner['text'])
    }
    function addToolCall(call: unknown): void {
      if (!isObject(call)) return
      const place = call['index'] ?? call['id'] ?? 0
      record.addToolCall(`${index}/${typeof place === 'number' || typeof place === 'string' ? place : 0}`)
      for (const called of [objectIn(call, 'function'), objectIn(call, 'custom')]) {
        if (called === null) continue
        record.addHidden(called['name'])
        record.addHidden(called['arguments'])
        record.addHidden(called['input'])
      }
    }
  }, facts)
  return answerReader(form, answer.record, answer)
}
