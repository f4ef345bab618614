import { pathPart, projectSlug } from '../../../shared/addresses.ts'

/** What `tollgate run` is asked to do. A limit that is null stays the plan's. */
export interface RunAsk {
  /** Decimal euros, >= 0. */
  readonly eur: number | null
  /** Calls, a whole number >= 1. */
  readonly iterations: number | null
  /** Wall clock, > 0. */
  readonly minutes: number | null
  /** Ready for a path; null: that of the shell. */
  readonly project: string | null
  /** Null: a new one. */
  readonly task: string | null
  /** Program and arguments as they were typed; the program is never empty. */
  readonly words: readonly [string, ...string[]]
}

/** Reads the options of `run` and the words behind `--`; a string is what is wrong with them, in one sentence. */
export function readRun(option: (name: string) => string | null, words: readonly string[]): RunAsk | string {
  const [program, ...rest] = words
  if (program === undefined || program === '') return 'run needs a command behind "--".'
  const [eur, iterations, minutes] = [option('eur'), option('iterations'), option('minutes')]
  if (eur !== null && !decimal.test(eur)) return `--eur must be an amount such as 2 or 0.50, not "${eur}".`
  if (iterations !== null && !(whole.test(iterations) && Number(iterations) >= 1)) {
    return `--iterations must be a whole number from 1, not "${iterations}".`
  }
  if (minutes !== null && !(decimal.test(minutes) && Number(minutes) > 0)) {
    return `--minutes must be a number above 0 such as 5 or 0.5, not "${minutes}".`
  }
  const [project, task] = [option('project'), option('task')]
  const slug = project === null ? null : projectSlug(project)
  if (slug === '') return '--project needs at least one letter, digit, "-" or "_".'
  if (task !== null && !pathPart.test(task)) return '--task must be 1 to 128 letters, digits, "-" or "_".'
  return {
    eur: numberOrNull(eur),
    iterations: numberOrNull(iterations),
    minutes: numberOrNull(minutes),
    project: slug,
    task,
    words: [program, ...rest],
  }
}

/** Plain decimals only: `5,00`, `1e3` and `0x10` mean something else to somebody. Six digits keep every sum exact. */
export const decimal = /^\d{1,6}(\.\d{1,9})?$/
/** Whole numbers of at most six digits. */
export const whole = /^\d{1,6}$/

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text)
}
