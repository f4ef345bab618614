import type { CallFacts } from '../call.ts'
import { CacheAsk } from './cacheAsk.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts, emulationOptions } from './facts.ts'
import { openaiCacheWrite } from './openaiChat.ts'
import { askCeiling, tierOf } from './openaiCeiling.ts'
import { countContent, countText } from './openaiInput.ts'
import { countResponsesItems } from './responsesItems.ts'
import { responsesReader } from './responsesReader.ts'
import { arrayIn, askBoolean, askModel, askModels, askNumber, isObject, objectIn, stringIn } from './read.ts'
import { lastMessage, openaiRefusal, refusalFields } from './refusalShape.ts'
import { responsesSession } from './sessionHint.ts'
import { countTools, structureOf } from './structure.ts'
import { vendorOf } from './vendors.ts'

/** `POST /v1/responses`. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',
  describe,
  reader: (form, facts) => responsesReader(form, facts),
  refusalBody: (refusal) => openaiRefusal(refusal),
  // With any other code its clients repeat the turn, several times.
  terminalError: (refusal, form, callId) =>
    lastMessage(form, 'response.failed', {
      type: 'response.failed',
      sequence_number: 0,
      response: {
        id: `resp_${callId}`,
        object: 'response',
        status: 'failed',
        error: { code: 'insufficient_quota', message: refusal.message, tollgate: refusalFields(refusal) },
        incomplete_details: null,
        output: [],
        usage: null,
      },
    }),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const vendor = vendorOf(context)
  const stream = askBoolean(body, 'stream', false)
  const background = askBoolean(body, 'background', false)
  const { input } = body
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) {
    throw new InvalidRequest('The field "input" is not a string or an array.')
  }
  const { counter } = context
  const structure = structureOf(context, 'openai')
  const cache = new CacheAsk()
  counter.structure(structure.perRequest)
  if (typeof body['instructions'] === 'string') counter.structure(structure.perMessage)
  countContent(body['instructions'], counter, cache)
  let stored = false
  if (typeof input === 'string') {
    counter.structure(structure.perMessage)
    countText(input, counter)
    context.transcript.message('human')
    context.transcript.text(input)
  } else stored = countResponsesItems(arrayIn(body, 'input'), context, structure, cache).stored
  const tools = arrayIn(body, 'tools')
  countTools(counter, tools, structure)
  if (isObject(body['tool_choice'])) counter.json(body['tool_choice'])
  const format = objectIn(objectIn(body, 'text') ?? {}, 'format')
  if (format !== null) counter.json(format)
  const prompt = objectIn(body, 'prompt')
  for (const variable of Object.values(objectIn(prompt ?? {}, 'variables') ?? {})) {
    countContent(typeof variable === 'string' ? variable : [variable], counter, cache)
  }
  const previousResponseId = stringIn(body, 'previous_response_id')
  const { conversation } = body
  const hidden =
    previousResponseId !== null || prompt !== null || stored || (conversation !== undefined && conversation !== null)
  return completeFacts({
    model,
    vendor: vendor.name,
    otherModels: vendor.listsModels ? askModels(body, 'models') : [],
    stream,
    outputField: ['max_output_tokens'],
    requestedOutputTokens: askCeiling(body, 'max_output_tokens', context),
    unsupported: background
      ? 'A background response goes on when nobody listens, so that its cost cannot be accounted for. Nothing was sent to the provider. Leave out "background".'
      : null,
    hiddenInput: hidden ? { previousResponseId } : null,
    serverTools: serverToolsOf(tools, askNumber(body, 'max_tool_calls')),
    tier: tierOf(body),
    cacheWrite: openaiCacheWrite(cache, context),
    ollama: emulationOptions(context),
    sessionHint: responsesSession(body),
    estimate: counter.estimate(),
    transcript: context.transcript.facts(),
  })
}

/** Tools that the provider runs and charges for by the use. `max_tool_calls` bounds them all together. */
const providerTools = /^(web_search|file_search|code_interpreter|image_generation|mcp)(?:_|$)/

function serverToolsOf(tools: readonly unknown[], maxToolCalls: number | null): CallFacts['serverTools'] {
  const names = new Set<string>()
  for (const tool of tools) {
    if (!isObject(tool)) continue
    const type = stringIn(tool, 'type') ?? ''
    const name = providerTools.exec(type)?.[1]
    if (name !== undefined) names.add(name)
    // A shell is the client's own unless it runs in a container of the provider.
    const environment = stringIn(objectIn(tool, 'environment') ?? {}, 'type') ?? ''
    if (type === 'shell' && environment.startsWith('container')) names.add('code_interpreter')
  }
  const maxUses = maxToolCalls !== null && maxToolCalls >= 0 ? maxToolCalls : null
  return [...names].map((name) => ({ name, maxUses }))
}
