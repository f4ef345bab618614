import { RateWindow } from './rateWindow.ts'

/** Most keys whose last minute is kept; keys come from the configuration, so this is never reached by honest use. */
const mostKeys = 1000

interface KeyRates {
  readonly window: RateWindow
  /** Calls that passed the guards and are not admitted yet. */
  askingCalls: number
  /** Estimated input tokens of the calls that run. */
  runningTokens: number
}

/** A call's part in its key's rates while it runs. */
export interface RateShare {
  /** It goes to the provider, so that it stays counted for a minute. */
  admitted(nowMs: number): void
  /** It is over: `addTokens` was told what it used, and its estimate is taken back. */
  ended(): void
}

/** The last minute of every key, and what runs at this moment. */
export class RateBook {
  readonly #keys = new Map<string, KeyRates>()

  /** A call passed the guards. It counts at once: those that come in the same moment must see it, or a burst passes whole. */
  begin(keyId: string, estimatedTokens: number): RateShare {
    const rates = this.#of(keyId)
    rates.askingCalls += 1
    rates.runningTokens += estimatedTokens
    let isAsking = true
    const stopAsking = (): void => {
      if (isAsking) rates.askingCalls -= 1
      isAsking = false
    }
    return {
      admitted: (nowMs) => {
        stopAsking()
        rates.window.add(nowMs, 1, 0)
      },
      ended: () => {
        stopAsking()
        rates.runningTokens -= estimatedTokens
      },
    }
  }

  /** Counts tokens when they are known. */
  addTokens(keyId: string, nowMs: number, tokens: number): void {
    this.#of(keyId).window.add(nowMs, 0, tokens)
  }

  read(
    keyId: string,
    nowMs: number,
  ): { readonly calls: number; readonly tokens: number; readonly oldestAgeMs: number } {
    const rates = this.#keys.get(keyId)
    if (rates === undefined) return { calls: 0, tokens: 0, oldestAgeMs: 0 }
    const { calls, tokens, oldestAgeMs } = rates.window.read(nowMs)
    return { calls: calls + rates.askingCalls, tokens: tokens + rates.runningTokens, oldestAgeMs }
  }

  #of(keyId: string): KeyRates {
    let rates = this.#keys.get(keyId)
    if (rates === undefined) {
      if (this.#keys.size >= mostKeys) this.#keys.clear()
      rates = { window: new RateWindow(), askingCalls: 0, runningTokens: 0 }
      this.#keys.set(keyId, rates)
    }
    return rates
  }
}
