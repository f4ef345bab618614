import { noUsage, totalInput } from '../shared/usage.ts'
import type { Usage } from '../shared/usage.ts'
import type { CallOutcome, SettlementKind } from './call.ts'
import type { AnswerFacts } from './dialects/dialect.ts'

/** How the exchange with the provider ended. */
export type Ending =
  /** The provider's answer was delivered to its end. */
  | { readonly kind: 'complete' }
  /** Nothing went out: the provider could not be reached, or the call ended before it was sent. */
  | { readonly kind: 'unsent'; readonly outcome: CallOutcome }
  /** Cut short: by the client, the provider, a timeout, the kill switch. */
  | { readonly kind: 'cut'; readonly outcome: CallOutcome }

/** What a settlement is worked out from. */
export interface SettlementInput {
  readonly ending: Ending
  /** Null where no answer began. */
  readonly status: number | null
  readonly streamed: boolean
  readonly answer: AnswerFacts | null
  /** Calibrated upper estimate, the same that was reserved. */
  readonly estimatedInputTokens: number
  readonly producesOutput: boolean
  /** Output tokens that were reserved over all choices; own counts never settle above it. */
  readonly reservedOutputTokens: number
  /** The provider generates on when its connection closes, and charges for what nobody reads (C07). */
  readonly billsAfterAbort: boolean
}

/** Usage of a call and how sure it is. */
export interface SettledUsage {
  readonly settlement: SettlementKind
  readonly outcome: CallOutcome
  readonly usage: Usage
  /** The provider delivered something and reported nothing. */
  readonly usageMissing: boolean
}

/** Characters per token for counting what was delivered: pessimistic, so that a cut answer is not settled too low. */
const charsPerToken = 3

/**
 * The rule for every end of a call (C01, C05, A23, F06): what the provider reported to the end is taken, whoever closed the
 * connection behind it; a refused request costs nothing; whatever went out and was cut costs its input and what was
 * delivered, or all that was reserved where the provider does not stop; nothing that was delivered costs 0.
 */
export function settleUsage(input: SettlementInput): SettledUsage {
  const { ending, status, answer } = input
  if (ending.kind === 'unsent') {
    return { settlement: 'released', outcome: ending.outcome, usage: noUsage, usageMissing: false }
  }
  // A redirect is passed on and not followed: no model ran.
  if (status !== null && status >= 300) {
    return { settlement: 'exact', outcome: 'upstream_error', usage: noUsage, usageMissing: false }
  }
  const isWhole = ending.kind === 'complete' && answer !== null && (answer.terminal || !input.streamed)
  const outcome = outcomeOf(ending, answer, isWhole)
  const reported = answer?.usage ?? null
  const isKnown = answer !== null && answer.inputKnown && answer.outputKnown
  if (reported !== null && isKnown && (isWhole || answer.usageIsFinal)) {
    return { settlement: 'exact', outcome, usage: reported, usageMissing: false }
  }
  const usage = fill(reported, answer, input.estimatedInputTokens, leastOutput(input, isWhole))
  return { settlement: isWhole ? 'estimated' : 'partial', outcome, usage, usageMissing: isWhole && outcome === 'ok' }
}

function outcomeOf(
  ending: Exclude<Ending, { kind: 'unsent' }>,
  answer: AnswerFacts | null,
  isWhole: boolean,
): CallOutcome {
  if (ending.kind === 'cut') return ending.outcome
  if ((answer?.streamError ?? null) !== null) return 'upstream_error'
  return isWhole ? 'ok' : 'upstream_truncated'
}

/** What the output comes to at least where the provider did not say: never less than was delivered. */
function leastOutput(input: SettlementInput, isWhole: boolean): number {
  const { answer, producesOutput, billsAfterAbort } = input
  const reserved = Math.max(input.reservedOutputTokens, 0)
  if (!producesOutput) return 0
  if (!isWhole && billsAfterAbort) return reserved
  const counted = answer === null ? 0 : countDelivered(answer)
  // An answer that had begun when it was cut has its first token, even if nobody saw it.
  const begun = !isWhole && answer !== null && answer.usage !== null ? 1 : 0
  return Math.min(Math.max(counted, begun), reserved)
}

/** What was reported, and an estimate where nothing was: never below what was visibly delivered. */
function fill(
  reported: Usage | null,
  answer: AnswerFacts | null,
  estimatedInputTokens: number,
  ownOutput: number,
): Usage {
  const known = reported ?? noUsage
  const inputKnown = answer !== null && answer.inputKnown && totalInput(known) > 0
  return {
    ...known,
    input: inputKnown ? known.input : estimatedInputTokens,
    ...(inputKnown ? {} : { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }),
    output: Math.max(known.output, ownOutput),
  }
}

/** Own count of what was delivered: wide characters are up to a token each. */
function countDelivered({ deliveredChars, deliveredWideChars }: AnswerFacts): number {
  return Math.ceil((deliveredChars - deliveredWideChars) / charsPerToken) + deliveredWideChars
}
