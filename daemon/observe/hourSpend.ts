import type { NanoEur } from '../../shared/money.ts'

/**
 * Whether the last hour was dearer than this machine's hours are. Its own history is the only measure: what is much for one
 * is a quiet morning for another.
 */

const msPerHour = 3_600_000

/** Hours that make the usual: 30 days. */
const historyHours = 30 * 24

/** Hours that are read at once, so that no reading holds up calls. */
const sliceHours = 12

/** With fewer active hours nobody knows what is usual. */
const leastActiveHours = 24

/** How many times the usual is unusual. */
const factor = 4

/** Below this nothing is said: half a euro. */
const floorNanoEur: NanoEur = 500_000_000

/** Whole hours since the epoch, the last one not included. */
export interface HourSpan {
  readonly fromHour: number
  readonly toHour: number
}

/** An hour that is out of line. */
export interface HourSpend {
  readonly spentNanoEur: NanoEur
  readonly medianNanoEur: NanoEur
  readonly factor: number
}

/** Spend by whole hours of the last 30 days, read in slices and kept. The last hour itself is never part of it. */
export class SpendHistory {
  readonly #hours = new Map<number, NanoEur>()
  #knownTo = 0

  /** What has to be read next; null where everything is known. */
  missing(nowMs: number): HourSpan | null {
    const end = Math.floor((nowMs - msPerHour) / msPerHour)
    const fromHour = Math.max(this.#knownTo, end - historyHours)
    return fromHour >= end ? null : { fromHour, toHour: Math.min(end, fromHour + sliceHours) }
  }

  /** Takes what was read of a span. Hours without spend count for nothing. */
  learn({ toHour }: HourSpan, sums: readonly { readonly hour: number; readonly nanoEur: NanoEur }[]): void {
    this.#knownTo = Math.max(this.#knownTo, toHour)
    for (const { hour, nanoEur } of sums) if (nanoEur > 0) this.#hours.set(hour, nanoEur)
    for (const hour of this.#hours.keys()) if (hour < this.#knownTo - historyHours) this.#hours.delete(hour)
  }

  /** Judges the spend of the last 60 minutes; null where it is not unusual or nobody can tell. */
  judge(lastHourNanoEur: NanoEur): HourSpend | null {
    if (lastHourNanoEur <= floorNanoEur || this.#hours.size < leastActiveHours) return null
    const medianNanoEur = median([...this.#hours.values()])
    if (lastHourNanoEur <= factor * medianNanoEur) return null
    return { spentNanoEur: lastHourNanoEur, medianNanoEur, factor: lastHourNanoEur / medianNanoEur }
  }
}

/** Start of an hour in milliseconds since the epoch. */
export function hourStartMs(hour: number): number {
  return hour * msPerHour
}

function median(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
