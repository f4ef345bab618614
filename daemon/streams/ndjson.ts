import type { Feed } from './sse.ts'
import { maxEventChars, tailChars } from './sse.ts'

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
  let pieces: string[] = []
  let heldChars = 0
  let tooLong = false

  function hold(text: string): void {
    if (text === '') return
    pieces.push(text)
    heldChars += text.length
    if (!tooLong && heldChars <= maxChars) return
    tooLong = true
    if (heldChars < 2 * tailChars) return
    const tail = pieces.join('').slice(-tailChars)
    pieces = [tail]
    heldChars = tail.length
  }
  function finishLine(): void {
    const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
    const wasTooLong = tooLong
    pieces = []
    heldChars = 0
    tooLong = false
    if (wasTooLong) sink.oversized(text.slice(-tailChars))
    else if (text.trim() !== '') sink.line(text)
  }
  function feed(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      hold(text.slice(from, at))
      finishLine()
      from = at + 1
    }
    hold(text.slice(from))
  }

  return {
    push: (chunk) => {
      feed(decoder.decode(chunk, { stream: true }))
    },
    end: () => {
      feed(decoder.decode())
      finishLine()
    },
  }
}
