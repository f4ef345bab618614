import type { LoopStatus } from '../../shared/status.ts'
import type { LoopVerdict } from './task.ts'

/** Conversations of which is known that they repeat themselves. */
const mostConversations = 2048

/**
 * A halted conversation that has been silent for this long, in milliseconds, while its task went on without it, is left: a
 * script that was started again under the same id is not halted because its last run was.
 */
const leftAfterMs = 600_000

/** How the repetition of a conversation stood at its last call. */
export interface LoopStanding {
  readonly task: string
  readonly verdict: LoopVerdict
  /** Since when it is refused, in milliseconds since the epoch; null while it is not. */
  readonly haltedAtMs: number | null
  readonly lastCallMs: number
}

/**
 * The conversations that repeat themselves. By conversation, because the sub-agents of a task have the task in common and not
 * what they repeat (K02). Bounded, in memory; time is passed in.
 */
export class LoopBook {
  /** By the conversation's number; the one that was judged last is the last. */
  readonly #standings = new Map<number, LoopStanding>()

  /** Notes the verdict on a conversation's call, and says whether it is news that has to be told. */
  judged(conversation: number, task: string, verdict: LoopVerdict, nowMs: number): boolean {
    const before = this.#standings.get(conversation)
    this.#standings.delete(conversation)
    if (verdict.state === 'ok') return false
    const isNews = before?.task !== task || before.verdict.state !== verdict.state
    const haltedAtMs = verdict.state !== 'halted' ? null : isNews ? nowMs : before.haltedAtMs
    this.#standings.set(conversation, { task, verdict, haltedAtMs, lastCallMs: nowMs })
    if (this.#standings.size > mostConversations) this.#forgetOldest()
    return isNews
  }

  /** How a conversation stands; undefined where it does not repeat itself. */
  of(conversation: number): LoopStanding | undefined {
    return this.#standings.get(conversation)
  }

  /** The latest halt among the conversations of a task whose last call came at `lastCallMs`; null where none is halted. */
  haltOf(task: string, lastCallMs: number): LoopStatus | null {
    let latest: (LoopStanding & { readonly haltedAtMs: number }) | null = null
    for (const standing of this.#standings.values()) {
      const { haltedAtMs } = standing
      if (standing.task !== task || haltedAtMs === null || lastCallMs - standing.lastCallMs > leftAfterMs) continue
      if (latest === null || haltedAtMs >= latest.haltedAtMs) latest = { ...standing, haltedAtMs }
    }
    if (latest === null) return null
    const { tool, repeats, cycleLength } = latest.verdict
    return { tool, repeats, cycleLength, haltedAt: new Date(latest.haltedAtMs).toISOString() }
  }

  /** A person lets a task go on: its conversations are looked at anew. */
  resumed(task: string): void {
    for (const [conversation, standing] of this.#standings)
      if (standing.task === task) this.#standings.delete(conversation)
  }

  #forgetOldest(): void {
    const [oldest] = this.#standings.keys()
    if (oldest !== undefined) this.#standings.delete(oldest)
  }
}
