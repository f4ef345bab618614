import type { JsonObject, MediaPart, TokenCounter } from './dialect.ts'
import { fieldIn, listField, objectField, stringField } from './geminiFields.ts'
import { isObject } from './read.ts'
import { countSealed, countTools } from './structure.ts'
import type { Structure } from './structure.ts'

/** Tokens around a function call or its response. */
const aroundCall = 10

/** Tokens of the hidden definition of a tool that is Google's own. */
const builtInToolTokens = 500

/** Fields of a part that say something about another field and are no content. */
const besideContent: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'thought_signature',
  'videoMetadata',
  'video_metadata',
  'mediaResolution',
  'media_resolution',
  'mediaProcessing',
  'media_processing',
  'partMetadata',
  'part_metadata',
  'speechMetadata',
  'speech_metadata',
])

/** Counts contents: a list of them, one in the place of a list, or plain text. */
export function countContents(
  contents: readonly unknown[],
  counter: TokenCounter,
  structure: Structure,
  detail: MediaPart['detail'],
): void {
  for (const content of contents) {
    counter.structure(structure.perMessage)
    if (typeof content === 'string') counter.text(content)
    else if (isObject(content)) for (const part of listField(content, 'parts')) countPart(part, counter, detail)
    else if (content !== null) counter.media({ kind: 'unknown' })
  }
}

/** Counts one part: text, media by its own bound and never as its base64 (J04), a call, a response with media in it. */
export function countPart(part: unknown, counter: TokenCounter, detail: MediaPart['detail']): void {
  if (typeof part === 'string') {
    if (part !== '') counter.text(part)
    return
  }
  if (!isObject(part)) {
    if (part !== null) counter.media({ kind: 'unknown' })
    return
  }
  countSealed(counter, fieldIn(part, 'thoughtSignature'))
  const ownDetail = resolutionDetail(fieldIn(objectField(part, 'mediaResolution') ?? {}, 'level')) ?? detail
  let isKnown = false
  for (const [name, value] of Object.entries(part)) {
    if (value === null || besideContent.has(name)) {
      isKnown = true
      continue
    }
    isKnown = countField(name, value, counter, ownDetail) || isKnown
  }
  // A part that we do not know is never nothing (J05).
  if (!isKnown) counter.media({ kind: 'unknown' })
}

/** False for a field that is not known. */
function countField(name: string, value: unknown, counter: TokenCounter, detail: MediaPart['detail']): boolean {
  switch (name) {
    case 'text':
      if (typeof value === 'string' && value !== '') counter.text(value)
      return true
    case 'inlineData':
    case 'inline_data':
    case 'fileData':
    case 'file_data':
      countBlob(value, counter, detail)
      return true
    case 'functionCall':
    case 'function_call':
      counter.structure(aroundCall)
      if (isObject(value)) counter.json({ name: value['name'], args: value['args'] })
      return true
    case 'functionResponse':
    case 'function_response':
      counter.structure(aroundCall)
      if (!isObject(value)) return true
      counter.json({ name: value['name'], response: value['response'] })
      for (const inner of listField(value, 'parts')) countPart(inner, counter, detail)
      return true
    case 'executableCode':
    case 'executable_code':
    case 'codeExecutionResult':
    case 'code_execution_result':
    case 'toolCall':
    case 'tool_call':
    case 'toolResponse':
    case 'tool_response':
    case 'audioTranscription':
    case 'audio_transcription':
      counter.structure(aroundCall)
      counter.json(value)
      return true
    default:
      return false
  }
}

/** Bytes in the request, or a file that it only names and whose size nobody tells. */
function countBlob(blob: unknown, counter: TokenCounter, detail: MediaPart['detail']): void {
  const holder = isObject(blob) ? blob : {}
  const mimeType = stringField(holder, 'mimeType')?.toLowerCase() ?? undefined
  const base64 = stringField(holder, 'data') ?? undefined
  counter.media({ kind: mediaKind(mimeType), base64, mimeType, detail })
}

/** What a media type is counted as. A type that is missing may be anything. */
export function mediaKind(mimeType: string | undefined): MediaPart['kind'] {
  const family = /^(image|audio|video)\//.exec(mimeType ?? '')?.[1]
  if (family !== undefined) return family as 'image' | 'audio' | 'video'
  return 'file'
}

/** The resolution of a request or a part, by the scale that images have here. The middle one keeps the usual bound. */
export function resolutionDetail(level: unknown): MediaPart['detail'] {
  if (typeof level !== 'string') return undefined
  if (level.endsWith('ULTRA_HIGH')) return 'original'
  if (level.endsWith('HIGH')) return 'high'
  return level.endsWith('LOW') ? 'low' : undefined
}

/** Counts tools: declared functions one by one, Google's own by their hidden definitions. */
export function countGeminiTools(tools: readonly unknown[], counter: TokenCounter, structure: Structure): void {
  const functions = tools.flatMap((tool) => (isObject(tool) ? listField(tool, 'functionDeclarations') : []))
  countTools(counter, functions, structure)
  for (const tool of tools) {
    if (!isObject(tool)) continue
    const own = Object.entries(tool).filter(
      ([name]) => name !== 'functionDeclarations' && name !== 'function_declarations',
    )
    if (own.length === 0) continue
    counter.structure(builtInToolTokens * own.length)
    counter.json(Object.fromEntries(own))
  }
}

/** The object or the text of a system instruction, as a list of contents. */
export function systemContents(request: JsonObject): readonly unknown[] {
  const system = fieldIn(request, 'systemInstruction')
  return system === undefined ? [] : [system]
}
