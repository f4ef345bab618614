import { BoundedMap } from './boundedMap.ts'
import type { TranscriptFacts } from './transcript.ts'

/** Digests before the last by which a thread of a named session is known although its client edits its latest messages. */
const tailDigests = 4

/** Equal transcripts that are kept apart: the same agent started several times. */
const equalThreads = 16

/** A conversation as its client names it, or as its transcripts show it. */
export interface Session {
  readonly name: string
  readonly account: string
  /** The transcripts of a named session are compared with each other only. */
  readonly namespace: string
  task: string | null
  endedAtMs: number | null
}

/** One growing transcript. A session has several: sub-agents, side questions, branches. */
export interface Thread {
  readonly session: Session
  /** Last digest of its latest request, and the messages of the conversation up to its end. */
  last: string
  length: number
  lastHuman: number
  /** How its latest request fared. */
  latest: 'under way' | 'answered' | 'failed'
  /** Last digest of its first request; null before that, empty for a branch, which has none of its own. */
  first: string | null
  /** Positions in the order of all requests. */
  firstSeen: number
  lastSeen: number
  /** The task that it was judged in, and the message from which its repetitions count there. */
  task: string | null
  loopFrom: number
  /** Number of the task in its session that it counts for; null before its first. */
  turn: number | null
}

/** A thread whose transcript a request shares up to message `at`. */
export interface Match {
  readonly thread: Thread
  readonly at: number
  /** The shared part is the whole of an earlier request. */
  readonly isEnd: boolean
}

interface Seen {
  readonly threads: readonly Thread[]
  readonly isEnd: boolean
}

/** A thread that has not been heard of yet. */
export function newThread(session: Session): Thread {
  return {
    session,
    last: '',
    length: 0,
    lastHuman: -1,
    latest: 'under way',
    first: null,
    firstSeen: 0,
    lastSeen: 0,
    task: null,
    loopFrom: 0,
    turn: null,
  }
}

/** True where the thread's latest request ended with this digest, so that what follows it is its continuation. */
export function isWaiting(thread: Thread, digest: string | undefined): boolean {
  return digest !== undefined && thread.last === digest
}

/** Threads by the digests of their requests. */
export class ThreadIndex {
  readonly #seen: BoundedMap<Seen>
  #requests = 0

  constructor(maxDigests: number) {
    this.#seen = new BoundedMap(maxDigests)
  }

  get size(): number {
    return this.#seen.size
  }

  /**
   * The thread with the longest shared part. Where the same agent runs twice with the same answers, the longest is the other
   * run's: then a thread that waits for just this continuation takes it.
   */
  find(among: Pick<Session, 'account' | 'namespace'>, chain: readonly string[], isRetry: boolean): Match | null {
    let longest: Match | null = null
    for (let at = chain.length - 1; at >= 0; at--) {
      const digest = chain[at] ?? ''
      const seen = digest === '' ? undefined : this.#seen.get(endKey(among, digest))
      const waiting = seen?.threads.findLast((thread) => isWaiting(thread, digest))
      const thread = waiting ?? seen?.threads.at(-1)
      if (seen === undefined || thread === undefined) continue
      const match: Match = { thread, at, isEnd: seen.isEnd }
      const isRepeat = at === chain.length - 1
      if (longest === null) {
        longest = match
        if (waiting !== undefined && (!isRepeat || isRetry || thread.latest === 'failed')) return match
      } else if (waiting !== undefined) {
        const isOthers = isWaiting(longest.thread, chain[longest.at]) || waiting.firstSeen > longest.thread.lastSeen
        if (isOthers) return match
      }
    }
    return longest
  }

  /** Notes that a request of this thread was seen. `messagesBefore` are kept by the provider and are not in its facts. */
  remember(thread: Thread, { chain, humans }: TranscriptFacts, messagesBefore: number): void {
    const { namespace } = thread.session
    const last = chain.at(-1) ?? ''
    const lastHuman = humans.at(-1)
    this.#requests += 1
    if (thread.firstSeen === 0) thread.firstSeen = this.#requests
    thread.first ??= last
    thread.latest = 'under way'
    thread.lastSeen = this.#requests
    thread.last = last
    thread.length = messagesBefore + chain.length
    if (lastHuman !== undefined) thread.lastHuman = messagesBefore + lastHuman
    else if (messagesBefore === 0) thread.lastHuman = -1
    if (namespace !== '') {
      // What stands before the first human message is the same in many conversations.
      const from = Math.max((humans[0] ?? 0) + 1, chain.length - 1 - tailDigests)
      for (const digest of chain.slice(from, -1)) {
        const key = endKey(thread.session, digest)
        if (digest !== '' && !this.#seen.has(key)) this.#seen.set(key, { threads: [thread], isEnd: false })
      }
    }
    if (last === '') return
    const key = endKey(thread.session, last)
    const equal = this.#seen.get(key)
    const others = equal?.isEnd === true ? equal.threads.filter((other) => other !== thread) : []
    this.#seen.set(key, { threads: [...others, thread].slice(-equalThreads), isEnd: true })
  }
}

function endKey({ account, namespace }: Pick<Session, 'account' | 'namespace'>, digest: string): string {
  return `${account} ${namespace} ${digest}`
}
