import { nanoFromEur } from '../../../shared/money.ts'
import type { NanoEur } from '../../../shared/money.ts'
import type { CallRow } from '../../../shared/status.ts'

/** What the calls of a run add up to. Tokens are whole numbers. */
export interface RunTotals {
  /** Calls that went out to a provider. */
  readonly calls: number
  /** Input that the provider had not cached, cache writes included. */
  readonly newInputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  /** Calls of subscriptions at list price, as the ceilings of the run count them. */
  readonly spentNanoEur: NanoEur
  /** Calls of a model without a known price: they are in no amount. */
  readonly unpricedCalls: number
  /** Calls that are not settled yet; what they hold is in no amount. */
  readonly openCalls: number
}

/** A call may stand in the ledger this much later than it arrived: its body is read and it waits for its siblings first. */
const lateMs = 60_000

/**
 * Adds up the calls of a run from the lists of `/api/calls`. A list has at most a thousand calls and a run may make more, so
 * lists are folded by id as they come, and each is asked for from where the one before was complete.
 */
export class RunTally {
  readonly #startedAtMs: number
  readonly #recent = new Map<string, CallRow>()
  #sinceMs: number
  /** Settled calls that no list brings again. */
  #closed: RunTotals = nothing

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs
    this.#sinceMs = startedAtMs
  }

  /** From when the next list is needed, in milliseconds since the epoch. */
  get sinceMs(): number {
    return this.#sinceMs
  }

  add(rows: readonly CallRow[]): void {
    for (const row of rows) this.#recent.set(row.id, row)
    const recent = [...this.#recent.values()]
    const newestMs = Math.max(this.#startedAtMs, ...recent.map(arrivedAtMs))
    const openMs = recent.filter(({ state }) => state === 'reserved').map(arrivedAtMs)
    this.#sinceMs = Math.max(this.#startedAtMs, Math.min(newestMs - lateMs, ...openMs))
    for (const row of recent) {
      if (arrivedAtMs(row) >= this.#sinceMs) continue
      this.#recent.delete(row.id)
      this.#closed = withCall(this.#closed, row)
    }
  }

  totals(): RunTotals {
    return [...this.#recent.values()].reduce(withCall, this.#closed)
  }
}

const nothing: RunTotals = {
  calls: 0,
  newInputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  spentNanoEur: 0,
  unpricedCalls: 0,
  openCalls: 0,
}

function withCall(totals: RunTotals, { state, settlement, usage, eur, listPriceEur, warnings }: CallRow): RunTotals {
  // Released: nothing was sent.
  if (settlement === 'released') return totals
  const isSettled = state === 'settled'
  return {
    calls: totals.calls + 1,
    newInputTokens: totals.newInputTokens + usage.input + usage.cacheWrite5m + usage.cacheWrite1h,
    cachedInputTokens: totals.cachedInputTokens + usage.cacheRead,
    outputTokens: totals.outputTokens + usage.output,
    spentNanoEur: totals.spentNanoEur + (isSettled ? nanoFromEur(eur) + nanoFromEur(listPriceEur) : 0),
    unpricedCalls: totals.unpricedCalls + (warnings.includes('unpriced_call') ? 1 : 0),
    openCalls: totals.openCalls + (isSettled ? 0 : 1),
  }
}

function arrivedAtMs(row: CallRow): number {
  return Date.parse(row.time)
}
