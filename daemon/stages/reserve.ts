import type { NanoEur } from '../../shared/money.ts'
import type { AdmittedCall, DescribedCall, Refusal } from '../call.ts'
import { clientName } from '../clientName.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import type { Gate } from '../gate.ts'
import { budgetRefusal } from '../budget/refusal.ts'
import { leastCeiling, setCeiling } from '../guards/outputCeiling.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import type { ReservationAsk, ReservationResult } from '../ledger/ledger.ts'
import { worstCase } from './terms.ts'
import type { Terms } from './terms.ts'

/** A reservation that was refused, or the call with its money held. */
export async function reserve(
  gate: Gate,
  call: DescribedCall,
  terms: Terms,
  signal: AbortSignal,
): Promise<AdmittedCall | Refusal> {
  const { budgets, currency } = terms.config
  let result: ReservationResult
  try {
    result = await gate.admission.admit(askFor(call, terms), budgets.heldWaitMs, signal)
  } catch (fault) {
    return fault instanceof RangeError ? uncountable : ledgerRefusal(fault)
  }
  if (result.kind === 'refused') {
    return budgetRefusal(result, currency.code, gate.calendar.windowEnd(result.scope, gate.nowMs()))
  }
  const clamped = clampTo(call, result.outputTokens)
  return {
    ...call,
    ...clamped,
    reservedNanoEur: terms.isListPrice
      ? worstCase(terms, call.facts, call.receivedAtMs, result.outputTokens)
      : result.reservedNanoEur,
    reservedTokens: result.reservedTokens,
    estimatedInputTokens: terms.estimatedInputTokens,
    usdRate: terms.usdRate,
    priced: terms.priced,
    isListPrice: terms.isListPrice,
  }
}

/** Figures beyond what a sum can hold: not the ledger's fault, and not to be tried again. */
const uncountable: Refusal = {
  code: 'invalid_request',
  message: 'The request asks for more answers or tokens than can be reserved. Nothing was sent to the provider.',
}

/** The refusal of a call that cannot be recorded: fail closed, never "0 spent" (A08). */
export function ledgerRefusal(fault: unknown): Refusal {
  const why = fault instanceof LedgerUnavailable ? fault.message : 'The ledger failed.'
  return { code: 'ledger_unavailable', message: `${why} Nothing was sent to the provider.` }
}

function askFor(call: DescribedCall, terms: Terms): ReservationAsk {
  const { facts, identity } = call
  const outputTokens = (call.outputCeiling ?? 0) * facts.choices
  const price = (output: number): NanoEur => worstCase(terms, facts, call.receivedAtMs, output)
  const least = Math.max(terms.config.budgets.minOutputTokens, leastCeiling(call.dialect, facts))
  return {
    callId: call.id,
    scopes: terms.scopes,
    inputTokens: terms.estimatedInputTokens,
    outputTokens,
    minOutputTokens: Math.min(outputTokens, least * facts.choices),
    ...(terms.isListPrice ? { cost: () => 0, listPrice: price } : { cost: price }),
    row: {
      receivedAtMs: call.receivedAtMs,
      day: terms.period.day,
      month: terms.period.month,
      tenant: identity.tenant,
      user: identity.user,
      project: identity.project,
      task: call.task,
      session: call.session,
      client: clientName(call.userAgent),
      keyId: identity.keyId,
      upstream: call.upstreamName,
      dialect: call.dialect,
      model: facts.model,
      stream: facts.stream,
      isRetry: call.isRetry,
      estimatedInputTokens: terms.estimatedInputTokens,
      usdRate: terms.usdRate,
      rateAsOf: terms.rateAsOf,
      priced: terms.priced,
      billing: call.billing,
      price: terms.price?.provenance(call.receivedAtMs) ?? null,
    },
  }
}

/** A lower ceiling than the one asked for, written into the request; `outputTokens` is over all choices. */
export function clampTo(
  call: DescribedCall,
  outputTokens: number,
): Pick<DescribedCall, 'edits' | 'changes' | 'outputCeiling'> {
  const { facts, outputCeiling } = call
  const perChoice = Math.floor(outputTokens / Math.max(1, facts.choices))
  if (outputCeiling === null || perChoice >= outputCeiling) return call
  const change = setCeiling(facts.outputField, perChoice, facts.ceilings)
  const others = call.edits.filter((edit: FieldEdit) => edit.path.join('.') !== facts.outputField.join('.'))
  const field = `${facts.outputField.at(-1) ?? ''}=`
  return {
    edits: [...others, ...change.edits],
    changes: [...call.changes.filter((said) => !said.startsWith(field)), ...change.says],
    outputCeiling: perChoice,
  }
}
