import type { ReceivedCall, Refusal } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { Exchange } from '../http/exchange.ts'

/** Counts and announces a refusal. Every one has its counter and its event; the event carries no text of the request. */
export function sayRefused(gate: Gate, exchange: Exchange, refusal: Refusal, received: ReceivedCall | null): void {
  if (refusal.code === 'restart_storm') sayStorm(gate, refusal, received)
  gate.metrics.refused(refusal.code)
  gate.events.emit('refused', {
    call: exchange.id,
    code: refusal.code,
    message: refusal.message,
    upstream: received?.upstreamName ?? null,
    task: received?.explicitTask ?? null,
    project: received?.identity.project ?? null,
    scope: refusal.scope ?? null,
    scopeRef: refusal.scopeRef ?? null,
    window: refusal.window ?? null,
    unit: refusal.unit ?? null,
    limit: refusal.limit ?? null,
    kind: refusal.kind ?? null,
    resetsAt: refusal.resetsAt ?? null,
  })
}

/** A storm is said once for each key and minute: what starts the task again does not wait. */
function sayStorm(gate: Gate, refusal: Refusal, received: ReceivedCall | null): void {
  const key = refusal.scopeRef ?? ''
  const nowMs = gate.nowMs()
  if (nowMs - (gate.memory.stormsSaid.peek(key) ?? -Infinity) < stormPauseMs) return
  gate.memory.stormsSaid.set(key, nowMs)
  gate.events.emit('storm', {
    key,
    task: received?.explicitTask ?? null,
    project: received?.identity.project ?? null,
    starts: refusal.spent ?? null,
    limit: refusal.limit ?? null,
    reason: refusal.message,
  })
}

const stormPauseMs = 60_000
