/**
 * Calendar windows of budgets: days and months of an IANA zone.
 *
 * A day is what the zone's clock calls a day: 23 or 25 hours long where the clock changes (M04), and never cut at an hour
 * computed from a fixed offset, which once reset a Shanghai budget at 08:00 (M03). The key of a window and the time at
 * which it ends come from here and nowhere else, so that what is shown is what is enforced (M05).
 */

/** The windows that an instant lies in. */
export interface CalendarWindows {
  /** `2026-11-30` */
  readonly day: string
  /** `2026-11` */
  readonly month: string
  /** First instant of the next day and month, milliseconds since the epoch. */
  readonly nextDayStartMs: number
  readonly nextMonthStartMs: number
}

/** Date of the zone at an instant, `2026-11-30`. Throws a RangeError for an unknown zone, as all functions here do. */
export function dayKey(ms: number, zone: string): string {
  return windowsAt(ms, zone).day
}

/** Month of the zone at an instant, `2026-11`. */
export function monthKey(ms: number, zone: string): string {
  return windowsAt(ms, zone).month
}

/** First instant of the next day of the zone, milliseconds since the epoch. */
export function nextDayStartMs(ms: number, zone: string): number {
  return windowsAt(ms, zone).nextDayStartMs
}

/** First instant of the next month of the zone, milliseconds since the epoch. */
export function nextMonthStartMs(ms: number, zone: string): number {
  return windowsAt(ms, zone).nextMonthStartMs
}

/** Local time with its offset, to the second: `2026-12-01T00:00:00+01:00`. */
export function isoWithOffset(ms: number, zone: string): string {
  const local = localTime(ms, zone)
  const offsetMinutes = Math.round((local.asUtcMs - Math.floor(ms / 1000) * 1000) / 60_000)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const size = Math.abs(offsetMinutes)
  return `${new Date(local.asUtcMs).toISOString().slice(0, 19)}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/**
 * How far the youngest day of the ledger may lie ahead of the clock and still hold. A clock that was further ahead was
 * wrong then, and budgets must not wait for that day to come.
 */
const mostAheadMs = 7 * 24 * 3_600_000

/**
 * Windows that never move backwards (invariant 5): a clock that is set back stays in the latest day seen, so that no day
 * is opened twice. One instance for the life of the program; `latestDay` is the youngest day in the ledger, if any, because
 * a clock may also be set back while no daemon runs.
 */
export class MonotoneDay {
  readonly #zone: string
  #latest: CalendarWindows | null = null
  #floorDay: string | null

  constructor(zone: string, latestDay: string | null = null) {
    this.#zone = zone
    this.#floorDay = latestDay
  }

  /** The windows at `nowMs`, or the latest ones seen if those are later. */
  at(nowMs: number): CalendarWindows {
    const latest = this.#latest
    if (latest !== null && nowMs < latest.nextDayStartMs) return latest
    const now = windowsAt(nowMs, this.#zone)
    const floor = this.#floorDay
    this.#floorDay = null
    this.#latest = now
    if (floor !== null && now.day < floor) {
      const start = startOf(floor, this.#zone)
      if (start - nowMs <= mostAheadMs) this.#latest = windowsAt(start, this.#zone)
    }
    return this.#latest
  }
}

interface CachedDay extends CalendarWindows {
  readonly startMs: number
}

/** The last day looked up in each zone: in the hot path a window costs a comparison, not a call of Intl. */
const lastDays = new Map<string, CachedDay>()
const formats = new Map<string, Intl.DateTimeFormat>()
/** Zones that are remembered; a configuration names one. */
const mostZones = 16

const hourMs = 3_600_000

function windowsAt(ms: number, zone: string): CalendarWindows {
  const last = lastDays.get(zone)
  if (last !== undefined && ms >= last.startMs && ms < last.nextDayStartMs) return last
  const day = localTime(ms, zone).day
  const month = day.slice(0, 7)
  const windows: CachedDay = {
    day,
    month,
    // A day has at most 25 hours, or 48 where a zone moved across the date line; a month at most 31 days.
    startMs: firstInstant(ms - 49 * hourMs, ms, (at) => localTime(at, zone).day >= day),
    nextDayStartMs: firstInstant(ms, ms + 49 * hourMs, (at) => localTime(at, zone).day > day),
    nextMonthStartMs: firstInstant(ms, ms + 33 * 24 * hourMs, (at) => localTime(at, zone).day.slice(0, 7) > month),
  }
  if (lastDays.size >= mostZones) lastDays.clear()
  lastDays.set(zone, windows)
  return windows
}

/** First instant of a date that is written as `2026-11-30`. */
function startOf(day: string, zone: string): number {
  const about = Date.parse(`${day}T00:00:00Z`)
  return firstInstant(about - 49 * hourMs, about + 49 * hourMs, (at) => localTime(at, zone).day >= day)
}

/** Smallest whole millisecond in (low, high] for which `reached` holds, which from there on must stay true. */
function firstInstant(low: number, high: number, reached: (ms: number) => boolean): number {
  let before = low
  let at = high
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (reached(middle)) at = middle
    else before = middle
  }
  return at
}

/** The zone's clock at an instant: its date, and its reading taken as if it were UTC. */
function localTime(ms: number, zone: string): { readonly day: string; readonly asUtcMs: number } {
  const fields = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of format(zone).formatToParts(ms)) {
    if (type in fields) fields[type as keyof typeof fields] = Number(value)
  }
  const { year, month, day, hour, minute, second } = fields
  return {
    day: `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`,
    asUtcMs: Date.UTC(year, month - 1, day, hour, minute, second),
  }
}

function format(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formats.size >= mostZones) formats.clear()
  formats.set(zone, made)
  return made
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
