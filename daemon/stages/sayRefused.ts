import type { ReceivedCall, Refusal } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { Exchange } from '../http/exchange.ts'

/** Counts and announces a refusal. Every one has its counter and its event; the event carries no text of the request. */
export function sayRefused(gate: Gate, exchange: Exchange, refusal: Refusal, received: ReceivedCall | null): void {
  if (refusal.code === 'restart_storm') sayStorm(gate, refusal, received)
  sayJump(gate, refusal)
  gate.metrics.refused(refusal.code)
  gate.events.emit('refused', {
    call: exchange.id,
    code: refusal.code,
    message: refusal.message,
    upstream: received?.upstreamName ?? null,
    task: received?.explicitTask ?? null,
    tenant: received?.identity.tenant ?? null,
    project: received?.identity.project ?? null,
    scope: refusal.scope ?? null,
    scopeRef: refusal.scopeRef ?? null,
    own: isOwnCap(gate, refusal, received),
    window: refusal.window ?? null,
    unit: refusal.unit ?? null,
    limit: refusal.limit ?? null,
    spent: refusal.spent ?? null,
    requested: refusal.requested ?? null,
    kind: refusal.kind ?? null,
    resetsAt: refusal.resetsAt ?? null,
  })
}

/** Whether the refusing cap is one of those that the status shows: of the configured user or account, and of no other. */
function isOwnCap(gate: Gate, { scope }: Refusal, received: ReceivedCall | null): boolean {
  if (received === null || (scope !== 'user' && scope !== 'tenant')) return false
  const { tenant, user } = gate.config()
  const { identity } = received
  return identity.tenant === tenant && (scope === 'tenant' || identity.user === user)
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

/** Many more refusals than usual: an agent that goes on after a refusal, or a cap that is too low for the day. */
function sayJump(gate: Gate, { code }: Refusal): void {
  const nowMs = gate.nowMs()
  const jump = gate.anomalies.refusals.add(code, nowMs)
  if (jump === null) return
  const { refusals, usual } = jump
  const about = {
    refusals,
    usual: Math.round(usual * 10) / 10,
    code: jump.code,
    reason: `${refusals} calls were refused in the last 5 minutes, most of them with ${jump.code}; ${usual.toFixed(1)} is usual.`,
  }
  gate.anomalies.say('refusals', about, nowMs)
}

const stormPauseMs = 60_000
