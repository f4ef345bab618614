/**
 * What a reconciliation is: a provider's own figures beside ours. In flight the ledger's figure stops things; afterwards the
 * invoice is authoritative.
 */

/** What an export counts: money, or only tokens. */
export type InvoiceUnit = 'usd' | 'tokens'

/** How a row of the invoice and ours agree. */
export const reconciliationClasses = ['matched', 'mismatch', 'provider_only', 'local_only'] as const

/** One of `reconciliationClasses`. */
export type ReconciliationClass = (typeof reconciliationClasses)[number]

/** Both figures of something, in the unit of the reconciliation: decimal US dollars, or tokens. */
export interface Compared {
  readonly invoice: number
  readonly local: number
  /** Invoice divided by ours; null where we have nothing. */
  readonly ratio: number | null
  readonly class: ReconciliationClass
}

/** One model over the whole period, or a line item such as `web search`. */
export interface ComparedModel extends Compared {
  readonly model: string
  /** `standard`, `batch`, …; null where the export does not tell tiers apart. */
  readonly tier: string | null
}

/** `POST /api/reconciliations`: what a reconciliation came to. */
export interface ReconciliationSummary {
  /** The provider or upstream that the export is of. */
  readonly provider: string
  /** The export's format, in words. */
  readonly format: string
  readonly unit: InvoiceUnit
  /** First and last UTC day, both included: `2026-11-30`. */
  readonly from: string
  readonly to: string
  /** Totals in the unit, without credits. */
  readonly invoice: number
  readonly local: number
  /** Invoice divided by ours; null where we have nothing. */
  readonly drift: number | null
  /** Share of the invoice that we saw, 0 to 1; null where the invoice is 0. */
  readonly coverage: number | null
  readonly models: readonly ComparedModel[]
}

/** The last reconciliation of a provider, as the status shows it. */
export interface DriftStatus {
  readonly time: string
  readonly provider: string
  readonly unit: InvoiceUnit
  readonly from: string
  readonly to: string
  readonly drift: number | null
  readonly coverage: number | null
  /** True where drift or coverage are beyond what is tolerated. */
  readonly beyond: boolean
}

/** Drift that is still tolerated, in either direction. */
export const toleratedDrift = 0.03

/** Coverage below this means that calls pass by the gate. */
export const leastCoverage = 0.95

/** Totals that differ by less than this are equal, whatever the share: a cent, or a thousand tokens. */
export const toleratedDifference: Readonly<Record<InvoiceUnit, number>> = { usd: 0.01, tokens: 1000 }

/** Whether a reconciliation needs somebody's attention. */
export function isBeyond(
  of: Pick<ReconciliationSummary, 'unit' | 'invoice' | 'local' | 'drift' | 'coverage'>,
): boolean {
  // A share of next to nothing means nothing.
  const slack = toleratedDifference[of.unit]
  const missed = of.invoice * (1 - (of.coverage ?? 1))
  if (of.coverage !== null && of.coverage < leastCoverage && missed > slack) return true
  if (Math.abs(of.invoice - of.local) <= slack) return false
  // The last digit of a share that is exactly at the limit is noise.
  return of.drift === null || Math.abs(of.drift - 1) > toleratedDrift + 1e-9
}

/** What the ledger has for one UTC day, upstream, model and tier: an entry of `GET /api/usage-by-utc-day`. */
export interface UsageOfDay {
  readonly day: string
  readonly upstream: string
  /** The provider's id in the price table, or the upstream's name where the table does not know it. */
  readonly provider: string
  /** As it was asked for, and as the provider named it in its answer. */
  readonly model: string
  readonly responseModel: string | null
  /** Tier that was served; `standard` where it was the ordinary one. */
  readonly tier: string
  readonly calls: number
  /** Each call at the exchange rate of its own row. */
  readonly usd: number
  /** The part of `usd` that was estimated: not reported by the provider, or not wholly. */
  readonly estimatedUsd: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Parts of `usd` that are charged by the use, at today's fees: `web search`, `file search`, `code execution`. */
  readonly toolUsd: Readonly<Record<string, number>>
}

/** Answer to `GET /api/usage-by-utc-day`. */
export interface UsageByUtcDay {
  readonly from: string
  readonly to: string
  /** UTC day of the oldest call that the ledger has; null where it has none. */
  readonly oldest: string | null
  readonly days: readonly UsageOfDay[]
}
