import type { CallFacts, ReceivedCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { GuardState } from '../guards/guard.ts'
import { isStart, taskSignature } from '../tasks/storm.ts'

/**
 * What a task that this request starts is recognised by when it is started again; null where none begins. Only an agent's
 * start is one: a request that offers tools, or that names a task which is new. A script that asks the same question a
 * hundred times starts nothing again.
 */
export function startOf(gate: Gate, received: ReceivedCall, facts: CallFacts, task: string | null): string | null {
  const { transcript } = facts
  if (task === null || received.isRetry || received.isSubAgent || !isStart(transcript)) return null
  const isNamed = received.explicitTask !== null
  if (isNamed && gate.memory.tasks.statusOf(task, received.receivedAtMs) !== null) return null
  if (!isNamed && transcript.toolsDigest === null) return null
  return taskSignature(transcript, transcript.toolsDigest ?? '')
}

/** How often the account has started that task lately. */
export function stormState(gate: Gate, start: string | null, received: ReceivedCall): Pick<GuardState, 'storm'> {
  const { plan, keyId } = received.identity
  if (start === null || plan.storm === null) return {}
  const standing = gate.memory.storm.read(keyId, start, plan.storm.windowSeconds, received.receivedAtMs)
  return { storm: { standing, account: keyId } }
}

/** Counts a start that the guards let through. */
export function countStart(gate: Gate, start: string | null, received: ReceivedCall): void {
  const { plan, keyId } = received.identity
  if (start === null || plan.storm === null) return
  gate.memory.storm.started(keyId, start, plan.storm.starts, received.receivedAtMs)
}
