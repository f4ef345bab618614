import type { CallFacts, CallWarning, DescribedCall, ReceivedCall, Refusal } from '../call.ts'
import type { ChoiceAsk } from '../dialects/choiceAsk.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import type { ContextWindowState } from './contextWindow.ts'
import type { LoopGuardState } from './loop.ts'
import type { StormGuardState } from './storm.ts'
import type { TaskGuardState } from './taskCeilings.ts'
import type { VelocityGuardState } from './velocity.ts'

/**
 * The guard stack. A guard is a pure function of the call, the limits and what the gate knows at this moment; a new guard
 * is one file and one line in `stack.ts`. All are evaluated, the most severe verdict wins, the others are listed with it.
 */

/** What a guard may look at besides the call. Plain values, taken once per call. */
export interface GuardState {
  readonly nowMs: number
  /** Calls of this key in the last minute and now in flight. */
  readonly callsLastMinute: number
  readonly tokensLastMinute: number
  readonly inFlight: number
  readonly oldestCallAgeMs: number
  /** True where the model has a price, or needs none. */
  readonly priced: boolean
  /** A euro cap applies to one of the call's scopes, to its task or to its minute. */
  readonly euroCapApplies: boolean
  /** The first of the call's models that has no price; absent where the asked one is meant. */
  readonly unpricedModel?: string
  /** Known model names near an unknown one, for its message. */
  readonly priceSuggestions: readonly string[]
  /** A price tier that the configuration denies, as `service_tier=ultrafast`, or null. */
  readonly deniedTier: string | null
  readonly unpricedPolicy: 'refuse' | 'dearest' | 'free'
  /** The model's own output maximum where it is known. */
  readonly modelMaxOutputTokens: number | null
  /** Absent for a call without a task. */
  readonly task?: TaskGuardState
  /** Absent for a call without a transcript. */
  readonly loop?: LoopGuardState
  /** Only where the call begins a task. */
  readonly storm?: StormGuardState
  /** Absent where the plan has no bound. */
  readonly velocity?: VelocityGuardState
  /** Absent in dialects that produce one plain answer. */
  readonly choices?: ChoiceAsk
  /** Absent where the prompt fits into every window, and where nothing is known of the model's. */
  readonly contextWindow?: ContextWindowState
}

/** A call that a guard judges. */
export interface GuardedCall {
  readonly received: ReceivedCall
  readonly facts: CallFacts
}

/** A guard's answer. */
export type Verdict =
  | { readonly kind: 'allow' }
  | {
      readonly kind: 'change'
      readonly edits: readonly FieldEdit[]
      /** As `x-tollgate-changes` says it: `max_tokens=4096`. */
      readonly says: readonly string[]
      readonly outputCeiling?: number
      /** Said of the call, which goes on. */
      readonly warnings?: readonly CallWarning[]
    }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }

/** Nothing to say. */
export const allow: Verdict = { kind: 'allow' }

/** One guard. */
export interface Guard {
  readonly name: string
  readonly judge: (call: GuardedCall, state: GuardState) => Verdict
}

/** Outcome of the whole stack. */
export type StackVerdict =
  | {
      readonly kind: 'pass'
      readonly described: Pick<DescribedCall, 'edits' | 'changes' | 'outputCeiling' | 'warnings'>
    }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
