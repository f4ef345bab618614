import { lastFields } from '../streams/lastFields.ts'
import type { CallFacts } from '../call.ts'
import { answerReader } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import { AnthropicUsage } from './anthropicUsage.ts'
import type { AnswerForm, AnswerReader, JsonObject } from './dialect.ts'
import { arrayIn, isObject, objectIn, stringIn } from './read.ts'

/** Events that say nothing; a ping may come at any moment (F04). */
const skipped: ReadonlySet<string> = new Set(['ping', 'content_block_stop'])

/** Reads a Messages answer. A stream ends cleanly with `message_stop` and with nothing else (F06). */
export function anthropicReader(form: AnswerForm, facts: CallFacts): AnswerReader {
  const record = new AnswerRecord()
  const usage = new AnthropicUsage(record, facts)
  let searches = 0

  function addBlock(block: JsonObject, key: string): void {
    record.addVisible(block['text'])
    record.addHidden(block['thinking'])
    const type = stringIn(block, 'type')
    if (type === 'tool_use') {
      record.addToolCall(key)
      record.addHidden(block['name'])
    }
    // Where one model's output ends and the next one's begins.
    if (type === 'fallback') record.setModel(objectIn(block, 'to')?.['model'])
    if (type === 'server_tool_use' && block['name'] === 'web_search') {
      searches += 1
      record.atLeastWebSearches(searches)
    }
  }
  function chunk(event: JsonObject, name: string): void {
    switch (stringIn(event, 'type') ?? name) {
      case 'content_block_delta': {
        const delta = objectIn(event, 'delta')
        if (delta === null) return
        record.addVisible(delta['text'])
        record.addHidden(delta['thinking'])
        record.addHidden(delta['partial_json'])
        return
      }
      case 'content_block_start':
        addBlock(objectIn(event, 'content_block') ?? {}, String(event['index']))
        return
      case 'message_start': {
        const message = objectIn(event, 'message') ?? {}
        record.setModel(message['model'])
        if (isObject(message['usage'])) usage.mergeStart(message['usage'])
        return
      }
      case 'message_delta': {
        const reason = stringIn(objectIn(event, 'delta') ?? {}, 'stop_reason')
        setFinish(reason)
        if (isObject(event['usage'])) usage.merge(event['usage'])
        // Nothing but the end follows; a client that leaves now changes no figure.
        if (reason !== null && isObject(event['usage'])) record.lastReportCame = true
        return
      }
      case 'message_stop':
        record.terminal = true
        return
      default:
        if (event['error'] !== undefined) record.setError(errorClass(event['error']))
        else if (name === 'error') record.setError({ type: 'error' })
    }
  }
  function document(message: JsonObject): void {
    record.setModel(message['model'])
    for (const [index, block] of arrayIn(message, 'content').entries()) {
      if (!isObject(block)) continue
      addBlock(block, String(index))
      if (isObject(block['input'])) record.addHidden(JSON.stringify(block['input']))
    }
    setFinish(stringIn(message, 'stop_reason'))
    if (isObject(message['usage'])) usage.merge(message['usage'])
    if (message['error'] !== undefined) record.setError(errorClass(message['error']))
  }
  function setFinish(reason: string | null): void {
    if (reason !== null) record.finish = reason.slice(0, 128)
  }
  function tail(text: string): void {
    const found = lastFields(text, ['usage', 'stop_reason'])
    setFinish(stringIn(found, 'stop_reason'))
    if (isObject(found['usage'])) usage.merge(found['usage'])
  }

  return answerReader(form, record, { chunk, document, tail, skips: (name) => skipped.has(name) })
}

/** Anthropic's `type` is the class; a `details.error_code` beside it is no better known. */
function errorClass(error: unknown): unknown {
  return isObject(error) ? { type: error['type'] } : error
}
