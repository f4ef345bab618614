import { BoundedMap } from '../transcript/boundedMap.ts'
import { readPacing } from './pacingHeaders.ts'
import type { AnswerHeaderValues, PacingReading } from './pacingHeaders.ts'

/** The latest word of an upstream about one of its windows. */
export interface Paced extends PacingReading {
  readonly upstream: string
  readonly seenAtMs: number
}

/** Windows that are kept, of all upstreams together. */
const mostKept = 100

/** How long a word without a reset is believed. */
const withoutResetMs = 3_600_000

/** How far the providers' own windows are used. Only in memory: the next answer says it anew. */
export class PacingBook {
  readonly #latest = new BoundedMap<Paced>(mostKept)

  /** Takes note of what an answer's headers say, if they say anything. */
  saw(upstream: string, headers: AnswerHeaderValues, nowMs: number): void {
    for (const reading of readPacing(headers, nowMs)) {
      this.#latest.set(`${upstream}\n${reading.window}`, { ...reading, upstream, seenAtMs: nowMs })
    }
  }

  /** What still holds, by upstream and window: after its reset a window is a new one, of which nothing is known. */
  current(nowMs: number): readonly Paced[] {
    return this.#latest
      .latest()
      .filter(({ resetsAtMs, seenAtMs }) => (resetsAtMs ?? seenAtMs + withoutResetMs) > nowMs)
      .sort((one, other) => order(one.upstream, other.upstream) || order(one.window, other.window))
  }
}

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}
