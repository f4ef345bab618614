import { nanoFromEur } from '../../shared/money.ts'
import type { TaskGrant } from './task.ts'

/** Room that a person gives to one task. */
export interface GrantAsk {
  readonly eur?: number
  readonly iterations?: number
  readonly minutes?: number
  /** When it ends, in milliseconds since the epoch; null holds for the task's life. */
  readonly untilMs: number | null
}

interface Granted extends TaskGrant {
  readonly untilMs: number | null
}

/** Grants that end at different times; more of them leave the oldest behind. */
const mostTimed = 50

/**
 * The grants of one task. Those without an end are one sum; those with an end are kept apart until it has come. The
 * configured ceiling never moves.
 */
export class GrantList {
  #lasting: TaskGrant = { nanoEur: 0, iterations: 0, wallSeconds: 0 }
  #timed: readonly Granted[] = []

  /** Throws a RangeError for amounts that are no finite number >= 0. */
  add(ask: GrantAsk): void {
    const granted: Granted = {
      nanoEur: nanoFromEur(ask.eur ?? 0),
      iterations: Math.floor(amount(ask.iterations)),
      wallSeconds: amount(ask.minutes) * 60,
      untilMs: ask.untilMs,
    }
    if (granted.untilMs === null) this.#lasting = sum(this.#lasting, granted)
    else this.#timed = [...this.#timed, granted].slice(-mostTimed)
  }

  /** What is granted at a time; an end that has come counts no more. */
  at(nowMs: number): TaskGrant {
    let total = this.#lasting
    for (const granted of this.#timed) {
      if (granted.untilMs !== null && nowMs < granted.untilMs) total = sum(total, granted)
    }
    return total
  }
}

function amount(value: number | undefined): number {
  if (value === undefined) return 0
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not an amount to grant: ${value}`)
  return value
}

function sum(left: TaskGrant, right: TaskGrant): TaskGrant {
  return {
    nanoEur: left.nanoEur + right.nanoEur,
    iterations: left.iterations + right.iterations,
    wallSeconds: left.wallSeconds + right.wallSeconds,
  }
}
