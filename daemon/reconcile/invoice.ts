import type { InvoiceUnit } from '../../shared/reconciliation.ts'

/** Figures of an invoice as integers, so that sums lose nothing: nano-dollar, or tokens. */
export type InvoiceAmount = number

/** Nano-dollar in a dollar. */
export const nanoPerUsd = 1_000_000_000

/** Longest name of a model, a line item or a tier; the rest is cut. */
export const longestName = 128

/** One line of a provider's export. */
export interface InvoiceRow {
  /** UTC day that the provider bills it on: `2026-11-30`. */
  readonly day: string
  /** The model as the provider writes it; null for a line item and where the export does not say. */
  readonly model: string | null
  /** `web search`, `credit`, …; null for the tokens of a model. */
  readonly item: string | null
  /** As `tierName` gives it; null where the export does not say. */
  readonly tier: string | null
  readonly amount: InvoiceAmount
}

/** A provider's export, read. */
export interface Invoice {
  /** In words: `OpenAI costs (JSON)`. */
  readonly format: string
  /** Id of the provider in the price table; null for a file that any provider could have made. */
  readonly provider: string | null
  readonly unit: InvoiceUnit
  /**
   * Whether the export tells tiers apart: never, only by naming those that are not ordinary (`named`), or in each row (`all`).
   */
  readonly tiers: 'none' | 'named' | 'all'
  /** Whether uses of the provider's tools have lines of their own, and are not inside the model's. */
  readonly itemizesTools: boolean
  readonly rows: readonly InvoiceRow[]
  /** UTC days that the export covers, those without a row included; null where there is none. */
  readonly period: { readonly from: string; readonly to: string } | null
  /** Sentences about what the reader should know. */
  readonly notes: readonly string[]
}

/** A file that is no export that can be read; the message is a sentence, with the line where there is one. */
export class UnreadableInvoice extends Error {
  override name = 'UnreadableInvoice'
}

/** Collects the rows of an export and the days that it covers. */
export class InvoiceRows {
  readonly rows: InvoiceRow[] = []
  #from: string | null = null
  #to: string | null = null

  /** A row; one without an amount only says that the day is covered. */
  add(row: Omit<InvoiceRow, 'amount'> & { readonly amount: InvoiceAmount | null }): void {
    this.covers(row.day)
    const { amount } = row
    if (amount === null || amount === 0) return
    const [model, item, tier] = [row.model, row.item, row.tier].map((name) => name?.slice(0, longestName) ?? null)
    this.rows.push({ day: row.day, model: model ?? null, item: item ?? null, tier: tier ?? null, amount })
  }

  covers(day: string): void {
    if (this.#from === null || day < this.#from) this.#from = day
    if (this.#to === null || day > this.#to) this.#to = day
  }

  get period(): Invoice['period'] {
    return this.#from === null || this.#to === null ? null : { from: this.#from, to: this.#to }
  }
}
