import { createParser } from 'eventsource-parser'

/** Receives what a server-sent-events stream says. */
export interface EventSink {
  /** One event; `name` is empty where the stream gave none. */
  event(data: string, name: string): void
  /** The end of an event that was too large to keep: its last `tailChars` characters, with its framing. */
  oversized(tail: string): void
}

/** Reads a stream of bytes or text in pieces of any size. */
export interface Feed {
  push(chunk: Uint8Array): void
  /** The stream is over: what is complete but lacks its last line break still counts. */
  end(): void
}

/** Most characters of one event that are kept for parsing; images in an answer can be larger, and their bytes pass anyway. */
export const maxEventChars = 8 * 1024 * 1024

/** Characters kept from the end of a larger one: a usage block stands there. */
export const tailChars = 64 * 1024

const blankLine = /\r\n\r\n|\n\n|\r\r|\n\r\n/

/**
 * Parses server-sent events from bytes that are split anywhere, inside a UTF-8 sequence or a line end (F01, F02); comments
 * and pings are no events (F04). An event above `maxChars` is not kept: its tail is reported and parsing goes on behind it.
 */
export function readEvents(sink: EventSink, maxChars: number = maxEventChars): Feed {
  const decoder = new TextDecoder('utf-8')
  let overflowed = false
  /** End of an event that is being skipped; null while all is parsed. */
  let tail: string | null = null
  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent: ({ data, event }) => sink.event(data, event ?? ''),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') overflowed = true
    },
  })

  function feed(text: string): void {
    if (tail !== null) {
      skip(tail, text)
      return
    }
    parser.feed(text)
    if (!overflowed) return
    overflowed = false
    // Whatever of this text the parser had already read belongs to the event that was too large.
    parser.reset()
    skip('', text)
  }
  function skip(before: string, text: string): void {
    const joined = before + text
    // The line end may have begun in the text before.
    const searchFrom = Math.max(0, before.length - 3)
    const end = blankLine.exec(joined.slice(searchFrom))
    if (end === null) {
      tail = joined.slice(-tailChars)
      return
    }
    const endsAt = searchFrom + end.index
    tail = null
    sink.oversized(joined.slice(0, endsAt).slice(-tailChars))
    feed(joined.slice(endsAt + end[0].length))
  }

  // Pieces this small cannot hold both the end of one event and an overflow of the next.
  const pieceChars = Math.max(1, Math.floor(maxChars / 4))
  function feedPieces(text: string): void {
    if (text.length <= pieceChars) feed(text)
    else for (let at = 0; at < text.length; at += pieceChars) feed(text.slice(at, at + pieceChars))
  }

  return {
    push: (chunk) => feedPieces(decoder.decode(chunk, { stream: true })),
    end: () => feedPieces(`${decoder.decode()}\n\n`),
  }
}
