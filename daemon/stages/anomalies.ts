import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { SettledCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import { spenders } from './place.ts'

/** How long nothing is said again about the speed of one spender. */
const velocityPauseMs = 60_000

/** Says what is unusual about a settled call's task: money that goes fast, calls that become dearer. Refuses nothing. */
export function sayAnomalies(gate: Gate, call: SettledCall): void {
  sayVelocity(gate, call)
  sayGrowth(gate, call)
}

function sayVelocity(gate: Gate, call: SettledCall): void {
  const { eurPerMinute } = call.identity.plan.rate
  const nowMs = call.settledAtMs
  const standing = gate.memory.velocity.read(spenders(call.task, call), eurPerMinute, nowMs)
  if (standing === null || standing.state === 'ok' || call.costNanoEur === 0) return
  const { scope, ref, spentNanoEur, limitNanoEur } = standing
  const name = `${scope}\n${ref}`
  if (nowMs - (gate.memory.velocitySaid.peek(name) ?? -Infinity) < velocityPauseMs) return
  gate.memory.velocitySaid.set(name, nowMs)
  const { code } = gate.config().currency
  gate.events.emit('anomaly', {
    kind: 'velocity',
    scope,
    ref,
    task: call.task,
    model: call.facts.model,
    eurPerMinute: eurFromNano(spentNanoEur),
    limit: eurFromNano(limitNanoEur),
    reason: `${scope === 'task' ? 'Task' : 'Key'} ${ref} spent ${formatEur(spentNanoEur)} ${code} in the last minute; the plan allows ${formatEur(limitNanoEur)}.`,
  })
}

function sayGrowth(gate: Gate, call: SettledCall): void {
  if (call.task === null || call.costNanoEur === 0) return
  const growth = gate.memory.costGrowth.add(call.task, call.costNanoEur)
  if (growth === null) return
  const { code } = gate.config().currency
  gate.events.emit('anomaly', {
    kind: 'cost_growth',
    scope: 'task',
    ref: call.task,
    task: call.task,
    model: call.facts.model,
    factor: Math.round(growth.factor * 10) / 10,
    eurPerCall: eurFromNano(growth.latestNanoEur),
    reason: `A call of task ${call.task} costs ${formatEur(growth.latestNanoEur)} ${code} now and cost ${formatEur(growth.firstNanoEur)} at first: its transcript grows. Start a new conversation, or let the client compact this one.`,
  })
}
