import { argumentsText } from '../transcript/callDigest.ts'
import type { AnswerCall } from '../transcript/callDigest.ts'
import type { TranscriptRecorder } from '../transcript/transcript.ts'
import { recordContent, roleOf } from './chatTranscript.ts'
import type { JsonObject } from './dialect.ts'
import { isObject, objectIn, stringIn } from './read.ts'

/** Calls that the client answers, with the tool's name where the item has none, and the field of the arguments. */
const calls: Readonly<Record<string, { readonly tool: string; readonly args: string }>> = {
  function_call: { tool: '', args: 'arguments' },
  custom_tool_call: { tool: '', args: 'input' },
  local_shell_call: { tool: 'local_shell', args: 'action' },
  shell_call: { tool: 'shell', args: 'action' },
  apply_patch_call: { tool: 'apply_patch', args: 'operation' },
  computer_call: { tool: 'computer', args: 'action' },
}

/** Records an item of a Responses input. Each counts as a message, reasoning as an empty one. */
export function recordResponsesItem(item: unknown, transcript: TranscriptRecorder): void {
  if (!isObject(item)) {
    transcript.message('system')
    transcript.opaque(item)
    return
  }
  const type = stringIn(item, 'type') ?? 'message'
  if (type === 'message') {
    transcript.message(roleOf(item['role']))
    recordContent(item['content'], transcript)
    return
  }
  const call = callIn(item)
  if (call !== null) {
    transcript.message('assistant')
    transcript.toolCall(call.id, call.tool, call.args)
    return
  }
  if (type.endsWith('_call_output')) {
    transcript.message('tool')
    const output = objectIn(item, 'output')
    const failed = item['status'] === 'failed' || item['status'] === 'incomplete'
    transcript.toolResult(callId(item), null, output === null ? item['output'] : [output], failed)
    return
  }
  transcript.message('assistant')
  if (type === 'reasoning') return
  // What the provider ran itself, and history that it compacted.
  transcript.opaque(item)
}

/** The tool call that an item of an answer is, with its arguments as text; null for an item of another kind. */
export function responsesCall(item: JsonObject): AnswerCall | null {
  const call = callIn(item)
  return call === null ? null : { id: call.id, tool: call.tool, argumentsText: argumentsText(call.args) }
}

function callIn(
  item: JsonObject,
): { readonly id: string | null; readonly tool: string; readonly args: unknown } | null {
  const type = stringIn(item, 'type') ?? ''
  const call = Object.hasOwn(calls, type) ? calls[type] : undefined
  if (call === undefined) return null
  return { id: callId(item), tool: stringIn(item, 'name') ?? call.tool, args: item[call.args] }
}

function callId(item: JsonObject): string | null {
  return stringIn(item, 'call_id') ?? stringIn(item, 'id')
}
