import type { Config } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { CallFacts, ReceivedCall } from '../call.ts'
import { euroCapApplies, scopesOfCall } from '../budget/scopes.ts'
import type { Gate } from '../gate.ts'
import type { CappedScope } from '../ledger/ledger.ts'
import { isRateStale, withStaleMargin } from '../money/exchange.ts'
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
  /** Prices of the other models that the provider may run for it. */
  readonly otherPrices: readonly PricedModel[]
  /** The first of its models that has no price; null where each has one, or needs none. */
  readonly unpricedModel: string | null
  /** True for a free upstream or a known price. */
  readonly priced: boolean
  /** The call's euros are shown and count into no budget: it is paid for by a subscription. */
  readonly isListPrice: boolean
  readonly usdRate: number
  readonly rateAsOf: string
  /** The rate is older than 90 days, so that reservations hold a margin. */
  readonly isRateStale: boolean
  readonly estimatedInputTokens: number
}

/** Works out a call's terms. */
export function termsOf(gate: Gate, prices: TieredPriceList, received: ReceivedCall, facts: CallFacts): Terms {
  const config = gate.config()
  const { identity, upstreamName, upstream } = received
  const period = gate.calendar.periods(received.receivedAtMs)
  const granted = gate.grants.inForce(received.receivedAtMs)
  const models = [facts.model, ...(facts.otherModels ?? [])]
  const found = upstream.free
    ? []
    : models.map((model) => prices.find(upstreamName, upstream.baseUrl, model, received.receivedAtMs))
  const unpricedAt = found.indexOf(null)
  const [price = null, ...otherPrices] = found
  return {
    config,
    prices,
    scopes: scopesOfCall(
      identity,
      facts.model,
      received.explicitTask,
      period,
      config.budgets,
      granted,
      facts.otherModels,
    ),
    period,
    price,
    otherPrices: otherPrices.filter((other) => other !== null),
    unpricedModel: models[unpricedAt] ?? null,
    priced: upstream.free || unpricedAt < 0,
    isListPrice: received.billing === 'subscription' && !config.subscriptions.countEuros,
    usdRate: config.currency.usdRate,
    rateAsOf: config.currency.asOf,
    isRateStale: isRateStale(config.currency, received.receivedAtMs),
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
    euroCapApplies: !terms.isListPrice && euroCapApplies(terms.scopes),
    priceSuggestions: suggest ? terms.prices.suggest(received.upstreamName, terms.unpricedModel ?? facts.model) : [],
    ...(terms.unpricedModel === null ? {} : { unpricedModel: terms.unpricedModel }),
    deniedTier: received.upstream.free
      ? null
      : terms.prices.deniedTier(received.upstreamName, received.upstream.baseUrl, facts.tier),
    unpricedPolicy: terms.config.prices.unpriced,
    modelMaxOutputTokens: modelMaxOutput(received.upstreamName, facts.model),
    choices: facts.choiceAsk,
  }
}

/** Worst case of a call for an output over all choices, at the dearest of the models that may run: 0 for a free upstream. */
export function worstCase(terms: Terms, facts: CallFacts, atMs: number, outputTokens: number): NanoEur {
  const { price, otherPrices } = terms
  if (price === null) return 0
  const ask = {
    inputTokens: terms.estimatedInputTokens,
    outputTokens,
    cacheWrite: facts.cacheWrite,
    tier: facts.tier,
    serverTools: facts.serverTools,
    media: facts.estimate.mediaTokens > 0,
    atMs,
  }
  const nanoEur = Math.max(...[price, ...otherPrices].map((model) => model.worstCase(ask)))
  return terms.isRateStale ? withStaleMargin(nanoEur) : nanoEur
}
