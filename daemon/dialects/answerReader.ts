import { readDocument } from '../streams/document.ts'
import { readArray } from '../streams/jsonArray.ts'
import { readLines } from '../streams/ndjson.ts'
import { readEvents } from '../streams/sse.ts'
import type { Feed } from '../streams/sse.ts'
import type { AnswerRecord } from './answerRecord.ts'
import type { AnswerForm, AnswerReader, JsonObject } from './dialect.ts'
import { isObject } from './read.ts'

/** What a dialect does with the parts of an answer. */
export interface AnswerParts {
  /** One chunk, event or line of a stream; `name` is the event's name or empty. */
  chunk(chunk: JsonObject, name: string): void
  /** The one document of an answer that is not streamed. */
  document(document: JsonObject): void
  /** The end of a part that was too large to be parsed. */
  tail?(tail: string): void
  /** An event whose data is no JSON, such as `[DONE]`. */
  text?(data: string): void
  /** True for events that are not worth parsing. */
  skips?(name: string): boolean
  /** A JSON array was closed. */
  closed?(): void
  /** All bytes have come. */
  end?(): void
}

/** Limits other than the usual ones. */
export interface ReaderLimits {
  readonly maxDocumentBytes?: number
}

/**
 * Reads the copy of an answer in its framing. Nothing that a provider sends makes it throw: what cannot be parsed is left
 * out, and the settlement falls back to an estimate.
 */
export function answerReader(
  form: AnswerForm,
  record: AnswerRecord,
  parts: AnswerParts,
  limits: ReaderLimits = {},
): AnswerReader {
  const oversized = (tail: string): void => parts.tail?.(tail)
  const chunk = (json: string, name: string): void => {
    if (parts.skips?.(name) === true) return
    const value = parsed(json)
    if (isObject(value)) parts.chunk(value, name)
    else parts.text?.(json)
  }
  let feed: Feed
  switch (form) {
    case 'sse':
      feed = readEvents({ event: chunk, oversized })
      break
    case 'ndjson':
      feed = readLines({ line: (text) => chunk(text, ''), oversized })
      break
    case 'json-array':
      feed = readArray({ element: (text) => chunk(text, ''), oversized, closed: () => parts.closed?.() })
      break
    case 'json': {
      const document = (text: string): void => {
        const value = parsed(text)
        if (!isObject(value)) return
        record.terminal = true
        parts.document(value)
      }
      const tail = (text: string): void => {
        oversized(text)
        if (record.usage !== null) record.terminal = true
      }
      feed = readDocument({ document, oversized: tail }, limits.maxDocumentBytes)
      break
    }
  }
  return {
    facts: record,
    push: (bytes) => guarded(() => feed.push(bytes)),
    end: () =>
      guarded(() => {
        feed.end()
        parts.end?.()
      }),
  }
}

function parsed(json: string): unknown {
  // Cheaper than the exception that `[DONE]` would cost.
  const first = json.charCodeAt(0)
  if (first === 0x5b && json.startsWith('[DONE]')) return null
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** An unreadable answer must not break the stream that carries it. */
function guarded(read: () => void): void {
  try {
    read()
  } catch {
    // The facts keep what was read before.
  }
}
