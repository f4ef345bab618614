import { RecentMap } from './recentMap.ts'

/**
 * What happens to the calls of a halted task. Each is refused with a sentence. A client that calls on past the grace period
 * reads no sentences: from then on its connection is closed without an answer. Invariants: a call is severed only after
 * another one got the sentence, and never when the task had been silent; what is forgotten (a restart) or wrong (a clock that
 * jumps) is in favour of the client, who is then told once more.
 */

/** What is remembered of the calls of one halted task. Times are milliseconds since the epoch. */
export interface HaltedCalls {
  /** The halt that they follow; another halt begins anew. */
  readonly haltedAtMs: number
  /** From when the grace period counts: the halt, or the first call after a silence. */
  readonly graceFromMs: number
  readonly lastCallMs: number
}

/** The answer to one call of a halted task, and what to remember for the next. */
export interface HaltedVerdict {
  readonly action: 'refuse' | 'sever'
  readonly calls: HaltedCalls
}

/** Silences shorter than this are waiting between two attempts, as clients do it up to a minute. */
const leastSilenceMs = 60_000
const gracesOfSilence = 10

/** How long a task has to be quiet to count as one that has stopped calling, in milliseconds. */
export function silenceMs(graceMs: number): number {
  return Math.max(leastSilenceMs, gracesOfSilence * graceMs)
}

/**
 * Judges a call that comes at `nowMs` from a task that has been halted since `haltedAtMs`. `before` is what was remembered of
 * its refused calls, null for the first.
 */
export function judgeHaltedCall(
  before: HaltedCalls | null,
  haltedAtMs: number,
  graceMs: number,
  nowMs: number,
): HaltedVerdict {
  const known = before !== null && before.haltedAtMs === haltedAtMs ? before : null
  const quietSinceMs = known?.lastCallMs ?? haltedAtMs
  if (nowMs - quietSinceMs >= silenceMs(graceMs)) {
    // Whoever comes back, perhaps after lunch, gets the sentence and the whole grace period again.
    return { action: 'refuse', calls: { haltedAtMs, graceFromMs: nowMs, lastCallMs: nowMs } }
  }
  const graceFromMs = known?.graceFromMs ?? haltedAtMs
  const isOver = nowMs - graceFromMs >= graceMs
  return {
    action: known !== null && isOver ? 'sever' : 'refuse',
    calls: { haltedAtMs, graceFromMs, lastCallMs: nowMs },
  }
}

const mostTasks = 500

/** Remembers the calls of halted tasks, so that each can be judged as it comes. Bounded, in memory; time is passed in. */
export class Supervisor {
  readonly #tasks = new RecentMap<{ calls: HaltedCalls | null }>(mostTasks)

  /** Refuse the call with a sentence, or sever it. `ref` is the task, or the session, that is halted. */
  judge(ref: string, haltedAtMs: number, graceMs: number, nowMs: number): 'refuse' | 'sever' {
    const task = this.#tasks.use(ref, () => ({ calls: null }))
    const { action, calls } = judgeHaltedCall(task.calls, haltedAtMs, graceMs, nowMs)
    task.calls = calls
    return action
  }
}
