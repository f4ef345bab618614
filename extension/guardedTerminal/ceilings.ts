import type { TaskRequest } from '../../shared/protocol.ts'
import type { SkippedFamily } from '../env/injection.ts'
import type { Text } from '../text/text.ts'
import type { Figures } from '../ui/figures.ts'

/** What a guarded terminal is asked for, in this order. */
export const ceilingNames = ['eur', 'iterations', 'minutes'] as const

/** A name of `ceilingNames`. */
export type CeilingName = (typeof ceilingNames)[number]

/** Ceilings of a guarded terminal: decimal amounts of the gate's currency, calls, minutes; null is the plan's. */
export type Ceilings = Readonly<Record<CeilingName, number | null>>

/** Nothing of its own: every ceiling is the plan's. */
export const planCeilings: Ceilings = { eur: null, iterations: null, minutes: null }

/** At most six digits before the point; after a comma at most two, so that `1,000` is no thousandth and no thousand. */
const amountForm = /^\d{1,6}(\.\d{1,6}|,\d{1,2})?$/

/**
 * A ceiling as a person typed it: null where it was left empty, undefined where it is none. Money may be 0, which refuses every
 * paid call; calls are whole and at least 1; minutes are above 0.
 */
export function readCeiling(name: CeilingName, typed: string): number | null | undefined {
  const bare = typed.trim()
  if (bare === '') return null
  if (!amountForm.test(bare)) return undefined
  const amount = Number(bare.replace(',', '.'))
  switch (name) {
    case 'eur':
      return amount
    case 'iterations':
      return /^\d+$/.test(bare) && amount >= 1 ? amount : undefined
    case 'minutes':
      return amount > 0 ? amount : undefined
  }
}

/** Ceilings as they were remembered. What is no ceiling any more counts as left empty. */
export function readCeilings(value: unknown): Ceilings {
  if (typeof value !== 'object' || value === null) return planCeilings
  const read = (name: CeilingName): number | null => {
    const amount = (value as Partial<Record<CeilingName, unknown>>)[name]
    return typeof amount === 'number' ? (readCeiling(name, String(amount)) ?? null) : null
  }
  return { eur: read('eur'), iterations: read('iterations'), minutes: read('minutes') }
}

/** How a person is asked for one ceiling. */
export interface CeilingQuestion {
  readonly prompt: string
  readonly placeHolder: string
  /** What is said of an answer that is none. */
  readonly problem: string
}

/** The questions, that for money in the gate's currency. */
export function ceilingQuestions({ terminal }: Text, figures: Figures): Readonly<Record<CeilingName, CeilingQuestion>> {
  return {
    eur: {
      prompt: terminal.askEur(figures.currency),
      placeHolder: terminal.exampleEur(figures.currency),
      problem: terminal.noEur,
    },
    iterations: {
      prompt: terminal.askIterations,
      placeHolder: terminal.exampleIterations,
      problem: terminal.noIterations,
    },
    minutes: {
      prompt: terminal.askMinutes,
      placeHolder: terminal.exampleMinutes,
      problem: terminal.noMinutes,
    },
  }
}

/** The request that sets them for a task. */
export function ceilingsRequest(id: string, { eur, iterations, minutes }: Ceilings): TaskRequest {
  return {
    id,
    ...(eur === null ? {} : { eur }),
    ...(iterations === null ? {} : { iterations }),
    ...(minutes === null ? {} : { minutes }),
  }
}

/** What a guarded terminal says before its first prompt: its task, its ceilings, and which clients it cannot guard. */
export function openingLines(
  task: string,
  { eur, iterations, minutes }: Ceilings,
  skipped: readonly SkippedFamily[],
  text: Text,
  figures: Figures,
): readonly string[] {
  const limits = [
    ...(eur === null ? [] : [figures.eur(eur)]),
    ...(iterations === null ? [] : [text.calls(iterations, figures.whole(iterations))]),
    ...(minutes === null ? [] : [text.minutes(minutes, figures.amount(minutes))]),
  ]
  return [
    limits.length === 0 ? text.terminal.terminalOfPlan(task) : text.terminal.terminalOf(task, limits.join(', ')),
    ...skipped.map(({ family, why, variable }) =>
      why === 'azure' ? text.skippedAzure(variable) : text.skippedElsewhere(family, variable),
    ),
  ]
}
