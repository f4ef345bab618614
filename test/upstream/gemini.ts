import { composeAnswer, overridden } from './answer.ts'
import type { Answer } from './answer.ts'
import { listOf, numberOf, objectOf, textOf } from './json.ts'
import type { JsonObject } from './json.ts'
import { vectorsOf } from './openaiSide.ts'
import { chunk, finishOf, frame, sse } from './reply.ts'
import type { Ask, Frame, Reply } from './reply.ts'
import { countJson, countTokens } from './tokens.ts'

const jsonType = { 'content-type': 'application/json; charset=UTF-8', 'server-timing': 'gfet4t7; dur=12' }

const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** A Google error answer. */
export function geminiError(status: number, message: string): Reply {
  const body = { error: { code: status, message, status: statusWords[status] ?? 'UNKNOWN' } }
  return { kind: 'json', status, headers: jsonType, body }
}

/** Model and method of a path such as `/v1beta/models/gemini-2.5-flash:generateContent`. */
function callOf(path: string): { readonly model: string; readonly method: string } {
  const last = decodeURIComponent(path.split('?', 1)[0] ?? '')
    .split('/')
    .at(-1)
  const [model = '', method = ''] = (last ?? '').split(':')
  return { model, method }
}

function precheck(ask: Ask): Reply | null {
  if (!ask.memory.strict) return null
  const key = textOf(ask.headers['x-goog-api-key']) || textOf(ask.headers['authorization'])
  return key !== '' || /[?&]key=/.test(ask.path)
    ? null
    : geminiError(403, 'Method does not allow unregistered callers.')
}

/** A value that may stand alone in the place of a list, as the real servers take it. */
function manyOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : [value]
}

/** Tokens of one picture, file or sound. */
const mediaTokens = 258

function countParts(content: unknown): number {
  return manyOf(objectOf(content)['parts']).reduce<number>((sum, part) => {
    const { text, inlineData, fileData, ...others } = objectOf(part)
    if (typeof text === 'string') return sum + countTokens(text)
    return sum + (inlineData === undefined && fileData === undefined ? countJson(others) : mediaTokens)
  }, 3)
}

/** Input by the model's own count: contents, system instruction, tools, the schema of the answer. */
function countInput(request: JsonObject): number {
  const contents = manyOf(request['contents']).reduce<number>((sum, content) => sum + countParts(content), 0)
  const system = request['systemInstruction'] ?? request['system_instruction']
  return contents + (system === undefined ? 0 : countParts(system)) + countJson(request['tools'])
}

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`, with and without `alt=sse`. */
export function geminiGenerate(ask: Ask): Reply {
  const refused = precheck(ask)
  if (refused) return refused
  const { body, step } = ask
  if (manyOf(body['contents']).length === 0)
    return geminiError(400, '* GenerateContentRequest.contents: contents is not specified')
  const config = objectOf(body['generationConfig'] ?? body['generation_config'])
  const ceiling = numberOf(config['maxOutputTokens'] ?? config['max_output_tokens'])
  if (ceiling !== null && ceiling > 65_536) {
    return geminiError(400, 'Unable to submit request because it has a maxOutputTokens value that is out of range.')
  }
  const answer = composeAnswer(step, ceiling !== null && ceiling > 0 ? ceiling : 65_536)
  const { model, method } = callOf(ask.path)
  const served: Served = {
    ask,
    answer,
    model,
    promptTokens: step.inputTokens ?? countInput(body),
    showsThoughts: objectOf(config['thinkingConfig'])['includeThoughts'] === true,
    responseId: ask.memory.nextId('resp-'),
  }
  if (method === 'generateContent') return { kind: 'json', status: 200, headers: jsonType, body: wholeAnswer(served) }
  const isEvents = new URL(ask.path, 'http://x').searchParams.get('alt') === 'sse'
  return isEvents ? eventReply(served) : arrayReply(served)
}

interface Served {
  readonly ask: Ask
  readonly answer: Answer
  readonly model: string
  readonly promptTokens: number
  readonly showsThoughts: boolean
  readonly responseId: string
}

function finishReason({ answer, ask }: Served): string {
  return finishOf(answer, ask.step, { stop: 'STOP', length: 'MAX_TOKENS', tool: 'STOP' })
}

/** Usage after so many of the visible pieces: cumulative, with what is not known yet left out. */
function usageAfter({ ask, answer, promptTokens }: Served, candidates: number, isLast: boolean): JsonObject {
  const { step } = ask
  const thoughts = answer.reasoningTokens
  const usage = {
    promptTokenCount: promptTokens,
    ...(step.cacheReadTokens === undefined ? {} : { cachedContentTokenCount: step.cacheReadTokens }),
    ...(candidates === 0 ? {} : { candidatesTokenCount: candidates }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: promptTokens + candidates + thoughts,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
    ...(step.serviceTier === undefined ? {} : { serviceTier: step.serviceTier }),
  }
  const told = isLast || step.usage === 'missing' || step.usage === null ? overridden(usage, step) : usage
  return told === undefined ? {} : { usageMetadata: told }
}

function response(served: Served, parts: readonly object[], candidates: number, isLast: boolean): object {
  const { ask, model, responseId } = served
  const queries = Array.from({ length: ask.step.webSearches ?? 0 }, (_, number) => `query ${number + 1}`)
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        ...(isLast ? { finishReason: finishReason(served) } : {}),
        index: 0,
        ...(isLast && queries.length > 0 ? { groundingMetadata: { webSearchQueries: queries } } : {}),
      },
    ],
    ...usageAfter(served, candidates, isLast),
    modelVersion: model,
    responseId,
  }
}

function callParts({ ask, answer }: Served): readonly object[] {
  const { toolCall } = ask.step
  if (!answer.callsTool || toolCall === undefined) return []
  const { id, name, arguments: args } = toolCall
  return [{ functionCall: { ...(id === undefined ? {} : { id }), name, args } }]
}

function wholeAnswer(served: Served): object {
  const { answer, showsThoughts } = served
  const thoughts =
    showsThoughts && answer.thinking.length > 0 ? [{ text: answer.thinking.join(''), thought: true }] : []
  const text = answer.text.length === 0 ? [] : [{ text: answer.text.join('') }]
  const candidates = answer.outputTokens - answer.reasoningTokens
  return response(served, [...thoughts, ...text, ...callParts(served)], candidates, true)
}

/** The responses of a stream, one for each piece of output, and a last one with the finish reason. */
function* responses(served: Served): Generator<{ readonly body: object; readonly isOutput: boolean }> {
  const { answer, showsThoughts } = served
  if (showsThoughts) {
    for (const text of answer.thinking)
      yield { body: response(served, [{ text, thought: true }], 0, false), isOutput: true }
  }
  let candidates = 0
  for (const text of answer.text) {
    candidates += countTokens(text)
    yield { body: response(served, [{ text }], Math.min(candidates, answer.outputTokens), false), isOutput: true }
  }
  const calls = callParts(served)
  yield {
    body: response(
      served,
      calls.length === 0 ? [{ text: '' }] : calls,
      answer.outputTokens - answer.reasoningTokens,
      true,
    ),
    isOutput: calls.length > 0,
  }
}

function eventReply(served: Served): Reply {
  const frames = function* (): Generator<Frame> {
    for (const { body, isOutput } of responses(served)) yield isOutput ? chunk(sse(body)) : frame(sse(body))
  }
  return {
    kind: 'stream',
    headers: { 'content-type': 'text/event-stream', 'content-disposition': 'attachment' },
    frames: frames(),
    errorFrame: (message, type) => sse({ error: streamError(message, type) }),
  }
}

/** One array, written element by element and laid out for people, as the real one is. */
function arrayReply(served: Served): Reply {
  let elements = 0
  const element = (body: unknown): string =>
    `${(elements += 1) === 1 ? '[' : ',\r\n'}${JSON.stringify(body, null, 2)}\n`
  const frames = function* (): Generator<Frame> {
    for (const { body, isOutput } of responses(served)) yield isOutput ? chunk(element(body)) : frame(element(body))
    yield frame(']')
  }
  return {
    kind: 'stream',
    headers: jsonType,
    frames: frames(),
    errorFrame: (message, type) => `${element({ error: streamError(message, type) })}]`,
  }
}

function streamError(message: string, type: string): object {
  return { code: 503, message, status: type === 'server_error' ? 'UNAVAILABLE' : type }
}

/** `:embedContent` and `:batchEmbedContents`. Usage is reported where the step says how much it is. */
export function geminiEmbed(ask: Ask): Reply {
  const refused = precheck(ask)
  if (refused) return refused
  const { body, step } = ask
  const isBatch = callOf(ask.path).method === 'batchEmbedContents'
  const requests = isBatch ? manyOf(body['requests']) : [body]
  const inputs = requests.map((request) => objectOf(objectOf(request)['content']))
  if (inputs.some((content) => content['parts'] === undefined))
    return geminiError(400, '* EmbedContentRequest.content: content is required')
  const dimensions = numberOf(objectOf(requests[0])['outputDimensionality']) ?? 8
  const embeddings = vectorsOf(inputs, dimensions).map((values) => ({ values }))
  const tokens = step.inputTokens
  const usage =
    tokens === undefined
      ? {}
      : { usageMetadata: overridden({ promptTokenCount: tokens, totalTokenCount: tokens }, step) }
  return {
    kind: 'json',
    status: 200,
    headers: jsonType,
    body: { ...(isBatch ? { embeddings } : { embedding: embeddings[0] }), ...usage },
  }
}

/** `:countTokens`: the contents alone, or a whole request, which then has to name its model once more. */
export function geminiCount(ask: Ask): Reply {
  const refused = precheck(ask)
  if (refused) return refused
  const whole = ask.body['generateContentRequest']
  const request = whole === undefined ? ask.body : objectOf(whole)
  if (whole !== undefined && textOf(request['model']) === '') {
    return geminiError(400, '* CountTokensRequest.generate_content_request.model: model is required')
  }
  if (whole === undefined && Object.keys(ask.body).some((name) => name !== 'contents')) {
    return geminiError(400, 'Invalid JSON payload received. Unknown name: Cannot find field.')
  }
  const tokens = ask.step.inputTokens ?? countInput(request)
  const body = { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }
  return { kind: 'json', status: 200, headers: jsonType, body }
}

/** `GET /v1beta/models` and `/v1beta/models/{model}`. */
export function geminiModels(ask: Ask): Reply {
  const models = ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-embedding-001'].map((id) => ({
    name: `models/${id}`,
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }))
  const name = ask.path.split('?', 1)[0]?.split('/models/')[1]
  const found = name === undefined ? { models } : models.find((model) => model.name === `models/${name}`)
  return found === undefined
    ? geminiError(404, `models/${name ?? ''} is not found.`)
    : { kind: 'json', status: 200, headers: jsonType, body: found }
}

/** Names of caches and files that exist: none. */
export function geminiEmptyList(ask: Ask): Reply {
  const name = listOf(ask.path.split('?', 1)[0]?.split('/')).at(-1)
  return { kind: 'json', status: 200, headers: jsonType, body: { [textOf(name)]: [] } }
}
