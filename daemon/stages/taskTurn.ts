import type { CallFacts, ReceivedCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import { isStart } from '../tasks/storm.ts'
import { humanOpensTask } from '../transcript/humanTurn.ts'
import type { Placement } from '../transcript/lineage.ts'

/**
 * The task of a session that the latest human message opened: `<session>-<number>`.
 *
 * In a conversation that its client names, every call counts for the open task, whichever agent makes it, and goes on in it
 * after a restart. Where only the transcript tells conversations apart, or a name that a whole program shares (a
 * `prompt_cache_key`), a request that begins a transcript always opens a task, and each transcript stays with its own: the
 * same prompt that is sent again after a failure, or an hour later, must not meet the counters of its first try.
 */
export function taskTurn(
  gate: Gate,
  received: ReceivedCall,
  facts: CallFacts,
  placement: Placement,
  session: string,
  isConversation: boolean,
): string {
  const { turns } = gate.memory
  const { thread } = placement
  const opens = humanOpensTask({
    humans: facts.transcript.humans,
    newFrom: placement.newFrom,
    arrivedAtMs: received.receivedAtMs,
    previousAnswerEndedAtMs: placement.previousAnswerEndedAtMs,
    bySubAgent: received.isSubAgent,
  })
  // What the SDK says to be a retry is the same try: it counts where the first one did (L02).
  const begins = !isConversation && !received.isRetry && isStart(facts.transcript)
  const latest = turns.get(session) ?? (isConversation ? gate.ledger.latestTurn(session) : null) ?? 0
  const isNew = opens || begins || latest === 0
  const number = isNew ? latest + 1 : isConversation ? latest : (thread.turn ?? latest)
  thread.turn = number
  turns.set(session, Math.max(latest, number))
  return `${session}-${number}`
}
