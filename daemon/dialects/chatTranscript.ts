import type { TranscriptRecorder } from '../transcript/transcript.ts'
import type { JsonObject } from './dialect.ts'
import { arrayIn, isObject, objectIn, stringIn } from './read.ts'

/** Records a message of a chat completion or of Ollama's chat. Arguments are JSON text in the one, an object in the other. */
export function recordChatMessage(message: unknown, transcript: TranscriptRecorder): void {
  if (!isObject(message)) {
    transcript.message('system')
    transcript.opaque(message)
    return
  }
  const role = roleOf(message['role'])
  transcript.message(role)
  if (role === 'tool') {
    const tool = stringIn(message, 'tool_name') ?? stringIn(message, 'name')
    transcript.toolResult(stringIn(message, 'tool_call_id'), tool, message['content'], false)
    return
  }
  recordContent(message['content'], transcript)
  const refusal = stringIn(message, 'refusal')
  if (refusal !== null) transcript.text(refusal)
  // Several speakers may share a role; Ollama's images stand beside the text.
  for (const field of ['name', 'audio', 'images']) transcript.opaque(message[field])
  for (const call of arrayIn(message, 'tool_calls')) recordCall(call, transcript)
  if (isObject(message['function_call'])) recordCall({ function: message['function_call'] }, transcript)
}

/** Records content: a string, or parts of which those with text are text. Shared with Responses. */
export function recordContent(content: unknown, transcript: TranscriptRecorder): void {
  if (typeof content === 'string') transcript.text(content)
  else if (!Array.isArray(content)) transcript.opaque(content)
  else for (const part of content) recordPart(part, transcript)
}

function recordPart(part: unknown, transcript: TranscriptRecorder): void {
  if (typeof part === 'string') transcript.text(part)
  else if (!isObject(part)) transcript.opaque(part)
  else if (part['type'] === 'thinking') return
  else {
    const text = stringIn(part, 'text') ?? stringIn(part, 'refusal')
    if (text === null) transcript.opaque(part)
    else transcript.text(text)
  }
}

function recordCall(call: unknown, transcript: TranscriptRecorder): void {
  if (!isObject(call)) return
  const called: JsonObject = objectIn(call, 'function') ?? objectIn(call, 'custom') ?? {}
  transcript.toolCall(stringIn(call, 'id'), stringIn(called, 'name') ?? '', called['arguments'] ?? called['input'])
}

/** A role that we do not know is no person's. */
export function roleOf(role: unknown): 'system' | 'human' | 'assistant' | 'tool' {
  switch (role) {
    case 'user':
      return 'human'
    case 'assistant':
      return 'assistant'
    case 'tool':
    case 'function':
      return 'tool'
    default:
      return 'system'
  }
}
