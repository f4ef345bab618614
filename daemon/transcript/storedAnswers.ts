import { BoundedMap } from './boundedMap.ts'
import { CallPairing } from './pairing.ts'
import type { PendingCall } from './pairing.ts'
import type { Thread } from './threads.ts'
import type { ToolState, TranscriptFacts } from './transcript.ts'

/**
 * A request that goes on from an answer which the provider keeps (`previous_response_id`) carries nothing but what is new:
 * results without their calls, and no earlier step. What is missing is remembered here, by the id of the answer.
 *
 * Two invariants. Each answer holds the steps of the way that led to it and no others, so that requests which go on from
 * the same answer never see each other's. And where a step of the way is not known, nothing before it counts: a repetition
 * with a hole in it may have been progress, and a loop that is found late is better than a run that is halted wrongly.
 */

/** What an answer leaves to the request that goes on from it. */
export interface StoredAnswer {
  /** The thread as it stood then, which goes on without this copy. */
  readonly thread: Thread
  /** Messages of the conversation up to and with the answer, which counts as one. */
  readonly length: number
  /** Tool calls with results that may still count, oldest first. */
  readonly states: readonly ToolState[]
  /** Tool calls of the answer; null where they are not known. */
  readonly calls: readonly PendingCall[] | null
}

type Place = Pick<StoredAnswer, 'thread' | 'length'>
type Steps = Pick<StoredAnswer, 'states' | 'calls'>

/** Answers whose conversation is known: about 500 bytes each. */
const defaultAnswers = 8192

/** States and calls of all answers together: about 200 bytes each, and 8 where several answers share them. */
const defaultSteps = 131_072

/** Latest states of one conversation that are kept: 21 rounds of the longest usual cycle, 7 where each step is three calls. */
const mostStates = 128

const forgotten: Steps = { states: [], calls: null }

/**
 * Answers by the id under which the provider keeps them. Bounded: the oldest are forgotten one by one, their steps first.
 * Whose answer it was is known for longer, because a task's counters hang on it.
 */
export class StoredAnswers {
  readonly #places: BoundedMap<Place>
  readonly #steps: BoundedMap<Steps>

  constructor(maxAnswers = defaultAnswers, maxSteps = defaultSteps) {
    this.#places = new BoundedMap(maxAnswers)
    this.#steps = new BoundedMap(maxAnswers, () => true, {
      weigh: ({ states, calls }) => states.length + (calls?.length ?? 0),
      most: maxSteps,
    })
  }

  get size(): number {
    return this.#places.size
  }

  /** States and calls kept. */
  get steps(): number {
    return this.#steps.weight
  }

  /** Null for an answer that was never seen or is forgotten. */
  find(responseId: string): StoredAnswer | null {
    const place = this.#places.get(responseId)
    return place === undefined ? null : { ...place, ...(this.#steps.get(responseId) ?? forgotten) }
  }

  /** `states` are those of the request that was answered, `length` its messages with all that came before. */
  remember(responseId: string, { thread, length, states, calls }: StoredAnswer): void {
    const counting = calls === null ? [] : states.filter(({ message }) => message >= thread.loopFrom)
    this.#places.set(responseId, { thread, length })
    this.#steps.set(responseId, { states: latestTurns(counting), calls })
  }
}

/**
 * The steps of the whole conversation, as far as they are known, for a request that goes on from an answer. Message indexes
 * count from the beginning of the conversation.
 */
export function statesSince({ length, states, calls }: StoredAnswer, facts: TranscriptFacts): readonly ToolState[] {
  const pairing = new CallPairing()
  for (const call of calls ?? []) pairing.open(call.id, call)
  const own = facts.toolStates.map((state) => ({ ...state, message: length + state.message }))
  for (const { callId, message, resultDigest, errorDigest } of facts.openResults) {
    const call = pairing.answer(callId, null)
    if (call === null) return []
    const { tool, callDigest } = call
    own.push({ message: length + message, tool, callDigest, resultDigest, errorDigest })
  }
  return [...states, ...own.sort((one, other) => one.message - other.message)]
}

/** Whole turns only: half of one would look like another step. */
function latestTurns(states: readonly ToolState[]): readonly ToolState[] {
  if (states.length <= mostStates) return states
  let from = states.length - mostStates
  while (from < states.length && isSameTurn(states[from - 1], states[from])) from += 1
  return states.slice(from)
}

function isSameTurn(before: ToolState | undefined, state: ToolState | undefined): boolean {
  return before !== undefined && state !== undefined && state.message - before.message <= 1
}
