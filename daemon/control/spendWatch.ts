import type { NanoEur } from '../../shared/money.ts'
import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Anomalies } from '../observe/anomalies.ts'
import { hourStartMs, SpendHistory } from '../observe/hourSpend.ts'

const firstAfterMs = 1000
const nextSliceMs = 50
const everyMs = 60_000
const msPerHour = 3_600_000

/** What the watch needs. */
export interface SpendWatchOptions {
  readonly ledger: Pick<Ledger, 'spendByHour'>
  readonly anomalies: Pick<Anomalies, 'say'>
  readonly currency: () => string
  readonly nowMs: () => number
}

/**
 * Compares the last hour's spend with the usual, once a minute. The history is read in slices of half a day after the start
 * and then by the hour, so that no reading holds up calls.
 */
export class SpendWatch {
  readonly #options: SpendWatchOptions
  readonly #history = new SpendHistory()
  #timer: NodeJS.Timeout | null = null

  constructor(options: SpendWatchOptions) {
    this.#options = options
  }

  /** One step: reads a slice of the history where one is missing, judges the last hour where none is. True where it judged. */
  step(): boolean {
    const { ledger, nowMs } = this.#options
    const atMs = nowMs()
    const missing = this.#history.missing(atMs)
    if (missing !== null) {
      const { fromHour, toHour } = missing
      this.#history.learn(missing, ledger.spendByHour(hourStartMs(fromHour), hourStartMs(toHour)))
      return false
    }
    const sums = ledger.spendByHour(atMs - msPerHour, atMs + 1)
    this.#judge(
      sums.reduce((sum, { nanoEur }) => sum + nanoEur, 0),
      atMs,
    )
    return true
  }

  start(afterMs = firstAfterMs): void {
    this.#timer = setTimeout(() => {
      let isDone = true
      try {
        isDone = this.step()
      } catch {
        // The status says that the ledger cannot be read.
      }
      this.start(isDone ? everyMs : nextSliceMs)
    }, afterMs)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #judge(lastHourNanoEur: NanoEur, atMs: number): void {
    const found = this.#history.judge(lastHourNanoEur)
    if (found === null) return
    const { anomalies, currency } = this.#options
    const code = currency()
    anomalies.say(
      'hour_spend',
      {
        eur: eurFromNano(found.spentNanoEur),
        medianEur: eurFromNano(found.medianNanoEur),
        factor: Math.round(found.factor * 10) / 10,
        reason: `The calls of the last hour cost ${formatEur(found.spentNanoEur)} ${code}; half of the active hours of the last 30 days cost less than ${formatEur(found.medianNanoEur)}. See which task spends it.`,
      },
      atMs,
    )
  }
}
