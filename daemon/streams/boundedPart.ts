import { tailChars } from './sse.ts'

/** Collects the text of one part of a stream that comes in pieces. Above a bound only the end of it is kept. */
export interface BoundedPart {
  hold(text: string): void
  /** Ends the part: hands it to one of the two, unless it is blank, and begins the next. */
  finish(): void
}

/** `whole` gets a part of at most `maxChars` characters, `oversized` the last `tailChars` of a longer one. */
export function boundedPart(
  maxChars: number,
  whole: (text: string) => void,
  oversized: (tail: string) => void,
): BoundedPart {
  let pieces: string[] = []
  let heldChars = 0
  let tooLong = false
  return {
    hold(text) {
      if (text === '') return
      pieces.push(text)
      heldChars += text.length
      if (!tooLong && heldChars <= maxChars) return
      tooLong = true
      if (heldChars < 2 * tailChars) return
      const tail = pieces.join('').slice(-tailChars)
      pieces = [tail]
      heldChars = tail.length
    },
    finish() {
      const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
      const wasTooLong = tooLong
      pieces = []
      heldChars = 0
      tooLong = false
      if (wasTooLong) oversized(text.slice(-tailChars))
      else if (text.trim() !== '') whole(text)
    },
  }
}
