import { lastFields } from '../streams/lastFields.ts'
import { answerReader } from './answerReader.ts'
import { AnswerRecord } from './answerRecord.ts'
import type { AnswerForm, AnswerReader, JsonObject } from './dialect.ts'
import { GroundingSearches } from './geminiTools.ts'
import { GeminiUsage } from './geminiUsage.ts'
import { arrayIn, isObject, objectIn, stringIn } from './read.ts'

/** What a picture counts for where no usage comes: at three characters a token the 1,300 tokens of a usual one. */
const mediaChars = 3900

/** Most candidates that are followed to their end. */
const mostCandidates = 1024

/**
 * Reads a generateContent answer: one document, events, or one JSON array. There is no terminal event: a stream is over when
 * every begun candidate has its finish reason, or the prompt was blocked; an array has to be closed as well (F06).
 */
export function geminiReader(form: AnswerForm, model: string): AnswerReader {
  const record = new AnswerRecord()
  const usage = new GeminiUsage(record)
  const searches = new GroundingSearches(model)
  const unfinished = new Set<number>()
  const finished = new Set<number>()
  let isBlocked = false
  let calls = 0

  function chunk(answer: JsonObject): void {
    if (answer['error'] !== undefined) record.setError(errorClass(answer['error']))
    record.setModel(answer['modelVersion'])
    for (const candidate of arrayIn(answer, 'candidates')) if (isObject(candidate)) addCandidate(candidate)
    const blocked = stringIn(objectIn(answer, 'promptFeedback') ?? {}, 'blockReason')
    if (blocked !== null && blocked !== '') {
      isBlocked = true
      record.finish = blocked.slice(0, 128)
    }
    const reported = objectIn(answer, 'usageMetadata')
    if (reported !== null) usage.merge(reported)
    if (searches.count > 0) record.atLeastWebSearches(searches.count)
    // An array that was cut behind its last element has told all that is billed, and is no whole answer.
    if (form === 'json-array') record.lastReportCame = isOver()
    else if (form !== 'json') record.terminal = isOver()
  }
  function isOver(): boolean {
    return isBlocked || (finished.size > 0 && unfinished.size === 0)
  }
  function addCandidate(candidate: JsonObject): void {
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : 0
    for (const part of arrayIn(objectIn(candidate, 'content') ?? {}, 'parts')) if (isObject(part)) addPart(part)
    const grounding = objectIn(candidate, 'groundingMetadata')
    if (grounding !== null) searches.add(grounding)
    const reason = stringIn(candidate, 'finishReason')
    if (reason !== null && reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED') finish(index, reason)
    else if (unfinished.size < mostCandidates && !finished.has(index)) unfinished.add(index)
  }
  function finish(index: number, reason: string): void {
    record.finish = reason.slice(0, 128)
    if (finished.size < mostCandidates) finished.add(index)
    unfinished.delete(index)
  }
  function addPart(part: JsonObject): void {
    if (part['thought'] === true) record.addHidden(part['text'])
    else record.addVisible(part['text'])
    const call = objectIn(part, 'functionCall')
    if (call !== null) {
      // A call that is streamed in pieces has its name on the first one.
      if (typeof call['name'] === 'string' && call['name'] !== '') {
        calls += 1
        record.addToolCall(String(calls))
        record.addHidden(call['name'])
      }
      for (const name of ['args', 'partialArgs'])
        if (call[name] !== undefined) record.addHidden(JSON.stringify(call[name]))
    }
    const code = objectIn(part, 'executableCode')
    if (code !== null) record.addVisible(code['code'])
    // A picture or a sound has no characters, and yet it is something that was paid for and can be seen.
    if (isObject(part['inlineData'])) {
      record.visibleChars += 1
      record.deliveredChars += mediaChars
    }
  }
  function tail(text: string): void {
    const found = lastFields(text, ['usageMetadata', 'finishReason', 'modelVersion'])
    record.setModel(found['modelVersion'])
    if (typeof found['finishReason'] === 'string') finish(0, found['finishReason'])
    if (isObject(found['usageMetadata'])) usage.merge(found['usageMetadata'])
  }

  return answerReader(form, record, {
    chunk,
    document: chunk,
    tail,
    closed: () => {
      record.terminal = isOver()
    },
  })
}

/** Google's word for the class is the status; the code beside it is HTTP's number. */
function errorClass(error: unknown): unknown {
  if (!isObject(error)) return error
  const { status, code } = error
  return typeof status === 'string' && status !== '' ? { code: status } : { code }
}
