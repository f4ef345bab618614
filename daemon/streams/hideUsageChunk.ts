/**
 * The gate asks OpenAI-compatible servers for the usage of a stream that its client did not ask for. The extra event that
 * answers this has `choices: []` and breaks clients that read `choices[0]`, so that exactly this event is taken out again
 * (B01, B02). Every other byte passes as it came.
 */

/** Takes the usage-only events out of one stream of server-sent events. */
export interface UsageChunkFilter {
  /** Bytes that may go on to the client now. Only an event that is not complete yet is held back. */
  push(chunk: Uint8Array): readonly Uint8Array[]
  /** The stream is over: what was held back, unless it is the event in question. */
  end(): readonly Uint8Array[]
}

/** A usage event has a few hundred bytes; what is larger and still not complete is something else and is let through. */
export const maxHeldBytes = 64 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Creates a filter for one stream. */
export function createUsageChunkFilter(): UsageChunkFilter {
  return new Filter()
}

class Filter implements UsageChunkFilter {
  /** Bytes of an event that has begun in an earlier chunk. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  /** The event under way is too large to be the one, and passes as it comes. */
  #passing = false
  #lineIsEmpty = true
  #afterReturn = false
  /** The last event ended with a carriage return; a line feed that follows shares its fate. */
  #tornEnd: 'none' | 'kept' | 'dropped' = 'none'

  push(chunk: Uint8Array): readonly Uint8Array[] {
    const passed: Uint8Array[] = []
    /** First byte that was neither passed on nor dropped, and first byte of the event under way. */
    let pendingFrom = 0
    let eventFrom = 0
    let at = 0
    if (this.#tornEnd !== 'none' && chunk.length > 0) {
      if (chunk[0] === lineFeed) {
        at = 1
        eventFrom = 1
        if (this.#tornEnd === 'dropped') pendingFrom = 1
        this.#afterReturn = false
      }
      this.#tornEnd = 'none'
    }
    while (at < chunk.length) {
      const end = this.#nextEventEnd(chunk, at)
      if (end < 0) break
      const dropped = this.#isUsageEvent(chunk.subarray(eventFrom, end))
      if (dropped) {
        if (eventFrom > pendingFrom) passed.push(chunk.subarray(pendingFrom, eventFrom))
        pendingFrom = end
      } else {
        // What is held lies before this chunk, where nothing else is pending.
        passed.push(...this.#held)
      }
      this.#held = []
      this.#heldBytes = 0
      this.#passing = false
      if (end === chunk.length && chunk[end - 1] === carriageReturn) this.#tornEnd = dropped ? 'dropped' : 'kept'
      eventFrom = end
      at = end
    }
    this.#keepRest(chunk, pendingFrom, eventFrom, passed)
    return passed
  }

  end(): readonly Uint8Array[] {
    const rest = this.#isUsageEvent(new Uint8Array(0)) ? [] : this.#held
    this.#held = []
    this.#heldBytes = 0
    return rest
  }

  /** Passes on what is decided and holds the event that is not complete. */
  #keepRest(chunk: Uint8Array, pendingFrom: number, eventFrom: number, passed: Uint8Array[]): void {
    const restBytes = chunk.length - eventFrom
    if (this.#passing || this.#heldBytes + restBytes > maxHeldBytes) {
      passed.push(...this.#held)
      this.#held = []
      this.#heldBytes = 0
      this.#passing = restBytes > 0 || this.#passing
      if (pendingFrom < chunk.length) passed.push(pendingFrom === 0 ? chunk : chunk.subarray(pendingFrom))
      return
    }
    const whole = pendingFrom === 0 && restBytes === 0
    if (eventFrom > pendingFrom) passed.push(whole ? chunk : chunk.subarray(pendingFrom, eventFrom))
    if (restBytes > 0) {
      this.#held.push(eventFrom === 0 ? chunk : chunk.subarray(eventFrom))
      this.#heldBytes += restBytes
    }
  }

  /** Position behind the blank line that ends the event at `from`, or -1. A CRLF pair is one line end. */
  #nextEventEnd(chunk: Uint8Array, from: number): number {
    let lineIsEmpty = this.#lineIsEmpty
    let afterReturn = this.#afterReturn
    let end = -1
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte !== lineFeed && byte !== carriageReturn) {
        afterReturn = false
        lineIsEmpty = false
        continue
      }
      if (byte === lineFeed && afterReturn) {
        afterReturn = false
        continue
      }
      afterReturn = byte === carriageReturn
      if (!lineIsEmpty) {
        lineIsEmpty = true
        continue
      }
      end = at + 1
      if (afterReturn && chunk[end] === lineFeed) {
        afterReturn = false
        end += 1
      }
      break
    }
    this.#lineIsEmpty = lineIsEmpty
    this.#afterReturn = afterReturn
    return end
  }

  /** Judges the event whose last bytes are given; earlier ones are held. */
  #isUsageEvent(last: Uint8Array): boolean {
    if (this.#passing) return false
    const bytes = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last])
    return bytes.length > 0 && bytes.length <= maxHeldBytes && isUsageOnly(bytes)
  }
}

/** An event with an empty list of choices and a usage object. Azure's first event has the list but no usage, and stays. */
function isUsageOnly(bytes: Uint8Array): boolean {
  // Keys and structure are ASCII; other bytes only have to survive as some characters of a string.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!/"choices"\s*:\s*\[\s*\]/.test(text)) return false
  const data = text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
  try {
    const event = JSON.parse(data.join('\n')) as { readonly choices?: unknown; readonly usage?: unknown } | null
    if (event === null || !Array.isArray(event.choices) || event.choices.length > 0) return false
    return typeof event.usage === 'object' && event.usage !== null && !Array.isArray(event.usage)
  } catch {
    return false
  }
}
