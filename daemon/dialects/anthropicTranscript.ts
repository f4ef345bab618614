import type { TranscriptRecorder } from '../transcript/transcript.ts'
import { roleOf } from './chatTranscript.ts'
import { asArray, isObject, stringIn } from './read.ts'

/** Records a message of the Messages API. `system` is no message there and no part of the transcript: clients vary it. */
export function recordAnthropicMessage(message: unknown, transcript: TranscriptRecorder): void {
  if (!isObject(message)) {
    transcript.message('system')
    transcript.opaque(message)
    return
  }
  transcript.message(roleOf(message['role']))
  const { content } = message
  if (typeof content === 'string') {
    transcript.text(content)
    return
  }
  for (const block of isObject(content) ? [content] : asArray(content)) recordBlock(block, transcript)
}

function recordBlock(block: unknown, transcript: TranscriptRecorder): void {
  if (typeof block === 'string') {
    transcript.text(block)
    return
  }
  if (!isObject(block)) {
    transcript.opaque(block)
    return
  }
  switch (block['type']) {
    case 'text':
      transcript.text(stringIn(block, 'text') ?? '')
      return
    case 'thinking':
    case 'redacted_thinking':
      return
    case 'tool_use':
      transcript.toolCall(stringIn(block, 'id'), stringIn(block, 'name') ?? '', block['input'])
      return
    case 'tool_result':
      transcript.toolResult(stringIn(block, 'tool_use_id'), null, block['content'], block['is_error'] === true)
      return
    default:
      // Images, documents, and what the provider's own tools were asked and found.
      transcript.opaque(block)
  }
}
