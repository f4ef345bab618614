/** How a client stands. */
export const verdicts = [
  'guarded',
  'partlyGuarded',
  'notGuarded',
  'overridden',
  'shadowed',
  'leftAlone',
  'notCoverable',
  'unreadable',
  'notInstalled',
] as const

/** A name of `verdicts`. */
export type Verdict = (typeof verdicts)[number]

/** One client's section of the report. */
export interface Finding {
  readonly client: string
  readonly verdict: Verdict
  /** Why, in a sentence; empty where the verdict says it all. */
  readonly why: string
  /** What to do about it, in a sentence; null where nothing is to be done. */
  readonly fix: string | null
}
