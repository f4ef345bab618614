import { lastFields } from '../streams/lastFields.ts'
import type { CallFacts } from '../call.ts'
import { answerReader } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import { InvalidRequest } from './dialect.ts'
import type { AnswerForm, AnswerReader, DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { completeFacts } from './facts.ts'
import { fieldIn, listField, objectField, stringField } from './geminiFields.ts'
import { countContents, mediaKind } from './geminiInput.ts'
import { geminiCall, modelInGeminiPath } from './geminiPath.ts'
import { GeminiUsage } from './geminiUsage.ts'
import { maxVectorsBytes } from './openaiEmbeddings.ts'
import { isObject } from './read.ts'
import { geminiRefusal, lastMessage } from './refusalShape.ts'
import { structureOf } from './structure.ts'

/** `:embedContent` and `:batchEmbedContents`: input only. Several models report no usage, which is settled by estimate. */
export const geminiEmbed: Dialect = {
  name: 'gemini-embed',
  modelInPath: modelInGeminiPath,
  describe,
  reader: (form) => embedReader(form),
  refusalBody: (refusal, status) => geminiRefusal(refusal, status),
  terminalError: (refusal, form) => lastMessage(form, null, geminiRefusal(refusal, 400)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const call = geminiCall(context.path)
  if (call === null)
    throw new InvalidRequest('The path names no model. It looks like /v1beta/models/<model>:embedContent.')
  const isBatch = call.method === 'batchEmbedContents'
  const field = isBatch ? 'requests' : 'content'
  if (fieldIn(body, field) === undefined) throw new InvalidRequest(`The field "${field}" is missing.`)
  const requests = (isBatch ? listField(body, 'requests') : [body]).filter(isObject)
  const structure = structureOf(context, 'gemini')
  let hasVideo = false
  for (const request of requests) {
    const title = stringField(request, 'title')
    if (title !== null && title !== '') context.counter.text(title)
    const contents = listField(request, 'content')
    countContents(contents, context.counter, structure, undefined)
    hasVideo ||= contents.some(isVideo)
  }
  return completeFacts({
    model: call.model,
    stream: false,
    outputField: [],
    requestedOutputTokens: null,
    producesOutput: false,
    unsupported: hasVideo ? videoSentence : null,
    estimate: context.counter.estimate(),
  })
}

const videoSentence =
  'Vectors of a video have a price that the gate does not know. Nothing was sent to the provider. Embed its frames or its text.'

function isVideo(content: unknown): boolean {
  if (!isObject(content)) return false
  return listField(content, 'parts').some((part) => {
    if (!isObject(part)) return false
    const blob = objectField(part, 'inlineData') ?? objectField(part, 'fileData') ?? {}
    return mediaKind(stringField(blob, 'mimeType')?.toLowerCase()) === 'video'
  })
}

function embedReader(form: AnswerForm): AnswerReader {
  const record = new AnswerRecord()
  const usage = new GeminiUsage(record)
  const read = (answer: JsonObject): void => {
    if (answer['error'] !== undefined) record.setError(answer['error'])
    if (isObject(answer['usageMetadata'])) usage.merge(answer['usageMetadata'])
    record.outputReported = true
  }
  const tail = (text: string): void => read(lastFields(text, ['usageMetadata']))
  return answerReader(form, record, { chunk: read, document: read, tail }, { maxDocumentBytes: maxVectorsBytes })
}
