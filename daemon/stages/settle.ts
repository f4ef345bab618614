import { noUsage } from '../../shared/usage.ts'
import type { AdmittedCall, SettledCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import { settleUsage } from '../settlement.ts'
import type { Answered } from './answer.ts'
import type { Terms } from './terms.ts'

/** A settled call with what the observers want to know about its end. */
export interface Settled {
  readonly call: SettledCall
  readonly usageMissing: boolean
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
  })
  const settledAtMs = gate.nowMs()
  const tier = { ...call.facts.tier, ...facts?.serviceTier }
  const costNanoEur = terms.price === null ? 0 : terms.price.cost(usage, tier, call.receivedAtMs)
  return {
    call: {
      ...call,
      settlement,
      outcome,
      usage,
      costNanoEur,
      status: answered.status,
      finish: facts?.finish ?? null,
      responseModel: facts?.model ?? null,
      settledAtMs,
    },
    usageMissing,
    durationMs: Math.max(0, settledAtMs - call.receivedAtMs),
  }
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
    costNanoEur: call.reservedNanoEur,
    status: null,
    finish: null,
    responseModel: null,
    settledAtMs,
    durationMs: Math.max(0, settledAtMs - call.receivedAtMs),
    firstByteMs: null,
    warnings: [],
  })
}
