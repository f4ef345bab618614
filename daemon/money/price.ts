import type { NanoEur } from '../../shared/money.ts'
import type { Usage } from '../../shared/usage.ts'
import type { RowSource } from './priceTable.ts'
import type { RatePeriod } from './rates.ts'

/** A model's price as far as a reservation or a settlement needs it. One function for both (A10). */
export interface PricedModel {
  /** The entry that matched: `openai/gpt-5.5`, `override my-model-*`. */
  readonly entry: string
  /** What the entry comes from: the built-in table, an update of it, the configuration, or the policy `dearest`. */
  readonly source: PriceSource
  /** The rates that hold at an instant. */
  readonly at: (atMs: number) => RatePeriod
  /**
   * Entry, date and unit prices in dollars per million, as the ledger keeps it:
   * `openai/gpt-5.5 (table of 2026-09-23; 5/30)`.
   */
  readonly provenance: (atMs: number) => string
  /**
   * Whether a part of the usage had no rate of its own, so that `cost` is a floor for it (audio and images at the text rate,
   * D15), or the dearest that it can be (a tier that nobody knows, D13).
   */
  readonly isUncertain: (usage: Usage, tier: Readonly<Record<string, string>>, atMs: number) => boolean
  /** Cost of a usage in nano-euro, at the tier fields that the provider served. Rounds to the nearest. */
  readonly cost: (usage: Usage, tier: Readonly<Record<string, string>>, atMs: number) => NanoEur
  /** Worst case: every input token at the dearest of input and the cache write asked for, the dearest tier, rounded up. */
  readonly worstCase: (ask: WorstCaseAsk) => NanoEur
}

/** Where a price comes from. `asOf` is null for the configuration, which has no date. */
export interface PriceSource {
  readonly kind: RowSource['kind'] | 'override' | 'dearest'
  readonly asOf: string | null
}

/** Input of a worst-case price. */
export interface WorstCaseAsk {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheWrite: 'none' | '5m' | '1h'
  /** False where the request is nothing but text; absent, input counts at the rate of audio or images if that is dearer. */
  readonly media?: boolean
  readonly tier: Readonly<Record<string, string>>
  readonly serverTools: readonly { readonly name: string; readonly maxUses: number | null }[]
  readonly atMs: number
}

/** Finds prices. `null` is unknown and never free. */
export interface PriceList {
  find(upstreamName: string, upstreamBaseUrl: string, model: string, atMs: number): PricedModel | null
  /** Nearest known names for a message about an unknown model. */
  suggest(upstreamName: string, model: string): readonly string[]
  /** Date of the table. */
  readonly asOf: string
}
