import type { Config } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { CallFacts, ReceivedCall } from '../call.ts'
import { euroCapApplies, scopesOfCall } from '../budget/scopes.ts'
import type { Gate } from '../gate.ts'
import type { CappedScope } from '../ledger/ledger.ts'
import { modelMaxOutput } from '../money/modelLimits.ts'
import type { PricedModel } from '../money/price.ts'
import type { TieredPriceList } from '../money/table.ts'
import type { GuardState } from '../guards/guard.ts'

/** What a call is charged to and at which price: worked out once, used by the guards, the reservation and the settlement. */
export interface Terms {
  readonly config: Config
  readonly prices: TieredPriceList
  readonly scopes: readonly CappedScope[]
  readonly period: { readonly day: string; readonly month: string }
  /** Null for a free upstream, and where no price is known. */
  readonly price: PricedModel | null
  /** True for a free upstream or a known price. */
  readonly priced: boolean
  readonly usdRate: number
  readonly rateAsOf: string
  readonly estimatedInputTokens: number
}

/** Works out a call's terms. */
export function termsOf(gate: Gate, prices: TieredPriceList, received: ReceivedCall, facts: CallFacts): Terms {
  const config = gate.config()
  const { identity, upstreamName, upstream } = received
  const period = gate.calendar.periods(received.receivedAtMs)
  const granted = gate.grants.inForce(received.receivedAtMs)
  const price = upstream.free ? null : prices.find(upstreamName, upstream.baseUrl, facts.model, received.receivedAtMs)
  return {
    config,
    prices,
    scopes: scopesOfCall(identity, facts.model, received.explicitTask, period, config.budgets, granted),
    period,
    price,
    priced: upstream.free || price !== null || config.prices.unpriced === 'free',
    usdRate: config.currency.usdRate,
    rateAsOf: config.currency.asOf,
    estimatedInputTokens: inputTokensOf(gate, upstreamName, facts),
  }
}

/** The provider's own count as it is; an estimate with what reports have taught, and with what the provider keeps. */
function inputTokensOf(gate: Gate, upstreamName: string, facts: CallFacts): number {
  const { exact, upperTokens } = facts.estimate
  if (exact === true) return upperTokens
  return gate.growth.atLeast(facts, Math.ceil(upperTokens * gate.residuals.factor(upstreamName, facts.model)))
}

/** What the guards may know besides the call. */
export function guardState(gate: Gate, received: ReceivedCall, facts: CallFacts, terms: Terms): GuardState {
  const { keyId } = received.identity
  const minute = gate.rates.read(keyId, received.receivedAtMs)
  const suggest = !terms.priced && terms.config.prices.unpriced === 'refuse'
  return {
    nowMs: received.receivedAtMs,
    callsLastMinute: minute.calls,
    tokensLastMinute: minute.tokens,
    inFlight: gate.inFlight.inSlot(keyId),
    oldestCallAgeMs: minute.oldestAgeMs,
    priced: terms.priced,
    euroCapApplies: euroCapApplies(terms.scopes),
    priceSuggestions: suggest ? terms.prices.suggest(received.upstreamName, facts.model) : [],
    deniedTier: received.upstream.free
      ? null
      : terms.prices.deniedTier(received.upstreamName, received.upstream.baseUrl, facts.tier),
    unpricedPolicy: terms.config.prices.unpriced,
    modelMaxOutputTokens: modelMaxOutput(received.upstreamName, facts.model),
    choices: facts.choiceAsk,
  }
}

/** Worst case of a call for an output over all choices: 0 for a free upstream. */
export function worstCase(terms: Terms, facts: CallFacts, atMs: number, outputTokens: number): NanoEur {
  const { price } = terms
  if (price === null) return 0
  return price.worstCase({
    inputTokens: terms.estimatedInputTokens,
    outputTokens,
    cacheWrite: facts.cacheWrite,
    tier: facts.tier,
    serverTools: facts.serverTools,
    audioInput: facts.estimate.mediaTokens > 0,
    atMs,
  })
}
