import type { NanoEur } from '../../shared/money.ts'
import { noUsage } from '../../shared/usage.ts'
import type { AdmittedCall, SettledCall } from '../call.ts'
import { vendorNamed } from '../dialects/vendors.ts'
import type { Gate } from '../gate.ts'
import { servedTier } from '../money/servedTier.ts'
import { settleUsage } from '../settlement.ts'
import type { Answered } from './answer.ts'
import { settledCost } from './settledCost.ts'
import type { Terms } from './terms.ts'

/** A settled call with what the observers want to know about its end. */
export interface Settled {
  readonly call: SettledCall
  readonly usageMissing: boolean
  /** The provider said what it charged, and no table decided. */
  readonly priceReported: boolean
  /** A part of the usage had no rate of its own. */
  readonly priceUncertain: boolean
  /** The tier that was served; null is the ordinary one. */
  readonly tier: string | null
  readonly durationMs: number
}

/** Works out what the call used and cost: once, from what the provider reported or what is known to have gone out. */
export function settle(gate: Gate, call: AdmittedCall, terms: Terms, answered: Answered): Settled {
  const facts = answered.reader?.facts ?? null
  const { settlement, outcome, usage, usageMissing } = settleUsage({
    ending: answered.ending,
    status: answered.status,
    streamed: answered.streamed,
    answer: facts,
    estimatedInputTokens: call.estimatedInputTokens,
    producesOutput: call.facts.producesOutput,
    reservedOutputTokens: (call.outputCeiling ?? 0) * call.facts.choices,
    billsAfterAbort: call.upstream.dialect === 'gemini' || vendorNamed(call.facts.vendor).billsAfterAbort,
  })
  const settledAtMs = gate.nowMs()
  const tier = { ...call.facts.tier, ...facts?.serviceTier }
  const cost = settledCost(terms, call, { settlement, usage }, facts, tier)
  return {
    call: {
      ...call,
      settlement,
      outcome,
      usage,
      costNanoEur: cost.nanoEur,
      status: answered.status,
      finish: facts?.finish ?? null,
      responseModel: facts?.model ?? null,
      settledAtMs,
    },
    usageMissing,
    tier: servedTier(tier),
    priceReported: cost.isReported,
    priceUncertain: cost.isUncertain,
    durationMs: Math.max(0, settledAtMs - call.receivedAtMs),
  }
}

/** How the price of a call goes into the ledger: as what is spent, or only as what it would have cost. */
export function chargedAs(
  { isListPrice }: Pick<AdmittedCall, 'isListPrice'>,
  nanoEur: NanoEur,
): { readonly costNanoEur: NanoEur; readonly listNanoEur: NanoEur } {
  return isListPrice ? { costNanoEur: 0, listNanoEur: nanoEur } : { costNanoEur: nanoEur, listNanoEur: 0 }
}

/**
 * Settles a call that a fault of the gate ended. What the provider did is not known any more, so that the whole reservation
 * stays spent; a call that was settled before is left as it is.
 */
export function settleFault(gate: Gate, call: AdmittedCall): void {
  const settledAtMs = gate.nowMs()
  const input = Math.min(call.estimatedInputTokens, call.reservedTokens)
  gate.ledger.settle({
    callId: call.id,
    settlement: 'estimated',
    outcome: 'gate_fault',
    usage: { ...noUsage, input, output: call.reservedTokens - input },
    ...chargedAs(call, call.reservedNanoEur),
    status: null,
    finish: null,
    responseModel: null,
    settledAtMs,
    durationMs: Math.max(0, settledAtMs - call.receivedAtMs),
    firstByteMs: null,
    warnings: [],
  })
}
