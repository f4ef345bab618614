import type { AdmittedCall, DescribedCall, ReceivedCall, Refusal } from '../call.ts'
import { answerKey } from '../degrade/answerCache.ts'
import type { KeptAnswer } from '../degrade/answerCache.ts'
import { AnswerRecording } from '../degrade/answerRecording.ts'
import { fallbackCall } from '../degrade/fallback.ts'
import type { DescribeRequest } from '../describe.ts'
import { plainPath } from '../dialects/routes.ts'
import type { Gate } from '../gate.ts'
import { modelAllowlist } from '../guards/modelAllowlist.ts'
import { guardStack } from '../guards/stack.ts'
import type { Exchange } from '../http/exchange.ts'
import { contextWindowState } from './contextWindow.ts'
import { judge } from './judge.ts'
import type { Placed } from './place.ts'
import { reserve } from './reserve.ts'
import { clampToTask } from './taskRoom.ts'
import { termsOf } from './terms.ts'
import type { Terms } from './terms.ts'

/** The guards of a fallback: the plan that names its model allows it. */
const fallbackGuards = guardStack.filter((guard) => guard !== modelAllowlist)

/** How a call goes on whose budget is used up: an earlier answer, or another server with its money held. */
export type Degraded =
  | { readonly kind: 'cached'; readonly answer: KeptAnswer }
  | { readonly kind: 'fallback'; readonly admitted: AdmittedCall; readonly terms: Terms }

/**
 * Instead of a refusal by a budget, where the plan allows it (design 3.5): the answer to an identical earlier call, else the
 * same dialect on the plan's free upstream. Null where neither can be had: the refusal stands. What is done is announced.
 */
export async function degrade(
  gate: Gate,
  exchange: Exchange,
  call: DescribedCall,
  placed: Placed,
  request: DescribeRequest,
  cacheKey: string | null,
  refusal: Refusal,
): Promise<Degraded | null> {
  const allowed = call.identity.plan.degrade
  if (allowed === null || refusal.code !== 'budget_exhausted' || exchange.signal.aborted) return null
  const answer = cacheKey === null ? null : gate.answers.find(cacheKey, gate.nowMs())
  if (answer !== null) {
    sayDegraded(gate, call, 'cache', refusal)
    gate.metrics.warned('degraded')
    return { kind: 'cached', answer }
  }
  const { fallback } = allowed
  if (fallback === null) return null
  const upstream = gate.config().upstreams[fallback.upstream]
  const received = fallbackCall(call, call.facts, fallback, upstream)
  if (received === null) return null
  const described = await gate.describer.describe(received.body, {
    ...request,
    upstreamName: received.upstreamName,
    upstreamBaseUrl: received.upstream.baseUrl,
    path: plainPath(received.upstreamPath),
    upstreamDialect: received.upstream.dialect,
  })
  if (!described.description.ok) return null
  const facts = { ...described.description.facts, transcript: call.facts.transcript }
  const terms = termsOf(gate, await gate.priceBook.prices(), received, facts)
  const degradedTo = `${fallback.upstream}/${fallback.model}`
  const judged = {
    received: { ...received, body: described.bytes },
    facts,
    terms,
    placed,
    // The client's credentials are not for this server.
    window: await contextWindowState(gate, received, facts, terms, []),
    changes: [`model=${fallback.model}`],
    degradedTo,
  }
  const going = judge(gate, judged, fallbackGuards)
  if ('code' in going) return null
  const admitted = await reserve(gate, clampToTask(going, placed, terms), terms, exchange.signal)
  if ('code' in admitted) return null
  sayDegraded(gate, call, degradedTo, refusal)
  return { kind: 'fallback', admitted, terms }
}

/** Sends an earlier answer again, in the form that it had. */
export function replay(exchange: Exchange, call: DescribedCall, { status, contentType, body }: KeptAnswer): void {
  const { response } = exchange
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': body.length,
    'x-tollgate-call': call.id,
    'x-tollgate-state': call.taskState,
    ...(call.task === null ? {} : { 'x-tollgate-task': call.task }),
    'x-tollgate-degraded': 'cache',
  })
  response.end(body)
}

/** Key under which the answer to this request is kept; null where the plan keeps none. */
export function cacheKeyOf(gate: Gate, exchange: Exchange, received: ReceivedCall): string | null {
  const { identity } = received
  if (identity.plan.degrade?.cache !== true) return null
  const { headers } = exchange.request
  return answerKey({
    salt: gate.token,
    tenant: identity.tenant,
    user: identity.user,
    keyId: identity.keyId,
    upstream: received.upstreamName,
    path: received.upstreamPath,
    variant: JSON.stringify([headers['anthropic-version'], headers['anthropic-beta'], headers['openai-beta']]),
    body: received.body,
  })
}

/** A copy of the answer for the cache, where one is kept; an answer that stands in for another is not the asked one. */
export function recordingOf(cacheKey: string | null, call: AdmittedCall): AnswerRecording | null {
  return cacheKey === null || call.degradedTo !== null ? null : new AnswerRecording()
}

function sayDegraded(gate: Gate, call: DescribedCall, to: string, refusal: Refusal): void {
  gate.events.emit('degraded', {
    call: call.id,
    task: call.task,
    project: call.identity.project,
    upstream: call.upstreamName,
    model: call.facts.model,
    to,
    scope: refusal.scope ?? null,
    scopeRef: refusal.scopeRef ?? null,
    window: refusal.window ?? null,
    reason: refusal.message,
  })
}
