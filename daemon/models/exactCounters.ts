import type { CallFacts, ReceivedCall } from '../call.ts'
import type { Upstream } from '../../shared/config.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import { snakeCase } from '../dialects/geminiFields.ts'
import { geminiCall } from '../dialects/geminiPath.ts'
import type { GeminiCall } from '../dialects/geminiPath.ts'
import { isOpenaiHost } from '../dialects/vendors.ts'
import { isObject, stringIn } from '../dialects/read.ts'
import { chatAsInput } from './chatAsInput.ts'
import { pickFields } from './pickFields.ts'

/** One request to a counter. */
export interface CountQuestion {
  readonly path: string
  readonly body: Buffer
  /** The count in an answer, what has to be asked next for it, or null where the answer says neither. */
  readonly read: (answer: unknown) => number | CountQuestion | null
}

/** A free counter that knows the exact input of a call. */
export interface ExactCounter {
  /** Upstream and endpoint, by which a counter that fails is remembered. */
  readonly name: string
  /** Where the questions go: the call's own upstream, for local servers below their version. */
  readonly upstream: Upstream
  /** Null where this request cannot be put into a question. */
  readonly question: () => CountQuestion | null
}

/** No window is that large; what is said to be is no count. */
const mostTokens = 100_000_000

/** A chat completion has to be parsed and written anew for its counter: more than this would hold up everybody else. */
const mostConvertedBytes = 4 * 1024 * 1024

/** Servers of the user's own that speak OpenAI's dialect and have other counters, or none. */
const localServers: ReadonlySet<string> = new Set(['vllm', 'llamacpp', 'lmstudio'])

/** What `count_tokens` takes, the fields of its betas included. */
const anthropicFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
  'context_management',
  'compaction',
  'speed',
])

/** What `input_tokens` takes. */
const responsesFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'reasoning',
  'text',
  'previous_response_id',
  'conversation',
  'parallel_tool_calls',
  'personality',
  'truncation',
])

const vllmFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'chat_template',
  'chat_template_kwargs',
  'add_generation_prompt',
  'continue_final_message',
])

const llamaFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'chat_template_kwargs',
])

/** What a request to be counted takes, in the spelling of the reference. */
const geminiFields: ReadonlySet<string> = new Set(
  ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'cachedContent'].flatMap((name) => [
    name,
    snakeCase(name),
  ]),
)

/**
 * The counter that can be asked about a call (wire formats: Anthropic `count_tokens`, OpenAI `input_tokens`, Gemini
 * `countTokens`, vLLM `tokenize`, llama.cpp `apply-template` and `tokenize`); null where there is none, as with Ollama and LM Studio. A call with
 * server-side tools sends its context several times and a counter knows the first one only, so that it is asked about such
 * a call only where nothing else tells what the provider keeps.
 */
export function exactCounter(received: ReceivedCall, facts: CallFacts): ExactCounter | null {
  if (facts.serverTools.length > 0 && facts.hiddenInput === null) return null
  const { upstream, upstreamName, dialect } = received
  const isLocal = localServers.has(upstreamName)
  if (dialect === 'anthropic-messages' && upstream.dialect === 'anthropic') return anthropicCounter(received)
  if (dialect === 'gemini-generate' && upstream.dialect === 'gemini') return geminiCounter(received)
  if (upstream.dialect !== 'openai') return null
  if (dialect === 'openai-responses') return isLocal ? null : responsesCounter(received, facts)
  if (dialect !== 'openai-chat') return null
  if (upstreamName === 'openai' || isOpenaiHost(upstream.baseUrl)) return chatCounter(received)
  // What an image comes to is not in the text that these two look at.
  if (facts.estimate.mediaTokens > 0) return null
  if (upstreamName === 'vllm') return vllmCounter(received)
  return upstreamName === 'llamacpp' ? llamaCounter(received) : null
}

/** A reported count: a whole number above 0 and below any window that there could be, else null. */
export function soundCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < mostTokens ? value : null
}

function anthropicCounter({ upstream, upstreamName, upstreamPath, body }: ReceivedCall): ExactCounter {
  const [plain, query] = splitQuery(upstreamPath)
  const path = `${plain}/count_tokens`
  return {
    name: `${upstreamName} ${path}`,
    upstream,
    question: () => ({ path: path + query, body: pickFields(body, anthropicFields), read: inputTokens }),
  }
}

/** The method of the same model, with the query, in which the key may stand. Vertex takes the fields of the request itself. */
function geminiCounter({ upstream, upstreamName, upstreamPath, body }: ReceivedCall): ExactCounter | null {
  const [plain, query] = splitQuery(upstreamPath)
  const call = geminiCall(plain)
  if (call === null) return null
  const path = plain.replace(/(:|%3a)[A-Za-z]+$/i, '$1countTokens')
  const kept = query
    .replace(/^\?/, '')
    .split('&')
    .filter((field) => field !== '' && !/^(?:\$|%24)?alt=/i.test(field))
  const isVertex = call.collection.includes('publishers/')
  return {
    name: `${upstreamName} ${path}`,
    upstream,
    question: () => ({
      path: kept.length === 0 ? path : `${path}?${kept.join('&')}`,
      body: isVertex ? pickFields(body, geminiFields) : generateContentRequest(call, pickFields(body, geminiFields)),
      read: (answer) => {
        if (!isObject(answer)) return null
        const total = soundCount(answer['totalTokens'])
        return total === null ? null : Math.max(total, soundCount(answer['cachedContentTokenCount']) ?? 0)
      },
    }),
  }
}

function generateContentRequest({ collection, model }: GeminiCall, fields: Buffer): Buffer {
  const name = JSON.stringify(collection === 'models' ? `models/${model}` : model)
  const rest = fields.length > 2 ? Buffer.concat([Buffer.from(','), fields.subarray(1)]) : Buffer.from('}')
  return Buffer.concat([Buffer.from(`{"generateContentRequest":{"model":${name}`), rest, Buffer.from('}')])
}

function responsesCounter(received: ReceivedCall, facts: CallFacts): ExactCounter {
  const { upstream, upstreamName, body } = received
  return {
    name: `${upstreamName} ${inputTokensPath}`,
    upstream,
    question: () => {
      // A stored prompt is something that the counter takes no name of.
      if (facts.hiddenInput !== null && hasPrompt(facts, body)) return null
      return { path: inputTokensPath, body: pickFields(body, responsesFields), read: inputTokens }
    },
  }
}

function chatCounter({ upstream, upstreamName, body }: ReceivedCall): ExactCounter {
  return {
    name: `${upstreamName} ${inputTokensPath}`,
    upstream,
    question: () => {
      const asked = body.length > mostConvertedBytes ? null : chatAsInput(parsed(body))
      return asked === null ? null : { path: inputTokensPath, body: bytesOf(asked), read: inputTokens }
    },
  }
}

function vllmCounter({ upstream, upstreamName, body }: ReceivedCall): ExactCounter {
  return {
    name: `${upstreamName} /tokenize`,
    upstream: nativeSide(upstream),
    question: () => ({
      path: '/tokenize',
      body: pickFields(body, vllmFields),
      read: (answer) => (isObject(answer) ? soundCount(answer['count']) : null),
    }),
  }
}

function llamaCounter({ upstream, upstreamName, body }: ReceivedCall): ExactCounter {
  const readTokens = (answer: unknown): number | null => {
    const tokens = isObject(answer) ? answer['tokens'] : null
    return Array.isArray(tokens) ? soundCount(tokens.length) : null
  }
  const readPrompt = (answer: unknown): CountQuestion | null => {
    const content = isObject(answer) ? stringIn(answer, 'prompt') : null
    if (content === null) return null
    return { path: '/tokenize', body: bytesOf({ content, add_special: true, parse_special: true }), read: readTokens }
  }
  return {
    name: `${upstreamName} /tokenize`,
    upstream: nativeSide(upstream),
    question: () => ({ path: '/apply-template', body: pickFields(body, llamaFields), read: readPrompt }),
  }
}

const inputTokensPath = '/responses/input_tokens'

function inputTokens(answer: unknown): number | null {
  return isObject(answer) ? soundCount(answer['input_tokens']) : null
}

/** The same server where its own routes begin, above the `/v1` of the dialect that it imitates. */
function nativeSide(upstream: Upstream): Upstream {
  // Only an upstream of Ollama's dialect has routes without a version.
  return { ...upstream, dialect: 'ollama' }
}

function hasPrompt(facts: CallFacts, body: Buffer): boolean {
  // Where no list of fields was made there are more of them than any request has.
  if (facts.fields?.includes('prompt') === false) return false
  return !pickFields(body, new Set(['prompt'])).equals(Buffer.from('{}'))
}

function parsed(body: Buffer): JsonObject {
  const value: unknown = JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  return isObject(value) ? value : {}
}

function bytesOf(value: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8')
}

function splitQuery(path: string): readonly [string, string] {
  const at = path.indexOf('?')
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)]
}
