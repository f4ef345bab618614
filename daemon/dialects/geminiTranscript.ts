import type { TranscriptRecorder } from '../transcript/transcript.ts'
import type { JsonObject } from './dialect.ts'
import { fieldIn, listField, objectField, stringField } from './geminiFields.ts'
import { isObject } from './read.ts'

/**
 * Records one of `contents`. The system instruction stands beside them and is no part of the transcript. Ids of calls may be
 * missing: then a response belongs to the oldest call of its name without one.
 */
export function recordGeminiContent(content: unknown, transcript: TranscriptRecorder): void {
  if (typeof content === 'string') {
    transcript.message('human')
    transcript.text(content)
    return
  }
  if (!isObject(content)) {
    transcript.message('system')
    transcript.opaque(content)
    return
  }
  transcript.message(roleOf(content['role']))
  for (const part of listField(content, 'parts')) recordPart(part, transcript)
}

/** A single turn may come without a role, and is a person's then. */
function roleOf(role: unknown): 'system' | 'human' | 'assistant' | 'tool' {
  switch (role) {
    case undefined:
    case null:
    case '':
    case 'user':
      return 'human'
    case 'model':
      return 'assistant'
    case 'function':
    case 'tool':
      return 'tool'
    default:
      return 'system'
  }
}

function recordPart(part: unknown, transcript: TranscriptRecorder): void {
  if (typeof part === 'string') {
    transcript.text(part)
    return
  }
  if (!isObject(part)) {
    transcript.opaque(part)
    return
  }
  // Reasoning, which clients drop from older turns.
  if (part['thought'] === true) return
  const text = part['text']
  if (typeof text === 'string') transcript.text(text)
  const call = objectField(part, 'functionCall')
  if (call !== null) transcript.toolCall(stringField(call, 'id'), stringField(call, 'name') ?? '', call['args'] ?? {})
  const response = objectField(part, 'functionResponse')
  if (response !== null) recordResponse(response, transcript)
  for (const name of opaqueFields) transcript.opaque(fieldIn(part, name))
}

/** Files, and what Google's own tools were asked and found. */
const opaqueFields = [
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'audioTranscription',
] as const

function recordResponse(response: JsonObject, transcript: TranscriptRecorder): void {
  const { content, isError } = unwrapped(fieldIn(response, 'response'))
  const media = listField(response, 'parts')
  const whole = media.length === 0 ? content : [content, ...media]
  transcript.toolResult(stringField(response, 'id'), stringField(response, 'name'), whole, isError)
}

/**
 * What a function gave. The API has an object there: its `output` is the result and its `error` what went wrong; without
 * either the object is the result, of which clients often make one with a single field.
 */
function unwrapped(value: unknown): { readonly content: unknown; readonly isError: boolean } {
  if (!isObject(value)) return { content: value, isError: false }
  const { error, output } = value
  if (error !== undefined && error !== null && error !== false && error !== '') return { content: error, isError: true }
  if (output !== undefined) return { content: output, isError: false }
  const [only = '', ...others] = Object.keys(value)
  const isWrapped = others.length === 0 && (only === 'result' || only === 'content')
  return { content: isWrapped ? value[only] : value, isError: false }
}
