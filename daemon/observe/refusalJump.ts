import type { RefusalCode } from '../../shared/codes.ts'

const msPerMinute = 60_000

/** The minutes that are judged. */
const windowMinutes = 5

/** The minutes before them that make the usual. */
const historyMinutes = 24 * 60

/** With less history everything would be a jump. */
const leastHistoryMinutes = 15

/** Fewer refusals than this in five minutes are nothing to speak of. */
const leastRefusals = 20

/** How many times the usual is a jump. */
const factor = 5

/** A jump of refusals. */
export interface RefusalJump {
  /** In the last five minutes. */
  readonly refusals: number
  /** In five minutes, on the average of the last day or since the start. */
  readonly usual: number
  /** The code that came most in the last five minutes. */
  readonly code: RefusalCode
}

/** What a person or a stop has ordered is no surprise. */
const ordered: ReadonlySet<RefusalCode> = new Set(['killed', 'shutting_down'])

/** Counts refusals by the minute and tells when there are many more than usual. */
export class RefusalRate {
  readonly #startMinute: number
  readonly #minutes = new Map<number, Map<RefusalCode, number>>()
  #total = 0
  #latest: number

  constructor(startedAtMs: number) {
    this.#startMinute = Math.floor(startedAtMs / msPerMinute)
    this.#latest = this.#startMinute
  }

  /** Counts one; the jump where this minute is in one, null otherwise. */
  add(code: RefusalCode, nowMs: number): RefusalJump | null {
    if (ordered.has(code)) return null
    // A clock that is set back counts into the minute that was last.
    const minute = Math.max(this.#latest, Math.floor(nowMs / msPerMinute))
    this.#forgetBefore(minute - historyMinutes - windowMinutes + 1)
    this.#latest = minute
    const counts = this.#minutes.get(minute) ?? new Map<RefusalCode, number>()
    counts.set(code, (counts.get(code) ?? 0) + 1)
    this.#minutes.set(minute, counts)
    this.#total += 1
    return this.#judge(minute)
  }

  #judge(minute: number): RefusalJump | null {
    const byCode = new Map<RefusalCode, number>()
    for (let at = minute - windowMinutes + 1; at <= minute; at += 1) {
      for (const [code, count] of this.#minutes.get(at) ?? []) byCode.set(code, (byCode.get(code) ?? 0) + count)
    }
    const refusals = sum(byCode.values())
    const known = Math.min(historyMinutes, minute - windowMinutes + 1 - this.#startMinute)
    if (refusals < leastRefusals || known < leastHistoryMinutes) return null
    const usual = ((this.#total - refusals) * windowMinutes) / known
    if (refusals <= factor * usual) return null
    const [most] = [...byCode].sort(([, one], [, other]) => other - one)
    return most === undefined ? null : { refusals, usual, code: most[0] }
  }

  #forgetBefore(first: number): void {
    for (const [minute, counts] of this.#minutes) {
      if (minute >= first) return
      this.#total -= sum(counts.values())
      this.#minutes.delete(minute)
    }
  }
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
