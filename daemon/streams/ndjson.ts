import { boundedPart } from './boundedPart.ts'
import type { Feed } from './sse.ts'
import { maxEventChars } from './sse.ts'

/** Receives the lines of a stream. */
export interface LineSink {
  /** One line without its line end; never an empty one. */
  line(text: string): void
  /** The last `tailChars` characters of a line that was too long to keep. */
  oversized(tail: string): void
}

/**
 * Splits bytes into lines, wherever they are cut, inside a UTF-8 sequence too (I08). The pieces of a long line are joined
 * once, at its end. A line above `maxChars` is not kept.
 */
export function readLines(sink: LineSink, maxChars: number = maxEventChars): Feed {
  const decoder = new TextDecoder('utf-8')
  const line = boundedPart(
    maxChars,
    (text) => sink.line(text),
    (tail) => sink.oversized(tail),
  )

  function feed(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      line.hold(text.slice(from, at))
      line.finish()
      from = at + 1
    }
    line.hold(text.slice(from))
  }

  return {
    push: (chunk) => {
      feed(decoder.decode(chunk, { stream: true }))
    },
    end: () => {
      feed(decoder.decode())
      line.finish()
    },
  }
}
