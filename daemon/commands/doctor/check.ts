/** How a check came out, from good to bad. */
export const verdicts = ['ok', 'warn', 'fail'] as const

/** A name of `verdicts`. */
export type Verdict = (typeof verdicts)[number]

/** One thing that was looked at. */
export interface Check {
  /** Stable, for programs: `ledger.sums`. */
  readonly name: string
  readonly verdict: Verdict
  /** What was found, in one sentence. */
  readonly says: string
  /** A few details of it. */
  readonly details?: readonly string[]
  /** What to do about it, in one sentence; null where nothing is to be done. */
  readonly next: string | null
}

/** Checks that belong together. */
export interface Section {
  readonly title: string
  readonly checks: readonly Check[]
}

/** A check that is good. */
export function ok(name: string, says: string): Check {
  return { name, verdict: 'ok', says, next: null }
}

/** The worst verdict of all. */
export function worstOf(sections: readonly Section[]): Verdict {
  const found = sections.flatMap(({ checks }) => checks.map(({ verdict }) => verdict))
  return verdicts.findLast((verdict) => found.includes(verdict)) ?? 'ok'
}

/** 0 where all is well, 1 where there are warnings only, 2 where a check failed. */
export function exitCodeOf(verdict: Verdict): number {
  return verdicts.indexOf(verdict)
}
