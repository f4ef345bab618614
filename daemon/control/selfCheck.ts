import type { WindowTotals } from '../ledger/ledger.ts'
import type { Ledger, ScopeRef } from '../ledger/ledger.ts'

/** A window whose totals are not the sum of its calls. */
export type Drift = { readonly scope: ScopeRef; readonly window: WindowTotals; readonly calls: WindowTotals }

const firstAfterMs = 10_000
const everyMs = 3_600_000

/**
 * Invariant 4, proved by the daemon itself: soon after its start and every hour, in a moment without calls, because the
 * first run reads the whole ledger (about a second per million calls). `GET /api/check` runs it at once.
 */
export class SelfCheck {
  readonly #ledger: Ledger
  readonly #running: () => number
  readonly #onDrift: (windows: number) => void
  #drift: readonly Drift[] = []
  #checkedAtMs: number | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(ledger: Ledger, running: () => number, onDrift: (windows: number) => void) {
    this.#ledger = ledger
    this.#running = running
    this.#onDrift = onDrift
  }

  /** Result of the last run; `checkedAtMs` is null before the first. */
  get last(): { readonly drift: readonly Drift[]; readonly checkedAtMs: number | null } {
    return { drift: this.#drift, checkedAtMs: this.#checkedAtMs }
  }

  /** Throws LedgerUnavailable. */
  run(nowMs: number): readonly Drift[] {
    this.#drift = this.#ledger.check()
    this.#checkedAtMs = nowMs
    if (this.#drift.length > 0) this.#onDrift(this.#drift.length)
    return this.#drift
  }

  schedule(nowMs: () => number, afterMs = firstAfterMs): void {
    this.#timer = setTimeout(() => {
      const busy = this.#running() > 0
      try {
        if (!busy) this.run(nowMs())
      } catch {
        // The status says that the ledger cannot be read.
      }
      this.schedule(nowMs, busy ? firstAfterMs : everyMs)
    }, afterMs)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }
}
