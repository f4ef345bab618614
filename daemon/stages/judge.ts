import type { AdmittedCall, CallFacts, DescribedCall, ReceivedCall, Refusal } from '../call.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import type { Gate } from '../gate.ts'
import type { ContextWindowState } from '../guards/contextWindow.ts'
import type { Guard } from '../guards/guard.ts'
import { runStack } from '../guards/stack.ts'
import { sentFacts } from './contextWindow.ts'
import { placedState } from './place.ts'
import type { Placed } from './place.ts'
import { guardState } from './terms.ts'
import type { Terms } from './terms.ts'

/** A call that has its place and waits for the guards. */
export interface JudgedCall {
  readonly received: ReceivedCall
  readonly facts: CallFacts
  readonly terms: Terms
  readonly placed: Placed
  readonly window: ContextWindowState | null
  /** What was changed before the guards, as `x-tollgate-changes` says it. */
  readonly changes: readonly string[]
  readonly degradedTo: string | null
}

/** Asks every guard: the call as it may go on, or the refusal of the most severe one. */
export function judge(gate: Gate, judged: JudgedCall, guards: readonly Guard[]): DescribedCall | Refusal {
  const { received, facts, terms, placed, window } = judged
  const state = {
    ...guardState(gate, received, facts, terms),
    ...placedState(gate, placed, received, terms),
    ...(window === null ? {} : { contextWindow: window }),
  }
  const verdict = runStack(guards, { received, facts }, state)
  if (verdict.kind === 'refuse') return verdict.refusal
  const { edits, changes, outputCeiling, warnings } = verdict.described
  const usageEdit = gate.withoutUsageOption.has(received.upstream.baseUrl) ? null : includeUsageEdit(facts.includeUsage)
  return {
    ...received,
    facts: sentFacts(facts, edits),
    task: placed.task,
    session: placed.session,
    taskState: placed.state,
    outputCeiling,
    edits: usageEdit === null ? edits : [...edits, usageEdit],
    changes: [...judged.changes, ...changes, ...(usageEdit === null ? [] : [usageChange])],
    warnings,
    hideUsageChunk: usageEdit !== null,
    degradedTo: judged.degradedTo,
  }
}

const usageField = 'stream_options'
const usageChange = 'include_usage'

/** The call as it goes to a server that refuses the option which was put in for the usage. */
export function withoutUsageEdit(call: AdmittedCall): AdmittedCall {
  return {
    ...call,
    hideUsageChunk: false,
    edits: call.edits.filter((edit) => edit.path[0] !== usageField),
    changes: call.changes.filter((change) => change !== usageChange),
  }
}

/** Asks for the usage of a stream where the client did not; the extra chunk is hidden from it again (B01). */
function includeUsageEdit(includeUsage: CallFacts['includeUsage']): FieldEdit | null {
  switch (includeUsage) {
    case 'inject':
      return { path: [usageField], value: { include_usage: true } }
    case 'replace-false':
      return { path: [usageField, 'include_usage'], value: true }
    case 'present':
    case 'not-applicable':
      return null
  }
}
