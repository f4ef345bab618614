import type { CsvTable } from './csv.ts'
import type { Invoice } from './invoice.ts'

/** A provider's CSV export. A new one is a new file and one line in `readInvoice.ts`. */
export interface CsvFormat {
  /** In words: `Anthropic cost report (CSV)`. */
  readonly name: string
  /** Columns by which it is recognised; they may be written in capitals. */
  readonly columns: readonly string[]
  /** Reads the rows. Throws UnreadableInvoice. */
  read(table: CsvTable): Invoice
}

/** A provider's answer in JSON: one page, or a list of pages. */
export interface JsonFormat {
  readonly name: string
  /** Whether a result inside a bucket is of this format. */
  recognises(result: Readonly<Record<string, unknown>>): boolean
  /** Reads the buckets of all pages. Throws UnreadableInvoice. */
  read(buckets: readonly JsonBucket[]): Invoice
}

/** One period of an answer with what it holds. */
export interface JsonBucket {
  /** Where it is in the file, for messages: `data[3]`. */
  readonly where: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly results: readonly Readonly<Record<string, unknown>>[]
}
