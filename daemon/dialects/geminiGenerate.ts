import type { CallFacts } from '../call.ts'
import { InvalidRequest } from './dialect.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { completeFacts } from './facts.ts'
import { askSpelling, fieldIn, listField, objectField, stringField } from './geminiFields.ts'
import { countContents, countGeminiTools, resolutionDetail, systemContents } from './geminiInput.ts'
import { geminiCall, modelInGeminiPath, streams } from './geminiPath.ts'
import { geminiReader } from './geminiReader.ts'
import { serverToolsOf } from './geminiTools.ts'
import { recordGeminiContent } from './geminiTranscript.ts'
import { tierValue } from './geminiUsage.ts'
import { askNumber, askObject, isObject } from './read.ts'
import { geminiRefusal, lastMessage } from './refusalShape.ts'
import { structureOf } from './structure.ts'

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`. */
export const geminiGenerate: Dialect = {
  name: 'gemini-generate',
  modelInPath: modelInGeminiPath,
  streamsJsonArrays: true,
  describe,
  reader: (form, facts) => geminiReader(form, facts.model),
  refusalBody: (refusal, status) => geminiRefusal(refusal, status),
  // Clients throw for a code between 400 and 599, and this one is final for all of them.
  terminalError: (refusal, form) => lastMessage(form, null, geminiRefusal(refusal, 400)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const call = geminiCall(context.path)
  if (call === null)
    throw new InvalidRequest('The path names no model. It looks like /v1beta/models/<model>:generateContent.')
  // The counter takes a whole request as one of its fields.
  const request = (call.method === 'countTokens' ? objectField(body, 'generateContentRequest') : null) ?? body
  if (fieldIn(request, 'contents') === undefined) throw new InvalidRequest('The field "contents" is missing.')
  const { counter, transcript } = context
  const structure = structureOf(context, 'gemini')
  const configName = askSpelling(request, 'generationConfig')
  const config = askObject(request, configName) ?? {}
  const detail = resolutionDetail(fieldIn(config, 'mediaResolution'))
  const contents = listField(request, 'contents')
  counter.structure(structure.perRequest)
  countContents(systemContents(request), counter, structure, detail)
  countContents(contents, counter, structure, detail)
  for (const content of contents) recordGeminiContent(content, transcript)
  const tools = listField(request, 'tools')
  countGeminiTools(tools, counter, structure)
  for (const value of [
    fieldIn(request, 'toolConfig'),
    fieldIn(config, 'responseSchema'),
    fieldIn(config, 'responseJsonSchema'),
    fieldIn(config, '_responseJsonSchema'),
    fieldIn(config, 'responseFormat'),
  ]) {
    if (isObject(value) || Array.isArray(value)) counter.json(value)
  }
  const cachedContent = stringField(request, 'cachedContent')
  const tier = stringField(request, 'serviceTier')
  return completeFacts({
    model: call.model,
    stream: streams(call),
    ...ceilingOf(config, configName),
    choices: Math.max(
      1,
      askNumber(config, askSpelling(config, 'candidateCount'), 'generationConfig.candidateCount') ?? 1,
    ),
    thinkingBudgetTokens: thinkingBudget(config),
    unsupported: asksForVideo(config) ? videoSentence : null,
    hiddenInput: cachedContent === null || cachedContent === '' ? null : { previousResponseId: null, cachedContent },
    serverTools: serverToolsOf(tools, call.model),
    tier: tier === null ? {} : { service_tier: tierValue(tier) },
    estimate: counter.estimate(),
    transcript: transcript.facts(),
  })
}

/** The ceiling in the spelling that the client used. Zero and less mean none. */
function ceilingOf(config: JsonObject, configName: string): Pick<CallFacts, 'outputField' | 'requestedOutputTokens'> {
  const name = askSpelling(config, 'maxOutputTokens')
  const tokens = askNumber(config, name, 'generationConfig.maxOutputTokens')
  return { outputField: [configName, name], requestedOutputTokens: tokens !== null && tokens > 0 ? tokens : null }
}

/** Tokens of thought that the ceiling has to leave room behind; 0 and -1 set no number. */
function thinkingBudget(config: JsonObject): number | null {
  const thinking = askObject(config, askSpelling(config, 'thinkingConfig')) ?? {}
  const budget = askNumber(thinking, askSpelling(thinking, 'thinkingBudget'), 'thinkingConfig.thinkingBudget')
  return budget !== null && budget > 0 ? budget : null
}

const videoSentence =
  'The request asks for video, whose cost cannot be accounted for by the gate. Nothing was sent to the provider.'

function asksForVideo(config: JsonObject): boolean {
  return listField(config, 'responseModalities').some(
    (modality) => typeof modality === 'string' && modality.toUpperCase() === 'VIDEO',
  )
}
