import type { JsonObject } from '../dialects/dialect.ts'
import { isObject, objectIn, stringIn } from '../dialects/read.ts'

/**
 * A chat completion as the Responses request with the same prompt, for OpenAI's counter, which knows no other form. Only
 * what has the same tokens in both is converted: text, function tools, their calls and results. For anything else (images,
 * audio, names of speakers, fields that are not known here) there is null and no count, because a wrong one is worse than
 * an estimate.
 */
export function chatAsInput(body: JsonObject): JsonObject | null {
  for (const [name, value] of Object.entries(body)) {
    if (!isAbsent(value) && !converted.has(name) && !withoutTokens.has(name)) return null
  }
  const input = all(body['messages'], itemsOf)?.flat() ?? null
  const tools = all(body['tools'] ?? [], toolOf)
  const choice = toolChoiceOf(body['tool_choice'])
  const format = formatOf(body['response_format'])
  if (input === null || tools === null || choice === null || format === null) return null
  const { model, reasoning_effort: effort, verbosity, parallel_tool_calls: parallel } = body
  const text = present({ format, verbosity })
  return present({
    model,
    input,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: choice,
    parallel_tool_calls: parallel,
    reasoning: isAbsent(effort) ? undefined : { effort },
    text: Object.keys(text).length === 0 ? undefined : text,
  })
}

const converted: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'response_format',
])

/** Fields that say how to answer, whom to bill and what to keep, and add nothing to the prompt. */
const withoutTokens: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'n',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'user',
])

/** Fields of a message that are read below; clients send back what they got, with empty ones of every kind. */
const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id'])

/** What became of an absent part: nothing has to be sent for it. Null is a part that cannot be converted. */
type Converted<Value> = Value | undefined | null

function itemsOf(message: unknown): readonly JsonObject[] | null {
  if (!isObject(message)) return null
  for (const [name, value] of Object.entries(message)) {
    if (!isAbsent(value) && !messageFields.has(name)) return null
  }
  const { role, content, tool_calls: calls, tool_call_id: callId } = message
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const read = contentOf(content, 'input_text')
      return isAbsent(read) || !isAbsent(calls) ? null : [{ role, content: read }]
    }
    case 'assistant': {
      const read = isAbsent(content) || content === '' ? undefined : contentOf(content, 'output_text')
      const items = all(calls ?? [], callOf)
      if (read === null || items === null) return null
      return read === undefined ? items : [{ role, content: read }, ...items]
    }
    case 'tool': {
      const output = contentOf(content, 'input_text')
      if (isAbsent(output) || typeof callId !== 'string') return null
      return [{ type: 'function_call_output', call_id: callId, output }]
    }
    default:
      return null
  }
}

function contentOf(content: unknown, type: 'input_text' | 'output_text'): string | readonly JsonObject[] | null {
  if (typeof content === 'string') return content
  return all(content, (part) => {
    if (!isObject(part) || part['type'] !== 'text' || typeof part['text'] !== 'string') return null
    return { type, text: part['text'] }
  })
}

function callOf(call: unknown): JsonObject | null {
  if (!isObject(call) || (call['type'] !== 'function' && !isAbsent(call['type']))) return null
  const called = objectIn(call, 'function') ?? {}
  const id = stringIn(call, 'id')
  const name = stringIn(called, 'name')
  const args = stringIn(called, 'arguments')
  return id === null || name === null || args === null
    ? null
    : { type: 'function_call', call_id: id, name, arguments: args }
}

function toolOf(tool: unknown): JsonObject | null {
  if (!isObject(tool) || tool['type'] !== 'function') return null
  const declared = objectIn(tool, 'function') ?? {}
  const name = stringIn(declared, 'name')
  if (name === null) return null
  const { description, parameters, strict } = declared
  // Responses takes a schema as strict where nothing is said, chat does not.
  return present({
    type: 'function',
    name,
    description,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict === true,
  })
}

function toolChoiceOf(choice: unknown): Converted<unknown> {
  if (isAbsent(choice)) return undefined
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (!isObject(choice) || choice['type'] !== 'function') return null
  const name = stringIn(objectIn(choice, 'function') ?? {}, 'name')
  return name === null ? null : { type: 'function', name }
}

function formatOf(format: unknown): Converted<JsonObject> {
  if (isAbsent(format)) return undefined
  if (!isObject(format)) return null
  if (format['type'] === 'text' || format['type'] === 'json_object') return { type: format['type'] }
  const schema = objectIn(format, 'json_schema')
  if (format['type'] !== 'json_schema' || schema === null) return null
  const { name, description, schema: declared, strict } = schema
  return present({ type: 'json_schema', name, description, schema: declared, strict })
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

/** Every element converted, or null where one cannot be, or where there is no list. */
function all<Value>(list: unknown, convert: (element: unknown) => Value | null): readonly Value[] | null {
  if (!Array.isArray(list)) return null
  const values: Value[] = []
  for (const element of list as readonly unknown[]) {
    const value = convert(element)
    if (value === null) return null
    values.push(value)
  }
  return values
}
