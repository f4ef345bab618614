import type { NanoEur } from '../../shared/money.ts'
import type { Usage } from '../../shared/usage.ts'

/** A model's price as far as a reservation or a settlement needs it. One function for both (A10). */
export interface PricedModel {
  /** The entry of the table that matched, for the log and the ledger. */
  readonly entry: string
  /** Cost of a usage in nano-euro, at the tier fields that the provider served. Rounds to the nearest. */
  readonly cost: (usage: Usage, tier: Readonly<Record<string, string>>, atMs: number) => NanoEur
  /** Worst case: every input token at the dearest of input and the cache write asked for, the dearest tier, rounded up. */
  readonly worstCase: (ask: WorstCaseAsk) => NanoEur
}

/** Input of a worst-case price. */
export interface WorstCaseAsk {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheWrite: 'none' | '5m' | '1h'
  /** False where the request carries no audio; absent, it may, and input counts at the audio rate if that is dearer. */
  readonly audioInput?: boolean
  readonly tier: Readonly<Record<string, string>>
  readonly serverTools: readonly { readonly name: string; readonly maxUses: number | null }[]
  readonly atMs: number
}

/** Finds prices. `null` is unknown and never free. */
export interface PriceList {
  find(upstreamName: string, upstreamBaseUrl: string, model: string, atMs: number): PricedModel | null
  /** Nearest known names for a message about an unknown model. */
  suggest(upstreamName: string, model: string): readonly string[]
  /** Date of the built-in table. */
  readonly asOf: string
}
