import assert from 'node:assert/strict'
import type { CallFacts, ReceivedCall, Refusal } from '../../../daemon/call.ts'
import { basePlan, builtInPlans } from '../../../daemon/config/defaults.ts'
import type { Guard, GuardState, Verdict } from '../../../daemon/guards/guard.ts'
import type { Plan } from '../../../shared/config.ts'
import { admittedCall } from '../tasks/calls.ts'

/** A moment at which no guard has anything to say. */
export const calmState: GuardState = {
  nowMs: 0,
  callsLastMinute: 0,
  tokensLastMinute: 0,
  inFlight: 0,
  oldestCallAgeMs: 0,
  priced: true,
  euroCapApplies: true,
  priceSuggestions: [],
  deniedTier: null,
  unpricedPolicy: 'refuse',
  modelMaxOutputTokens: null,
}

/** The limits of the built-in plan `chat` that the guards on size read. */
export const chatPlan: Partial<Plan> = {
  maxMessageChars: builtInPlans['chat']!.maxMessageChars!,
  maxConversationTokens: builtInPlans['chat']!.maxConversationTokens!,
  maxOutputTokens: builtInPlans['chat']!.maxOutputTokens!,
}

/** What differs from a plain call of plan `agent`. */
export interface Change {
  readonly facts?: Partial<CallFacts>
  readonly state?: Partial<GuardState>
  readonly plan?: Partial<Plan>
  readonly received?: Partial<ReceivedCall>
  readonly planName?: string
}

export function judgeBy(guard: Guard, change: Change = {}): Verdict {
  const { facts, ...received } = admittedCall()
  const planName = change.planName ?? 'agent'
  const identity = { ...received.identity, planName, plan: { ...basePlan, ...change.plan } }
  return guard.judge(
    { received: { ...received, identity, ...change.received }, facts: { ...facts, ...change.facts } },
    { ...calmState, ...change.state },
  )
}

/** The refusal of a verdict that is one, without any word by which clients take it for a passing fault (`wire.md` B2). */
export function refusalOf(verdict: Verdict): Refusal {
  if (verdict.kind !== 'refuse') assert.fail(`expected a refusal, got ${verdict.kind}`)
  assert.doesNotMatch(
    verdict.refusal.message,
    /rate.?limit|too many requests|quota|overloaded|exhausted|try again|billing|credit balance|context length|context window|too long/i,
  )
  return verdict.refusal
}
