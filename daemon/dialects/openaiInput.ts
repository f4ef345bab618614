import type { CacheAsk } from './cacheAsk.ts'
import type { TranscriptRecorder } from '../transcript/transcript.ts'
import { recordChatMessage } from './chatTranscript.ts'
import type { JsonObject, TokenCounter } from './dialect.ts'
import { arrayIn, asArray, isObject, objectIn, stringIn } from './read.ts'
import type { Structure } from './structure.ts'
import { countUrl, imageDetail } from './structure.ts'

/** Counts and records the messages of a chat completion: text, tool calls and their results, media by their own bound (H03, J04). */
export function countChatMessages(
  messages: readonly unknown[],
  counter: TokenCounter,
  structure: Structure,
  cache: CacheAsk,
  transcript: TranscriptRecorder,
): void {
  for (const message of messages) {
    counter.structure(structure.perMessage)
    recordChatMessage(message, transcript)
    if (!isObject(message)) continue
    cache.see(message)
    countContent(message['content'], counter, cache)
    for (const field of ['refusal', 'reasoning', 'reasoning_content', 'thinking']) countText(message[field], counter)
    const name = stringIn(message, 'name')
    if (name !== null) {
      counter.structure(1)
      counter.text(name)
    }
    for (const call of arrayIn(message, 'tool_calls')) countToolCall(call, counter)
    if (isObject(message['function_call'])) countToolCall({ function: message['function_call'] }, counter)
    if (isObject(message['audio'])) counter.media({ kind: 'audio' })
    const details = arrayIn(message, 'reasoning_details')
    if (details.length > 0) counter.json(details)
  }
}

/** Content of a message or a tool result: a string, or parts of several kinds. Shared with Responses. */
export function countContent(content: unknown, counter: TokenCounter, cache: CacheAsk): void {
  countText(content, counter)
  for (const part of asArray(content)) {
    if (typeof part === 'string') counter.text(part)
    else if (isObject(part)) countPart(part, counter, cache)
    else if (part !== null) counter.media({ kind: 'unknown' })
  }
}

/** Counts a string; anything else is left out. */
export function countText(text: unknown, counter: TokenCounter): void {
  if (typeof text === 'string' && text !== '') counter.text(text)
}

function countPart(part: JsonObject, counter: TokenCounter, cache: CacheAsk): void {
  cache.see(part)
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
      countText(part['text'], counter)
      return
    case 'refusal':
      countText(part['refusal'], counter)
      return
    case 'thinking':
      countContent(part['thinking'], counter, cache)
      return
    case 'image_url':
    case 'input_image':
    case 'computer_screenshot': {
      const image = part['image_url']
      const source = isObject(image) ? image : part
      const url = isObject(image) ? image['url'] : image
      countUrl(counter, 'image', url, imageDetail(source['detail']))
      return
    }
    case 'input_audio':
    case 'audio': {
      const audio = objectIn(part, 'input_audio') ?? objectIn(part, 'audio') ?? part
      const base64 = stringIn(audio, 'data') ?? undefined
      const format = stringIn(audio, 'format')
      counter.media({ kind: 'audio', base64, mimeType: format === null ? undefined : `audio/${format}` })
      return
    }
    case 'file':
    case 'input_file': {
      const file = objectIn(part, 'file') ?? part
      countText(file['filename'], counter)
      countUrl(counter, 'file', file['file_data'])
      return
    }
    case 'video_url':
    case 'input_video': {
      const video = part['video_url']
      countUrl(counter, 'video', isObject(video) ? video['url'] : video)
      return
    }
    default:
      // A part that we do not know is never nothing (J05).
      counter.media({ kind: 'unknown' })
  }
}

function countToolCall(call: unknown, counter: TokenCounter): void {
  if (!isObject(call)) return
  counter.structure(10)
  for (const body of [objectIn(call, 'function'), objectIn(call, 'custom')]) {
    if (body === null) continue
    countText(body['name'], counter)
    countText(body['input'], counter)
    const args = body['arguments']
    if (typeof args === 'string') counter.text(args)
    else if (args !== undefined && args !== null) counter.json(args)
  }
}
