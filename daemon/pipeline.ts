import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdmittedCall, DescribedCall, ReceivedCall, Refusal } from './call.ts'
import type { AnswerReader } from './dialects/dialect.ts'
import { dialectByName } from './dialects/registry.ts'
import type { FieldEdit } from './dialects/edit.ts'
import type { Gate } from './gate.ts'
import type { DescribeRequest } from './describe.ts'
import { guardStack, runStack } from './guards/stack.ts'
import { Exchange } from './http/exchange.ts'
import { answer } from './stages/answer.ts'
import { constrain } from './stages/constrain.ts'
import { observe } from './stages/observe.ts'
import { leave, place, placedState } from './stages/place.ts'
import { passThrough } from './stages/passThrough.ts'
import { authenticate, judgeStop, receiveBody, receivedCall } from './stages/receive.ts'
import { reserve } from './stages/reserve.ts'
import { settle, settleFault } from './stages/settle.ts'
import { guardState, termsOf } from './stages/terms.ts'
import { sayRefused } from './stages/sayRefused.ts'
import { clampToTask } from './stages/taskRoom.ts'
import { severs } from './stages/sever.ts'

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
    upstreamDialect: addressed.upstream.dialect,
    estimator: addressed.identity.plan.estimator,
  }
  const described = await gate.describer.describe(bytes, describeRequest)
  let received = receivedCall(exchange, { ...addressed, route }, described.bytes, receivedAtMs)
  if (!described.description.ok)
    return refuse({ code: 'invalid_request', message: described.description.problem }, received)
  let { facts } = described.description

  const prices = await gate.priceBook.prices()
  let terms = termsOf(gate, prices, received, facts)
  const placed = place(gate, received, facts, terms)
  const constrained = await constrain(gate, received, facts, terms, placed, describeRequest)
  if (constrained !== null) {
    ;({ received, facts } = constrained)
    terms = termsOf(gate, prices, received, facts)
  }
  // While the body came in, the client may have left and a switch may have been thrown. From here to `inFlight.add` nothing
  // waits, and after it the switch finds the call.
  if (exchange.signal.aborted) return leave(gate, received.id, placed, false, null)
  const stopped = judgeStop(gate, received.identity, placed.task, false)
  if (stopped !== null) {
    leave(gate, received.id, placed, false, null)
    return refuse(stopped, received)
  }
  const state = { ...guardState(gate, received, facts, terms), ...placedState(gate, placed, received, terms) }
  const verdict = runStack(guardStack, { received, facts }, state)
  if (verdict.kind === 'refuse') {
    leave(gate, received.id, placed, false, null)
    if (await severs(gate, exchange, received.identity.plan, placed, verdict.refusal)) return
    return refuse(verdict.refusal, received)
  }
  const usageEdit = gate.withoutUsageOption.has(received.upstream.baseUrl) ? null : includeUsageEdit(facts.includeUsage)
  const call: DescribedCall = {
    ...received,
    facts,
    task: placed.task,
    session: placed.session,
    taskState: placed.state,
    outputCeiling: verdict.described.outputCeiling,
    edits: usageEdit === null ? verdict.described.edits : [...verdict.described.edits, usageEdit],
    changes: [
      ...(constrained?.changes ?? []),
      ...verdict.described.changes,
      ...(usageEdit === null ? [] : ['include_usage']),
    ],
    hideUsageChunk: usageEdit !== null,
  }

  let outputTokens = (): number => 0
  gate.inFlight.add({
    id: call.id,
    tenant: call.identity.tenant,
    keyId: call.identity.keyId,
    slot: call.identity.keyId,
    task: call.task,
    model: facts.model,
    startedAtMs: receivedAtMs,
    outputTokens: () => outputTokens(),
    cancel: (refusal) => exchange.cancel({ kind: 'refused', refusal }),
  })
  const share = gate.rates.begin(call.identity.keyId, facts.estimate.upperTokens)
  let held: AdmittedCall | null = null
  let isAnswered = false
  let responseId: string | null = null
  try {
    const admitted = await reserve(gate, clampToTask(call, placed, terms), terms, exchange.signal)
    if ('code' in admitted) {
      const { cancellation } = exchange
      if (cancellation?.kind === 'gone') return
      return refuse(cancellation?.refusal ?? admitted, received)
    }
    held = admitted
    share.admitted(receivedAtMs)
    gate.events.emit('call_started', {
      call: call.id,
      task: call.task,
      upstream: call.upstreamName,
      model: facts.model,
    })
    gate.memory.tasks.started(admitted)
    const watch = (reader: AnswerReader): void => {
      // Some providers state a first guess at the start of a stream.
      outputTokens = () => Math.max(reader.facts.usage?.output ?? 0, Math.ceil(reader.facts.deliveredChars / 4))
    }
    let answered = await answer(gate, exchange, dialect, admitted, watch)
    if (answered.refusesUsageOption) {
      answered = await answer(gate, exchange, dialect, withoutUsageEdit(admitted, usageEdit), watch)
      // An error that only quotes the option is no proof against it.
      if (answered.status !== null && answered.status < 400) gate.withoutUsageOption.add(call.upstream.baseUrl)
    }
    const settled = settle(gate, admitted, terms, answered)
    const observed = observe(gate, settled, answered)
    isAnswered = settled.call.outcome === 'ok'
    responseId = answered.reader?.facts.responseId ?? null
    const refusal = answered.refusal ?? observed.refusal
    if (refusal !== null) sayRefused(gate, exchange, refusal, received)
    gate.inFlight.remove(call.id)
    if (observed.refusal === null || response.headersSent) answered.deliver(observed.lateHeaders)
    else exchange.refuse(observed.refusal)
  } catch (fault) {
    // A fault of ours must not leave money held for a call that is over. Where it was settled before, that stands.
    if (held !== null) settleFault(gate, held)
    throw fault
  } finally {
    share.ended()
    gate.inFlight.remove(call.id)
    leave(gate, call.id, placed, isAnswered, responseId)
  }
}

/** The call as it goes to a server that refuses the option which was put in for the usage. */
function withoutUsageEdit(call: AdmittedCall, usageEdit: FieldEdit | null): AdmittedCall {
  return {
    ...call,
    hideUsageChunk: false,
    edits: call.edits.filter((edit) => edit !== usageEdit),
    changes: call.changes.filter((change) => change !== 'include_usage'),
  }
}

/** Asks for the usage of a stream where the client did not; the extra chunk is hidden from it again (B01). */
function includeUsageEdit(includeUsage: DescribedCall['facts']['includeUsage']): FieldEdit | null {
  switch (includeUsage) {
    case 'inject':
      return { path: ['stream_options'], value: { include_usage: true } }
    case 'replace-false':
      return { path: ['stream_options', 'include_usage'], value: true }
    case 'present':
    case 'not-applicable':
      return null
  }
}
