import type { CallFacts } from '../call.ts'
import { lastFields } from '../streams/lastFields.ts'
import { AnswerCalls } from './answerCalls.ts'
import { answerReader } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import type { AnswerForm, AnswerReader, JsonObject } from './dialect.ts'
import { OpenaiUsage } from './openaiUsage.ts'
import { arrayIn, isObject, objectIn, stringIn, wordIn } from './read.ts'
import { responsesCall } from './responsesTranscript.ts'
import { ToolUses } from './toolUses.ts'

/** Events that repeat what deltas have brought, or carry images: not worth parsing. */
const skipped: ReadonlySet<string> = new Set([
  'response.in_progress',
  'response.queued',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.done',
  'response.refusal.done',
  'response.reasoning_text.done',
  'response.reasoning_summary_text.done',
  'response.reasoning_summary_part.done',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
  'response.code_interpreter_call_code.done',
  'response.mcp_call_arguments.done',
  'response.image_generation_call.partial_image',
  'response.audio.delta',
  'response.output_audio.delta',
])

const visibleDeltas: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.audio.transcript.delta',
  'response.output_audio_transcript.delta',
])

/**
 * Reads a Responses answer. Completed, incomplete and failed each end it, and each carries the usage if there is one (B10);
 * a stream that stops without one of them is cut (F06).
 */
export function responsesReader(form: AnswerForm, facts: Pick<CallFacts, 'vendor'>): AnswerReader {
  const record = new AnswerRecord()
  const usage = new OpenaiUsage(record, facts)
  const doneCalls = new AnswerCalls()
  const doneTools = new ToolUses()
  let begunCalls = 0

  function readResponse(response: JsonObject): void {
    record.setModel(response['model'])
    record.setTiers(response, ['service_tier'])
    const id = stringIn(response, 'id')
    if (id !== null) record.responseId = id.slice(0, 256)
    usage.mergeFrom(response)
    if (isObject(response['error'])) record.setError(response['error'])
  }
  function readEnd(response: JsonObject): void {
    readResponse(response)
    const status = wordIn(response, 'status')
    record.finish = wordIn(objectIn(response, 'incomplete_details') ?? {}, 'reason') ?? status
    if (status === 'failed') record.setError({ code: 'failed' })
    // The whole output is repeated here; some servers send it nowhere else.
    const whole = new AnswerRecord()
    const wholeCalls = new AnswerCalls()
    const wholeTools = new ToolUses()
    for (const item of arrayIn(response, 'output')) {
      readItem(item, whole)
      if (!isObject(item)) continue
      addCall(item, wholeCalls)
      wholeTools.see(item)
    }
    const calls = wholeCalls.count >= doneCalls.count ? wholeCalls : doneCalls
    // Nobody can go on from an answer that is not stored.
    record.calls = response['store'] === false || calls.count < begunCalls ? null : calls.all
    record.deliveredChars = Math.max(record.deliveredChars, whole.deliveredChars)
    record.deliveredWords = Math.max(record.deliveredWords, whole.deliveredWords)
    record.visibleChars = Math.max(record.visibleChars, whole.visibleChars)
    record.toolCalls = Math.max(record.toolCalls, whole.toolCalls)
    wholeTools.tell(record)
  }
  function chunk(event: JsonObject, name: string): void {
    const type = stringIn(event, 'type') ?? name
    const { delta } = event
    if (typeof delta === 'string') {
      if (visibleDeltas.has(type)) record.addVisible(delta)
      else if (!skipped.has(type)) record.addHidden(delta)
      return
    }
    switch (type) {
      case 'response.created':
        readResponse(objectIn(event, 'response') ?? {})
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        record.terminal = true
        readEnd(objectIn(event, 'response') ?? {})
        if (type === 'response.failed') record.setError({ code: 'failed' })
        return
      case 'response.output_item.added': {
        const item = objectIn(event, 'item')
        if (item === null) return
        if (isToolCall(item)) record.addToolCall(wordIn(event, 'output_index') ?? wordIn(item, 'id') ?? '')
        if (responsesCall(item) !== null) begunCalls += 1
        return
      }
      case 'response.output_item.done': {
        const item = objectIn(event, 'item')
        if (item === null) return
        addCall(item, doneCalls)
        doneTools.see(item)
        doneTools.tell(record)
        return
      }
      case 'error':
        record.setError(isObject(event['error']) ? event['error'] : { code: event['code'] ?? 'error' })
        return
      default:
        // A bare error object, as servers send it that failed before their first event.
        if (isObject(event['error'])) record.setError(event['error'])
    }
  }
  function tail(text: string): void {
    const found = lastFields(text, ['usage'])['usage']
    // Only the last event repeats the whole output and so grows this large with a usage behind it.
    if (!isObject(found)) return
    usage.merge(found)
    record.terminal = true
    record.finish ??= 'completed'
  }

  return answerReader(form, record, { chunk, document: readEnd, tail, skips: (name) => skipped.has(name) })
}

/** Calls that the client answers; what the provider runs by itself ends no turn. */
const clientCalls: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
])

function isToolCall(item: JsonObject): boolean {
  return clientCalls.has(item['type'])
}

function addCall(item: JsonObject, calls: AnswerCalls): void {
  const call = responsesCall(item)
  if (call !== null) calls.add(call)
}

/** Counts one item of a finished output. */
function readItem(item: unknown, into: AnswerRecord): void {
  if (!isObject(item)) return
  if (isToolCall(item)) into.addToolCall(String(into.toolCalls))
  for (const part of arrayIn(item, 'content')) {
    if (!isObject(part)) continue
    if (part['type'] === 'reasoning_text') into.addHidden(part['text'])
    else into.addVisible(part['text'] ?? part['refusal'])
  }
  for (const part of arrayIn(item, 'summary')) if (isObject(part)) into.addHidden(part['text'])
  for (const field of ['name', 'arguments', 'input', 'code']) into.addHidden(item[field])
}
