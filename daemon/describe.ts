import type { EstimatorName, UpstreamDialect } from '../shared/config.ts'
import type { CallFacts, DialectName } from './call.ts'
import { choiceAskOf } from './dialects/choiceAsk.ts'
import { InvalidRequest } from './dialects/dialect.ts'
import type { JsonObject } from './dialects/dialect.ts'
import { dialectByName } from './dialects/registry.ts'
import { isOllamaEmulation } from './dialects/routes.ts'
import { createTokenCounter } from './tokens/estimate.ts'
import { modelFamily } from './tokens/families.ts'
import type { MessageCountCache } from './tokens/messageCache.ts'
import type { Tokenizer } from './tokens/tokenizer.ts'
import { createTranscriptRecorder } from './transcript/recorder.ts'
import type { TextDigests } from './transcript/textDigests.ts'

/** Everything that a description depends on besides the bytes. Structured-cloneable: it crosses to the worker. */
export interface DescribeRequest {
  readonly dialect: DialectName
  readonly upstreamName: string
  readonly upstreamBaseUrl: string
  /** Path below the base URL, without its query, which may hold a key. */
  readonly path: string
  readonly upstreamDialect: UpstreamDialect
  readonly estimator: EstimatorName
}

/** Facts, or a sentence for the person who sent it. */
export type Description =
  { readonly ok: true; readonly facts: CallFacts } | { readonly ok: false; readonly problem: string }

/** What the reader of one thread keeps between requests. */
export interface Reading {
  readonly tokenizer: Tokenizer
  readonly cache: MessageCountCache
  /** The same that the cache uses, so that a text is hashed once. */
  readonly digests: TextDigests
  /** Steps that may be spent on counting before text is sampled; absent is the tokenizer's own default. */
  readonly workBudget?: number
}

const byteOrderMark = 0xfeff

/** A request has a few dozen; of more than this no list is made. */
const mostFields = 200

/** Reads a request: JSON, the dialect's facts, the token estimate. No part of the text is in the result. */
export function describeBody(bytes: Uint8Array, request: DescribeRequest, reading: Reading): Description {
  let body: unknown
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    body = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    // The parser's own message quotes the text, which must not travel.
    return { ok: false, problem: 'The request body is not valid JSON. Nothing was sent to the provider.' }
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, problem: 'The request body is JSON, but not an object. Nothing was sent to the provider.' }
  }
  const dialect = dialectByName(request.dialect)
  const named =
    dialect.modelInPath === undefined ? (body as JsonObject)['model'] : dialect.modelInPath.modelOf(request.path)
  const model = typeof named === 'string' ? named : ''
  const counter = createTokenCounter({
    ...reading,
    estimator: request.estimator,
    family: modelFamily(model, request.upstreamName, request.upstreamDialect),
    model,
  })
  try {
    const transcript = createTranscriptRecorder(reading.digests)
    transcript.tools((body as JsonObject)['tools'] ?? (body as JsonObject)['functions'])
    const facts = dialect.describe(body as JsonObject, {
      upstreamName: request.upstreamName,
      upstreamBaseUrl: request.upstreamBaseUrl,
      path: request.path,
      ollamaEmulation: isOllamaEmulation(request.upstreamDialect, request.dialect),
      counter,
      transcript,
    })
    const fields = Object.keys(body)
    const known = fields.length > mostFields ? {} : { fields }
    return { ok: true, facts: { ...facts, ...known, choiceAsk: choiceAskOf(body as JsonObject) } }
  } catch (fault) {
    if (fault instanceof InvalidRequest) return { ok: false, problem: fault.message }
    // The stack is used up: some thousand levels, which parse and cannot be counted.
    if (fault instanceof RangeError) {
      return { ok: false, problem: 'The request body is nested too deeply. Nothing was sent to the provider.' }
    }
    throw fault
  } finally {
    reading.digests.forgetTexts()
  }
}
