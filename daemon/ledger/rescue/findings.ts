/** Kinds of faults that a look into a ledger can find. */
export const findingKinds = [
  'missing',
  'inaccessible',
  'unreadable',
  'journal',
  'schema_newer',
  'schema_older',
  'structure',
  'figures',
  'sums',
  'duplicates',
  'references',
  'open_calls',
  'days',
] as const

/** A name of `findingKinds`. */
export type FindingKind = (typeof findingKinds)[number]

/** One kind of fault that was found. */
export interface Finding {
  readonly kind: FindingKind
  /** A warning is unusual and leaves every sum right. */
  readonly verdict: 'warn' | 'fail'
  readonly count: number
  /** One sentence. */
  readonly says: string
  /** The first few, in words. */
  readonly examples: readonly string[]
}

/** How many of a kind are shown. */
export const mostExamples = 5

/** What a ledger holds. */
export interface LedgerCounts {
  readonly calls: number
  /** Reservations that have not ended. */
  readonly open: number
  /** Calls that were settled at their worst case because their daemon died. */
  readonly orphaned: number
  readonly windows: number
  readonly lines: number
  readonly firstDay: string | null
  readonly lastDay: string | null
}

/** The result of a look into a ledger. */
export interface LedgerFindings {
  readonly path: string
  readonly sizeBytes: number
  /** Steps of the schema in the file; null where they cannot be read. */
  readonly schema: number | null
  readonly knownSchema: number
  /** Null where the file cannot be read so far. */
  readonly counts: LedgerCounts | null
  readonly findings: readonly Finding[]
}

/** Whether the file itself is damaged, so that it has to be built anew and cannot be added up where it is. */
export function isFileDamaged({ findings }: LedgerFindings): boolean {
  return findings.some(({ kind }) => kind === 'unreadable' || kind === 'structure' || kind === 'journal')
}
