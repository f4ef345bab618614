import { nextDayStartMs } from '../budget/windows.ts'
import type { Config } from '../../shared/config.ts'
import type { Ledger, UpkeepAsk } from '../ledger/ledger.ts'

/** What housekeeping is done with. */
export interface HousekeepingParts {
  readonly ledger: Pick<Ledger, 'upkeep'>
  readonly config: () => Pick<Config, 'retention' | 'timezone'>
  readonly nowMs: () => number
  /** A clock for durations, in milliseconds. */
  readonly elapsedMs: () => number
}

const firstAfterMs = 3000
const everyMs = 600_000

/** Between two steps calls have the event loop, most of the time. */
const pauseMs = 40

/** A step that found less than it may take has caught up: what comes now are the calls of the moment. */
const caughtUpPauseMs = 2000

/**
 * A step holds the event loop and the ledger's write lock; it is made smaller or larger to take half of this or less. Below
 * the fewest rows it is the commit that takes long, and fewer rows would only mean more commits.
 */
const longestStepMs = 10
const fewestRows = 100
const mostRows = 500

const dayMs = 86_400_000

/**
 * Keeps the ledger small: soon after the start and every ten minutes, whatever is due is done in steps of a few
 * milliseconds. What fails, because the disk is full for example, is tried again at the next time.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts
  #rows = fewestRows
  #timer: NodeJS.Timeout | null = null

  constructor(parts: HousekeepingParts) {
    this.#parts = parts
  }

  schedule(afterMs = firstAfterMs): void {
    this.#timer = setTimeout(() => this.schedule(this.step()), afterMs)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** One step. Returns the milliseconds until the next one is due. */
  step(): number {
    const { ledger, config, nowMs, elapsedMs } = this.#parts
    const beganMs = elapsedMs()
    let taken: number
    try {
      taken = ledger.upkeep({ ...dueBefore(config(), nowMs()), mostRows: this.#rows })
    } catch {
      // The status and each refused call say that the ledger cannot be used.
      return everyMs
    }
    const isFull = taken >= this.#rows
    this.#rows = nextRows(this.#rows, elapsedMs() - beganMs)
    if (taken === 0) return everyMs
    return isFull ? pauseMs : caughtUpPauseMs
  }
}

/**
 * The times before which calls and events may go: the starts of days, so that a day is kept whole or not at all. Today and
 * as many whole days before it as are configured stay.
 */
export function dueBefore(
  { retention, timezone }: Pick<Config, 'retention' | 'timezone'>,
  nowMs: number,
): Omit<UpkeepAsk, 'mostRows'> {
  const startMs = (days: number | null): number | null =>
    days === null ? null : nextDayStartMs(nowMs - (days + 1) * dayMs, timezone)
  return { callsBeforeMs: startMs(retention.callsDays), eventsBeforeMs: startMs(retention.eventsDays) }
}

/** Rows of the next step after one of `rows` took `tookMs`. */
export function nextRows(rows: number, tookMs: number): number {
  if (tookMs > longestStepMs) return Math.max(fewestRows, Math.floor(rows / 2))
  return tookMs < longestStepMs / 2 ? Math.min(mostRows, rows * 2) : rows
}
