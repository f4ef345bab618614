import { boundedPart } from './boundedPart.ts'
import type { Feed } from './sse.ts'
import { maxEventChars } from './sse.ts'

/** Receives the elements of an array. */
export interface ArraySink {
  /** The JSON of one element. */
  element(text: string): void
  /** The last `tailChars` characters of an element that was too large to keep. */
  oversized(tail: string): void
  /** The array ended. */
  closed(): void
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** First position from `from` on with a quote or a backslash: most of an answer is text. */
function plainUntil(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote || code === backslash) return at
  }
  return text.length
}

/**
 * Takes a JSON array apart while it is being written, wherever its bytes are cut, inside a UTF-8 sequence or an escape too.
 * Nothing is parsed here: depth and quotes tell where an element ends. A single object in the place of an array is its only
 * element. An element above `maxChars` is not kept; what follows the end of the array is left out. Linear, and memory is
 * bounded by `maxChars`.
 */
export function readArray(sink: ArraySink, maxChars: number = maxEventChars): Feed {
  const decoder = new TextDecoder('utf-8')
  let place: 'before' | 'inside' | 'behind' = 'before'
  /** The element at the top is all there is. */
  let isSingle = false
  /** Open brackets and braces of the element under way. */
  let depth = 0
  let inString = false
  let escaped = false
  const element = boundedPart(
    maxChars,
    (text) => sink.element(text),
    (tail) => sink.oversized(tail),
  )

  function close(): void {
    element.finish()
    place = 'behind'
    sink.closed()
  }
  /** Position behind the whitespace, or behind the opening bracket where the array begins. */
  function begin(text: string): number {
    const start = text.search(/[^\s\ufeff]/)
    if (start < 0) return text.length
    const first = text.charCodeAt(start)
    if (first === openBracket) {
      place = 'inside'
      return start + 1
    }
    isSingle = first === openBrace
    place = isSingle ? 'inside' : 'behind'
    return start
  }
  function feed(text: string): void {
    let from = place === 'before' ? begin(text) : 0
    for (let at = from; at < text.length && place === 'inside'; at += 1) {
      const code = text.charCodeAt(at)
      if (inString) {
        if (escaped) escaped = false
        else if (code === backslash) escaped = true
        else if (code === quote) inString = false
        else at = plainUntil(text, at) - 1
      } else if (code === quote) inString = true
      else if (code === openBrace || code === openBracket) depth += 1
      else if (code === closeBrace || code === closeBracket) {
        if (depth === 0) {
          element.hold(text.slice(from, at))
          from = text.length
          close()
          break
        }
        depth -= 1
        if (isSingle && depth === 0) {
          element.hold(text.slice(from, at + 1))
          from = text.length
          close()
          break
        }
      } else if (code === comma && depth === 0) {
        element.hold(text.slice(from, at))
        element.finish()
        from = at + 1
      }
    }
    if (place === 'inside') element.hold(text.slice(from))
  }

  return {
    push: (chunk) => {
      if (place !== 'behind') feed(decoder.decode(chunk, { stream: true }))
    },
    end: () => {
      if (place !== 'behind') feed(decoder.decode())
    },
  }
}
