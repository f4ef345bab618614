import type { IncomingMessage, ServerResponse } from 'node:http'
import { eurFromNano } from '../shared/money.ts'
import type { AdmittedCall, CallFacts, DescribedCall, ReceivedCall, Refusal } from './call.ts'
import type { AnswerReader } from './dialects/dialect.ts'
import { dialectByName } from './dialects/registry.ts'
import { plainPath } from './dialects/routes.ts'
import type { Gate } from './gate.ts'
import type { DescribeRequest } from './describe.ts'
import { guardStack } from './guards/stack.ts'
import { Exchange } from './http/exchange.ts'
import { answer } from './stages/answer.ts'
import { capNotice } from './stages/capNotice.ts'
import { constrain } from './stages/constrain.ts'
import { contextWindowState } from './stages/contextWindow.ts'
import { countExactly, stillCounted } from './stages/exactCount.ts'
import { observe, record } from './stages/observe.ts'
import { cacheKeyOf, degrade, recordingOf, replay } from './stages/degrade.ts'
import { judge, withoutUsageEdit } from './stages/judge.ts'
import { leave, place } from './stages/place.ts'
import type { Placed } from './stages/place.ts'
import { passThrough } from './stages/passThrough.ts'
import { providerAnswer } from './stages/providerAnswer.ts'
import { authenticate, judgeStop, receiveBody, receivedCall } from './stages/receive.ts'
import { reserve } from './stages/reserve.ts'
import { settle, settleFault } from './stages/settle.ts'
import { countStart } from './stages/starts.ts'
import { termsOf } from './stages/terms.ts'
import type { Terms } from './stages/terms.ts'
import { sayRefused } from './stages/sayRefused.ts'
import { clampToTask } from './stages/taskRoom.ts'
import { severs } from './stages/sever.ts'
import type { ProviderAnswer } from './transcript/lineage.ts'

/**
 * The path of a call: receive, authenticate, describe, guard, reserve, forward, tap, settle, observe. A refusal at any step
 * ends it; a fault of ours is answered as a refusal too and nothing goes out that is not recorded.
 */
export async function runCall(gate: Gate, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const receivedAtMs = gate.nowMs()
  const exchange = new Exchange(gate.newCallId(), request, response, gate.config().refusals)
  const refuse = (refusal: Refusal, received: ReceivedCall | null = null): void => {
    sayRefused(gate, exchange, refusal, received)
    exchange.refuse(refusal)
  }

  const addressed = authenticate(gate, exchange)
  if ('code' in addressed) return refuse(addressed)
  const { route } = addressed
  if (route.kind === 'free') return passThrough(gate, exchange, { ...addressed, route }, refuse)

  const bytes = await receiveBody(exchange, addressed.identity)
  if (bytes === null) return
  if ('code' in bytes) return refuse(bytes)

  const dialect = dialectByName(route.dialect)
  const describeRequest: DescribeRequest = {
    dialect: route.dialect,
    upstreamName: addressed.address.upstream,
    upstreamBaseUrl: addressed.upstream.baseUrl,
    path: plainPath(route.path),
    upstreamDialect: addressed.upstream.dialect,
    estimator: addressed.identity.plan.estimator,
  }
  const described = await gate.describer.describe(bytes, describeRequest)
  const received = receivedCall(exchange, { ...addressed, route }, described.bytes, receivedAtMs)
  if (!described.description.ok)
    return refuse({ code: 'invalid_request', message: described.description.problem }, received)
  const { facts } = described.description
  const cacheKey = cacheKeyOf(gate, exchange, received)

  const prepared = await prepare(gate, exchange, received, facts, describeRequest)
  if (prepared === null) return
  if ('code' in prepared) return refuse(prepared, received)
  const { call, placed, progress } = prepared
  let { terms } = prepared

  const share = gate.rates.begin(call.identity.keyId, call.facts.estimate.upperTokens)
  let held: AdmittedCall | null = null
  let isAnswered = false
  let kept: ProviderAnswer | null = null
  try {
    let admitted = await reserve(gate, clampToTask(call, placed, terms), terms, exchange.signal)
    if ('code' in admitted) {
      const degraded = await degrade(gate, exchange, call, placed, describeRequest, cacheKey, admitted)
      const { cancellation } = exchange
      if (degraded?.kind === 'cached') {
        isAnswered = true
        return replay(exchange, call, degraded.answer)
      }
      if (degraded === null) {
        if (cancellation?.kind === 'gone') return
        return refuse(cancellation?.refusal ?? admitted, received)
      }
      ;({ admitted, terms } = degraded)
    }
    held = admitted
    share.admitted(receivedAtMs)
    gate.events.emit('call_started', {
      call: call.id,
      tenant: call.identity.tenant,
      user: call.identity.user,
      task: call.task,
      upstream: admitted.upstreamName,
      model: admitted.facts.model,
      heldEur: admitted.isListPrice ? 0 : eurFromNano(admitted.reservedNanoEur),
    })
    gate.memory.tasks.started(admitted)
    const watch = (reader: AnswerReader): void => {
      // Some providers state a first guess at the start of a stream.
      progress.outputTokens = () =>
        Math.max(reader.facts.usage?.output ?? 0, Math.ceil(reader.facts.deliveredChars / 4))
    }
    const recording = recordingOf(cacheKey, admitted)
    const company = { onReader: watch, recording, capNotice: capNotice(gate, admitted, terms) }
    let answered = await answer(gate, exchange, dialect, admitted, company)
    if (answered.refusesUsageOption) {
      answered = await answer(gate, exchange, dialect, withoutUsageEdit(admitted), company)
      // An error that only quotes the option is no proof against it.
      if (answered.status !== null && answered.status < 400) gate.withoutUsageOption.add(admitted.upstream.baseUrl)
    }
    const settled = settle(gate, admitted, terms, answered)
    const recorded = record(gate, settled, answered)
    isAnswered = settled.call.outcome === 'ok'
    gate.inFlight.remove(call.id)
    if (recorded.refusal === null || response.headersSent) answered.deliver(recorded.lateHeaders)
    else exchange.refuse(recorded.refusal)
    // The client has its answer; nothing that it sends is read before this is done as well.
    kept = providerAnswer(gate, received, answered.reader)
    observe(gate, settled, answered, recorded)
    const refusal = answered.refusal ?? recorded.refusal
    if (refusal !== null) sayRefused(gate, exchange, refusal, received)
    const whole = isAnswered && recorded.refusal === null ? (recording?.answer() ?? null) : null
    if (cacheKey !== null && whole !== null) gate.answers.keep(cacheKey, whole, gate.nowMs())
  } catch (fault) {
    // A fault of ours must not leave money held for a call that is over. Where it was settled before, that stands.
    if (held !== null) settleFault(gate, held)
    throw fault
  } finally {
    share.ended()
    gate.inFlight.remove(call.id)
    leave(gate, call.id, placed, isAnswered, kept)
  }
}

/** A call that the guards let go on, in its place and at its price. */
interface Prepared {
  readonly call: DescribedCall
  readonly placed: Placed
  readonly terms: Terms
  /** What of its answer has come; the status asks for it. */
  readonly progress: { outputTokens: () => number }
}

/**
 * Counts, places, constrains and judges a call, and enters it among those in flight. What is placed is counted in its task, so
 * that every way out of here that is not `Prepared` gives it back. Null where nobody waits for an answer: the client left, or the supervisor cut it off.
 */
async function prepare(
  gate: Gate,
  exchange: Exchange,
  asked: ReceivedCall,
  described: CallFacts,
  describeRequest: DescribeRequest,
): Promise<Prepared | Refusal | null> {
  const { request } = exchange
  const prices = await gate.priceBook.prices()
  let received = asked
  let facts = await countExactly(gate, request, received, described, prices)
  let terms = termsOf(gate, prices, received, facts)
  const placed = place(gate, received, facts, terms)
  let isPrepared = false
  try {
    const constrained = await constrain(gate, received, facts, terms, placed, describeRequest)
    if (constrained !== null) {
      ;({ received } = constrained)
      facts = stillCounted(facts, constrained.facts)
      terms = termsOf(gate, prices, received, facts)
    }
    const window = await contextWindowState(gate, received, facts, terms, request.rawHeaders)
    // While the body came in, the client may have left and a switch may have been thrown. From here to `inFlight.add` nothing
    // waits, not even for a promise that is kept already, and after it the switch finds the call.
    if (exchange.signal.aborted) return null
    const stopped = judgeStop(gate, received.identity, placed.task, false)
    if (stopped !== null) return stopped
    const changes = constrained?.changes ?? []
    const judged = judge(gate, { received, facts, terms, placed, window, changes, degradedTo: null }, guardStack)
    if ('code' in judged) {
      return (await severs(gate, exchange, received.identity.plan, placed, judged)) ? null : judged
    }
    countStart(gate, placed.start, received)
    const progress = { outputTokens: () => 0 }
    gate.inFlight.add({
      id: judged.id,
      tenant: judged.identity.tenant,
      keyId: judged.identity.keyId,
      slot: judged.identity.keyId,
      task: judged.task,
      model: judged.facts.model,
      startedAtMs: judged.receivedAtMs,
      outputTokens: () => progress.outputTokens(),
      cancel: (refusal) => exchange.cancel({ kind: 'refused', refusal }),
    })
    isPrepared = true
    return { call: judged, placed, terms, progress }
  } finally {
    if (!isPrepared) leave(gate, received.id, placed, false, null)
  }
}
