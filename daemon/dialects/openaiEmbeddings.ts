import { lastFields } from '../streams/lastFields.ts'
import type { CallFacts } from '../call.ts'
import { answerReader } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import type { AnswerForm, AnswerReader, DescribeContext, Dialect, JsonObject, TokenCounter } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts, emulationOptions } from './facts.ts'
import { OpenaiUsage } from './openaiUsage.ts'
import { asArray, askModel, isObject } from './read.ts'
import { lastMessage, openaiRefusal } from './refusalShape.ts'
import { vendorOf } from './vendors.ts'

/** `POST /v1/embeddings`: input only, there is no output to bound. */
export const openaiEmbeddings: Dialect = {
  name: 'openai-embeddings',
  describe,
  reader: (form, facts) => embeddingsReader(form, facts),
  refusalBody: (refusal) => openaiRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, openaiRefusal(refusal)),
}

/** Tokens that a model may put around each input. */
const perInput = 2

/** Vectors are large and say nothing about usage, which stands behind them: more than this is not kept. */
export const maxVectorsBytes = 256 * 1024

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const { input } = body
  if (typeof input !== 'string' && !Array.isArray(input)) {
    throw new InvalidRequest('The field "input" is missing or not a string or an array.')
  }
  countTokenInput(input, context.counter)
  return completeFacts({
    model,
    vendor: vendorOf(context).name,
    stream: false,
    outputField: [],
    requestedOutputTokens: null,
    producesOutput: false,
    ollama: emulationOptions(context),
    estimate: context.counter.estimate(),
  })
}

/** Counts text, a list of texts, token ids, or a list of lists of them. */
export function countTokenInput(input: unknown, counter: TokenCounter): void {
  const parts = typeof input === 'string' ? [input] : asArray(input)
  if (typeof parts[0] === 'number') {
    counter.structure(perInput)
    counter.exact(parts.length)
    return
  }
  counter.structure(perInput * parts.length)
  for (const part of parts) {
    if (typeof part === 'string') counter.text(part)
    else if (Array.isArray(part)) counter.exact(part.length)
    else counter.media({ kind: 'unknown' })
  }
}

function embeddingsReader(form: AnswerForm, facts: CallFacts): AnswerReader {
  const record = new AnswerRecord()
  const usage = new OpenaiUsage(record, facts)
  const read = (answer: { readonly [name: string]: unknown }): void => {
    record.setModel(answer['model'])
    if (answer['error'] !== undefined) record.setError(answer['error'])
    if (isObject(answer['usage'])) usage.merge(answer['usage'])
    record.outputReported = true
  }
  const tail = (text: string): void => read(lastFields(text, ['usage', 'model']))
  return answerReader(form, record, { chunk: read, document: read, tail }, { maxDocumentBytes: maxVectorsBytes })
}
