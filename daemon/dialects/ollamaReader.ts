import { lastFields } from '../streams/lastFields.ts'
import { noUsage } from '../../shared/usage.ts'
import { answerReader } from './answerReader.ts'
import type { ReaderLimits } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import type { AnswerForm, AnswerReader, JsonObject } from './dialect.ts'
import { arrayIn, countIn, isObject, objectIn, stringIn } from './read.ts'

/** Finish reasons with which Ollama only loaded or unloaded the model. */
const idleReasons: ReadonlySet<string> = new Set(['load', 'unload'])

/**
 * Reads chat, generate and embed alike. Only `done: true` ends a stream: the server breaks off silently when a model
 * repeats itself (F06). A count that is missing is unknown, not zero: a cached prompt was once reported that way (I05).
 */
export function ollamaReader(form: AnswerForm, producesOutput: boolean, limits: ReaderLimits = {}): AnswerReader {
  const record = new AnswerRecord()
  record.outputReported = !producesOutput
  let calls = 0

  function line(answer: JsonObject): void {
    record.setModel(answer['model'])
    if (answer['error'] !== undefined) record.setError(answer['error'])
    const message = objectIn(answer, 'message') ?? answer
    record.addSpoken(message['content'] ?? message['response'])
    record.addHidden(message['thinking'])
    if (message['tool_calls'] !== undefined) {
      for (const call of arrayIn(message, 'tool_calls')) addToolCall(call)
    }
    const finish = stringIn(answer, 'done_reason')
    if (finish !== null && finish !== '') record.finish = finish.slice(0, 128)
    const done = answer['done'] === true
    if (done) record.terminal = true
    if (done || !producesOutput) counts(answer)
  }
  function addToolCall(call: unknown): void {
    const called = isObject(call) ? objectIn(call, 'function') : null
    if (called === null) return
    calls += 1
    record.addToolCall(String(calls))
    record.addHidden(called['name'])
    record.addHidden(JSON.stringify(called['arguments'] ?? {}))
  }
  function counts(answer: JsonObject): void {
    const input = countIn(answer, 'prompt_eval_count')
    const output = countIn(answer, 'eval_count')
    record.nothingRun = idleReasons.has(record.finish ?? '')
    record.usage = { ...noUsage, input: input ?? 0, output: output ?? 0 }
    record.inputReported = input !== null || record.nothingRun
    // A zero is left out by the server: it is known where nothing was delivered.
    record.outputReported = true
  }
  function document(answer: JsonObject): void {
    line(answer)
  }
  function tail(text: string): void {
    const found = lastFields(text, ['prompt_eval_count', 'eval_count', 'done_reason', 'model', 'done'])
    if (found['prompt_eval_count'] === undefined && found['done'] === undefined) return
    const { done_reason: finish } = found
    if (typeof finish === 'string') record.finish = finish.slice(0, 128)
    if (found['done'] === true) record.terminal = true
    record.setModel(found['model'])
    counts(found)
  }

  return answerReader(form, record, { chunk: line, document, tail }, limits)
}
