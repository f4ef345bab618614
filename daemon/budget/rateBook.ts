import { RateWindow } from './rateWindow.ts'

/** Most keys whose last minute is kept; keys come from the configuration, so this is never reached by honest use. */
const mostKeys = 1000

/** The last minute of every key. */
export class RateBook {
  readonly #windows = new Map<string, RateWindow>()

  /** Counts a call when it is admitted, so that a burst sees itself. */
  addCall(keyId: string, nowMs: number): void {
    this.#of(keyId).add(nowMs, 1, 0)
  }

  /** Counts tokens when they are known. */
  addTokens(keyId: string, nowMs: number, tokens: number): void {
    this.#of(keyId).add(nowMs, 0, tokens)
  }

  read(
    keyId: string,
    nowMs: number,
  ): { readonly calls: number; readonly tokens: number; readonly oldestAgeMs: number } {
    return this.#windows.get(keyId)?.read(nowMs) ?? { calls: 0, tokens: 0, oldestAgeMs: 0 }
  }

  #of(keyId: string): RateWindow {
    let window = this.#windows.get(keyId)
    if (window === undefined) {
      if (this.#windows.size >= mostKeys) this.#windows.clear()
      window = new RateWindow()
      this.#windows.set(keyId, window)
    }
    return window
  }
}
