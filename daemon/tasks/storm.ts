import type { TranscriptFacts } from '../transcript/transcript.ts'
import { RecentMap } from './recentMap.ts'

/** Account and signature pairs that are remembered. */
const mostSignatures = 2000

/** How often a task was started, and when it may be again. */
export interface StormStanding {
  /** Starts of the same task by this account within the window. */
  readonly starts: number
  /** Seconds until the oldest of them leaves the window; 0 where there is none. */
  readonly secondsToNext: number
}

/**
 * What makes two tasks the same one started again: everything up to the first message of a person, and the tools. Null for
 * a request without such a message, which starts nothing that could be recognised. `toolsDigest` comes salted like the
 * transcript's own digests.
 */
export function taskSignature(transcript: TranscriptFacts, toolsDigest: string): string | null {
  const [first] = transcript.humans
  const opening = first === undefined ? undefined : transcript.chain[first]
  return opening === undefined ? null : `${opening}/${toolsDigest}`
}

/**
 * True for the first request of a conversation: nothing comes after the first message of a person. Later requests carry
 * the same signature and start nothing.
 */
export function isStart(transcript: TranscriptFacts): boolean {
  const [first] = transcript.humans
  return first !== undefined && first === transcript.chain.length - 1
}

/**
 * Starts of tasks by account. A supervisor that restarts its agent gets a new task and new counters each time, so that only
 * the account can be held to it. A refused start is not counted: the window empties while the client keeps asking.
 */
export class StormBook {
  readonly #starts = new RecentMap<number[]>(mostSignatures)

  read(account: string, signature: string, windowSeconds: number, nowMs: number): StormStanding {
    const inWindow = (this.#starts.peek(keyOf(account, signature)) ?? []).filter(
      (startMs) => nowMs - startMs < windowSeconds * 1000,
    )
    const [oldest] = inWindow
    const secondsToNext = oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest - nowMs) / 1000 + windowSeconds))
    return { starts: inWindow.length, secondsToNext }
  }

  /** Counts a start that was let through. No more than `starts` are kept, the number that the plan allows. */
  started(account: string, signature: string, starts: number, nowMs: number): void {
    const known = this.#starts.use(keyOf(account, signature), () => [])
    known.push(nowMs)
    if (known.length > starts) known.splice(0, known.length - starts)
  }
}

function keyOf(account: string, signature: string): string {
  return `${account}\n${signature}`
}
