import { BoundedMap } from './boundedMap.ts'
import { StoredAnswers, statesSince } from './storedAnswers.ts'
import type { PendingCall } from './pairing.ts'
import { isWaiting, newThread, ThreadIndex } from './threads.ts'
import type { Match, Session, Thread } from './threads.ts'
import type { ToolState, TranscriptFacts } from './transcript.ts'

/**
 * Which session a request belongs to, and what of its transcript is new.
 *
 * The invariant: forgetting never counts twice. What is not known to be new is taken as old, so that a conversation whose
 * memory was evicted does not have its past messages, steps and human turns counted again (M11). The oldest requests are
 * forgotten one by one; the memory is never emptied at once.
 */

/** Requests of which the last digest is kept: about 300 bytes each. */
const defaultRequests = 8192

/** Explicit sessions that are kept apart from their requests. */
const defaultSessions = 2048

/** An answer that the provider keeps, so that a request may go on from it. */
export interface ProviderAnswer {
  readonly responseId: string
  /** Tool calls in it; null where they are not known. */
  readonly calls: readonly PendingCall[] | null
}

/** A request to place. */
export interface LineageAsk {
  /** Who calls. Transcripts of different accounts are never compared: one must not meet the counters of another. */
  readonly account: string
  /** Digest of the client's own session id, which takes precedence; null where it names none. */
  readonly explicitSession: string | null
  readonly facts: TranscriptFacts
  /** The client's SDK says that it repeats a request. */
  readonly isRetry: boolean
  /** Id of an answer that the provider keeps and this request goes on from. */
  readonly previousResponseId: string | null
}

/** Where a request belongs. */
export interface Placement {
  readonly session: string
  /** No earlier request of this session is known: it opens a task. */
  readonly isNew: boolean
  /** Index of the first message that no earlier request can have carried. */
  readonly newFrom: number
  /** A known session goes on with a transcript that continues none of its others, or is shorter: its counters stay (K13). */
  readonly compacted: boolean
  /** When the latest call of this session ended, of which `ended` was told; null while none has. */
  readonly previousAnswerEndedAtMs: number | null
  /** Messages of the request. */
  readonly messages: number
  /** Messages of the conversation that the provider keeps and the request does not carry. */
  readonly messagesBefore: number
  /**
   * Tool calls with their results in the whole conversation, as far as it is known. Indexes count from its beginning, as
   * `loopWindow` does, and not from that of the request.
   */
  readonly toolStates: readonly ToolState[]
  /** What the assistant said in the request itself, by the same indexes. */
  readonly narration: TranscriptFacts['narration']
  /** For `loopWindow` and `ended`; nothing to read. */
  readonly thread: Thread
}

/** Recognises requests as continuations of earlier ones, by salted digests only. Bounded memory. */
export class Lineage {
  readonly #createId: () => string
  readonly #threads: ThreadIndex
  readonly #named: BoundedMap<Session>
  readonly #answers: StoredAnswers

  /** `createId` names a session that the client does not name. */
  constructor(
    createId: () => string,
    maxRequests = defaultRequests,
    maxSessions = defaultSessions,
    answers = new StoredAnswers(),
  ) {
    this.#createId = createId
    this.#threads = new ThreadIndex(maxRequests)
    this.#named = new BoundedMap(maxSessions)
    this.#answers = answers
  }

  /** Digests kept. */
  get size(): number {
    return this.#threads.size
  }

  /** Places a request and remembers it. Null for one that has no messages and goes on from nothing known (embeddings). */
  place(ask: LineageAsk): Placement | null {
    const { facts, explicitSession } = ask
    const known = explicitSession === null ? undefined : this.#named.get(explicitSession)
    const named = known ?? (explicitSession === null ? null : newSession(explicitSession, ask.account, explicitSession))
    if (named !== null && known === undefined) this.#named.set(named.name, named)
    const continued = this.#goOnFromAnswer(named, ask)
    if (continued === null && named === null && facts.chain.length === 0) return null
    const placed =
      continued ??
      this.#goOnFromTranscript(named, ask) ??
      placement(
        facts,
        newThread(named ?? newSession(this.#createId(), ask.account, '')),
        known === undefined,
        trailingHumans(facts),
        !!known,
      )
    this.#threads.remember(placed.thread, facts, placed.messagesBefore)
    return placed
  }

  /**
   * Index of the conversation's message from which repetition counts. `task` is the task that the call belongs to, or any
   * name that changes when the window shall restart. A task that is new to the transcript begins behind everything in it
   * (K14); a transcript that is new to a running task is counted from its last human message.
   */
  loopWindow({ thread }: Placement, task: string): number {
    if (thread.task !== task) {
      const isJoining = thread.task === null && thread.session.task === task
      thread.loopFrom = isJoining ? thread.lastHuman + 1 : thread.length
      thread.task = task
      thread.session.task = task
    }
    return thread.loopFrom
  }

  /**
   * Tells that a call ended: answered, failed or refused. What got no answer is a retry when it comes again; what was answered
   * or is still under way is somebody else's or a new start. `answer` is what the provider keeps of it; a call that was
   * refused leaves none and so adds no step (K09).
   */
  ended(placed: Placement, atMs: number, isAnswered: boolean, answer: ProviderAnswer | null = null): void {
    const { thread, toolStates: states, messagesBefore } = placed
    thread.latest = isAnswered ? 'answered' : 'failed'
    thread.session.endedAtMs = Math.max(thread.session.endedAtMs ?? 0, atMs)
    if (answer === null) return
    const length = messagesBefore + placed.messages + 1
    this.#answers.remember(answer.responseId, { thread: { ...thread }, length, states, calls: answer.calls })
  }

  /** Goes on from an answer that the provider keeps: the request holds what is new and nothing else. */
  #goOnFromAnswer(named: Session | null, { previousResponseId, facts }: LineageAsk): Placement | null {
    const stored = previousResponseId === null ? null : this.#answers.find(previousResponseId)
    if (stored === null || (named !== null && named !== stored.thread.session)) return null
    const { length, thread } = stored
    return {
      ...placement(facts, { ...thread }, false, 0, false),
      messagesBefore: length,
      toolStates: statesSince(stored, facts),
      narration: facts.narration.map(({ message, digest }) => ({ message: length + message, digest })),
    }
  }

  #goOnFromTranscript(named: Session | null, { account, facts, isRetry }: LineageAsk): Placement | null {
    const match = this.#threads.find({ account, namespace: named?.namespace ?? '' }, facts.chain, isRetry)
    if (match === null || (named === null && isRestart(match, facts, isRetry))) return null
    const { thread, at } = match
    if (isWaiting(thread, facts.chain[at])) return placement(facts, thread, false, at + 1, false)
    // A branch, a fork, a transcript cut short or edited: only what stands at its very end is surely new.
    const newFrom = Math.max(at + 1, trailingHumans(facts))
    const isShorter = facts.chain.length <= thread.length
    if (!isShorter && !match.isEnd) return placement(facts, thread, false, newFrom, false)
    // A longer branch keeps the steps that it shares in its window; a shorter one starts a window of its own.
    const { turn } = thread
    const branch = isShorter
      ? { ...newThread(thread.session), turn }
      : { ...newThread(thread.session), turn, task: thread.task, loopFrom: thread.loopFrom }
    return placement(facts, { ...branch, first: '' }, false, newFrom, isShorter)
  }
}

/** The same first request again although it needs no retry: the same thing was started once more. */
function isRestart({ thread, at }: Match, { chain }: TranscriptFacts, isRetry: boolean): boolean {
  const isStart = at === chain.length - 1 && thread.first === chain[at]
  return isStart && !isRetry && !(isWaiting(thread, chain[at]) && thread.latest === 'failed')
}

function newSession(name: string, account: string, namespace: string): Session {
  return { name, account, namespace, task: null, endedAtMs: null }
}

/** Of a request that carries its whole conversation. */
function placement(
  { chain, toolStates, narration }: TranscriptFacts,
  thread: Thread,
  isNew: boolean,
  newFrom: number,
  compacted: boolean,
): Placement {
  const { name, endedAtMs } = thread.session
  return {
    session: name,
    isNew,
    newFrom,
    compacted,
    previousAnswerEndedAtMs: endedAtMs,
    messages: chain.length,
    messagesBefore: 0,
    toolStates,
    narration,
    thread,
  }
}

/** Where the human messages begin that end the transcript; its length where it ends otherwise. */
function trailingHumans({ chain, humans }: TranscriptFacts): number {
  let from = chain.length
  for (const human of humans.toReversed()) {
    if (human !== from - 1) break
    from = human
  }
  return from
}
