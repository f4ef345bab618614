import type { WarningCode } from '../../shared/codes.ts'
import { eurFromNano } from '../../shared/money.ts'
import { totalInput, totalTokens } from '../../shared/usage.ts'
import type { Refusal, SettledCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import { judgeAnswer, judgeTruncation } from '../observe/truncation.ts'
import type { TruncationVerdict } from '../observe/truncation.ts'
import { warningHeader } from './answer.ts'
import { sayAnomalies, sayResidualDrift } from './anomalies.ts'
import type { Answered } from './answer.ts'
import { sayChanges, spenders } from './place.ts'
import { chargedAs } from './settle.ts'
import type { Settled } from './settle.ts'

/** What has to be known of a settled call before its answer is handed on. */
export interface Recorded {
  readonly warnings: readonly WarningCode[]
  /** Headers that can still go out where the answer was held. */
  readonly lateHeaders: readonly string[]
  /** The answer is not handed on, because the plan turns an answer on a truncated prompt into an error. */
  readonly refusal: Refusal | null
  readonly verdict: TruncationVerdict
}

/** Judges a settled call and puts its settlement into the ledger. What nobody waits for is done by `observe`. */
export function record(gate: Gate, settled: Settled, answered: Answered): Recorded {
  const { call, durationMs } = settled
  const { usage } = call
  const answerFacts = answered.reader?.facts ?? null
  const verdict: TruncationVerdict = isExact(call) ? truncation(gate, settled, totalInput(usage)) : { kind: 'none' }
  const warnings: WarningCode[] = call.warnings.map(({ code }) => code)
  if (verdict.kind === 'truncated') warnings.push('truncated')
  if (call.degradedTo !== null) warnings.push('degraded')
  if (settled.usageMissing) warnings.push('usage_missing')
  if (!call.priced && !call.upstream.free) warnings.push('unpriced_call')
  if (settled.priceUncertain) warnings.push('price_uncertain')
  const ending =
    answerFacts === null || call.outcome !== 'ok'
      ? 'none'
      : judgeAnswer({
          dialect: call.dialect,
          finish: answerFacts.finish,
          visibleChars: answerFacts.visibleChars,
          toolCalls: answerFacts.toolCalls,
          outputTokens: usage.output,
          outputCeiling: call.outputCeiling,
        })
  if (ending !== 'none') warnings.push(ending)

  gate.ledger.settle({
    callId: call.id,
    settlement: call.settlement,
    outcome: call.outcome,
    usage,
    ...chargedAs(call, call.costNanoEur),
    tier: settled.tier,
    status: call.status,
    finish: call.finish,
    responseModel: call.responseModel,
    settledAtMs: call.settledAtMs,
    durationMs,
    firstByteMs: answered.firstByteMs,
    // No warning, but the place where the row says it: reports and drift compare such calls with the table.
    warnings: settled.priceReported ? [...warnings, 'price_reported'] : warnings,
  })
  const isTruncated = verdict.kind === 'truncated'
  // An answer that has begun cannot be taken back; the policy is for those that are held.
  const asError = isTruncated && !answered.streamed && call.identity.plan.truncation?.after === 'error'
  return {
    warnings,
    lateHeaders: isTruncated ? [warningHeader, truncationHeader(verdict)] : [],
    refusal: asError ? truncatedRefusal(call.facts.model, verdict) : null,
    verdict,
  }
}

/** Learns from a recorded call and says what has to be said of it. */
export function observe(gate: Gate, settled: Settled, answered: Answered, { warnings, verdict }: Recorded): void {
  const { call, durationMs } = settled
  const { facts, usage } = call
  const answerFacts = answered.reader?.facts ?? null
  const exact = isExact(call)
  const reported = totalInput(usage)
  // Runs beside the message, or on several models, read more than the prompt that was estimated.
  const isOnePrompt = (answerFacts?.parts.length ?? 0) === 0 && facts.hiddenInput === null
  if (exact && verdict.kind === 'none' && facts.estimate.mediaTokens === 0 && isOnePrompt) {
    const learned = gate.residuals.learn(call.upstreamName, facts.model, facts.estimate, reported)
    if (learned !== null) {
      gate.ledger.saveResidual(learned.upstream, learned.model, learned.ratio, learned.samples)
      sayResidualDrift(gate, learned, call.settledAtMs)
    }
  }
  if (exact) gate.growth.remember(answerFacts?.responseId ?? null, totalTokens(usage))
  if (exact && usage.cacheRead > 0) gate.growth.remember(facts.hiddenInput?.cachedContent ?? null, usage.cacheRead)
  gate.rates.addTokens(call.identity.keyId, call.settledAtMs, totalTokens(usage))
  sayChanges(gate, gate.memory.tasks.settled(call))
  gate.memory.velocity.add(spenders(call.task, call), call.costNanoEur, call.settledAtMs)
  sayAnomalies(gate, call)
  gate.metrics.settled({
    upstream: call.upstreamName,
    dialect: call.dialect,
    model: facts.model,
    inputTokens: reported,
    outputTokens: usage.output,
    durationMs,
    firstByteMs: answered.firstByteMs,
    ...chargedAs(call, call.costNanoEur),
    outcome: call.outcome,
  })
  for (const warning of warnings) gate.metrics.warned(warning)
  announce(gate, settled, warnings, verdict)
}

/** The provider said what the call used, and it came to its end. */
function isExact({ settlement, outcome }: SettledCall): boolean {
  return settlement === 'exact' && outcome === 'ok'
}

function truncation(gate: Gate, settled: Settled, reported: number): TruncationVerdict {
  const { call } = settled
  const { facts } = call
  return judgeTruncation({
    textTokens: facts.estimate.textTokens,
    ratio: gate.residuals.ratio(call.upstreamName, facts.model),
    reportedInputTokens: reported,
    numCtx: facts.ollama?.numCtx ?? null,
    numKeep: facts.ollama?.numKeep ?? null,
    localServer: call.upstream.free,
    previous: gate.growth.lastReported(call.upstreamName, facts.model, facts.estimate.textTokens, reported),
  })
}

function truncationHeader(verdict: Extract<TruncationVerdict, { kind: 'truncated' }>): string {
  return `truncated; estimated=${verdict.estimated}; reported=${verdict.reported}`
}

function truncatedRefusal(model: string, verdict: Extract<TruncationVerdict, { kind: 'truncated' }>): Refusal {
  const message = `${JSON.stringify(model.slice(0, 80))} read ${verdict.reported} of about ${verdict.estimated} tokens and answered on what was left. The call was made and is charged. Send less, or give the model a larger window (Ollama: options.num_ctx, or OLLAMA_CONTEXT_LENGTH of the server).`
  return { code: 'truncated', message, unit: 'tokens', limit: verdict.reported, requested: verdict.estimated }
}

function announce(gate: Gate, settled: Settled, warnings: readonly WarningCode[], verdict: TruncationVerdict): void {
  const { call, durationMs } = settled
  const about = {
    call: call.id,
    task: call.task,
    project: call.identity.project,
    plan: call.identity.planName,
    upstream: call.upstreamName,
    model: call.facts.model,
  }
  gate.events.emit('call_settled', {
    ...about,
    outcome: call.outcome,
    settlement: call.settlement,
    eur: call.isListPrice ? 0 : eurFromNano(call.costNanoEur),
    listPriceEur: call.isListPrice ? eurFromNano(call.costNanoEur) : 0,
    billing: call.billing,
    inputTokens: totalInput(call.usage),
    outputTokens: call.usage.output,
    durationMs,
  })
  for (const { code, fields } of call.warnings) gate.events.emit(code, { ...about, ...fields })
  if (verdict.kind === 'truncated') {
    gate.events.emit('truncated', {
      ...about,
      estimated: verdict.estimated,
      reported: verdict.reported,
      certainty: verdict.certainty,
      ollama: call.facts.ollama !== null,
      numCtx: call.facts.ollama?.numCtx ?? null,
      before: call.identity.plan.truncation?.before ?? null,
      maxNumCtx: call.identity.plan.truncation?.maxNumCtx ?? null,
    })
  }
  for (const warning of warnings) {
    if (warning === 'empty_answer' || warning === 'output_limit') {
      gate.events.emit(warning, { ...about, outputTokens: call.usage.output, finish: call.finish })
    }
  }
}
