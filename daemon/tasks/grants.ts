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
  readonly #added = new WeakSet<GrantAsk>()

  /** False where this very grant was added before. Throws a RangeError for amounts that are no finite number >= 0. */
  add(ask: GrantAsk): boolean {
    if (this.#added.has(ask)) return false
    const granted: Granted = {
      nanoEur: nanoFromEur(ask.eur ?? 0),
      iterations: Math.floor(amount(ask.iterations)),
      wallSeconds: amount(ask.minutes) * 60,
      untilMs: ask.untilMs,
    }
    if (granted.untilMs === null) this.#lasting = sum(this.#lasting, granted)
    else this.#timed = [...this.#timed, granted].slice(-mostTimed)
    this.#added.add(ask)
    return true
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

/** Tasks whose grants are known. */
const mostTasks = 1000

/**
 * What was granted to each task, so that one that has not called yet, or was forgotten meanwhile, finds its grants when it
 * calls. A task's window begins with its first call and not with what a person gave it before.
 */
export class GrantsByTask {
  readonly #asks = new Map<string, readonly GrantAsk[]>()

  /** Throws a RangeError for amounts that are no finite number >= 0: here, and not at the task's next call. */
  add(task: string, ask: GrantAsk, nowMs: number): void {
    new GrantList().add(ask)
    const before = this.of(task).filter(({ untilMs }) => untilMs === null || nowMs < untilMs)
    this.#asks.delete(task)
    this.#asks.set(task, [...before, ask])
    const [oldest] = this.#asks.keys()
    if (this.#asks.size > mostTasks && oldest !== undefined) this.#asks.delete(oldest)
  }

  /** Everything that was granted to a task, oldest first. */
  of(task: string): readonly GrantAsk[] {
    return this.#asks.get(task) ?? none
  }
}

const none: readonly GrantAsk[] = []

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
