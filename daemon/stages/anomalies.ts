import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { SettledCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { ResidualRow } from '../observe/residual.ts'
import { spenders } from './place.ts'

/** How long nothing is said again about the speed of one spender. */
const velocityPauseMs = 60_000

/** Says what is unusual about a settled call: money that goes fast, calls that become dearer, a cache of no use. Refuses nothing. */
export function sayAnomalies(gate: Gate, call: SettledCall): void {
  sayVelocity(gate, call)
  sayGrowth(gate, call)
  sayUnreadCache(gate, call)
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
  const about = {
    scope,
    ref,
    task: call.task,
    model: call.facts.model,
    eurPerMinute: eurFromNano(spentNanoEur),
    limit: eurFromNano(limitNanoEur),
    reason: `${scope === 'task' ? 'Task' : 'Key'} ${ref} spent ${formatEur(spentNanoEur)} ${code} in the last minute; the plan allows ${formatEur(limitNanoEur)}.`,
  }
  gate.anomalies.say('velocity', about, nowMs)
}

function sayGrowth(gate: Gate, call: SettledCall): void {
  if (call.task === null || call.costNanoEur === 0) return
  const growth = gate.memory.costGrowth.add(call.task, call.costNanoEur)
  if (growth === null) return
  const { code } = gate.config().currency
  const about = {
    scope: 'task',
    ref: call.task,
    task: call.task,
    model: call.facts.model,
    factor: Math.round(growth.factor * 10) / 10,
    eurPerCall: eurFromNano(growth.latestNanoEur),
    firstEurPerCall: eurFromNano(growth.firstNanoEur),
    reason: `A call of task ${call.task} costs ${formatEur(growth.latestNanoEur)} ${code} now and cost ${formatEur(growth.firstNanoEur)} at first: its transcript grows. Start a new conversation, or let the client compact this one.`,
  } as const
  gate.anomalies.say('cost_growth', about, call.settledAtMs)
}

/** A cache that is written again and again and never read is dearer than none (G09). */
function sayUnreadCache(gate: Gate, call: SettledCall): void {
  const { upstreamName: upstream, facts, identity } = call
  const name = `${upstream}\n${facts.model}\n${identity.keyId}`
  const unread = gate.anomalies.cacheUse.add(name, call.usage, call.settledAtMs)
  if (unread === null) return
  const { writes, tokens, forAnHour } = unread
  const times = forAnHour ? '1.25 times, for an hour 2 times,' : '1.25 times'
  const about = {
    upstream,
    model: facts.model,
    key: identity.keyId,
    task: call.task,
    writes,
    tokens,
    reason: `${writes} calls in 10 minutes wrote ${tokens} tokens to the cache and read none. Each costs ${times} what it would cost without the cache. Something near the start of the prompt changes from call to call, or the prompt is never sent again: keep its start the same, or leave out cache_control.`,
  }
  gate.anomalies.say('cache_unread', about, call.settledAtMs)
}

/** Said of a ratio that has just been learnt, where it left what it was for long. */
export function sayResidualDrift(gate: Gate, learned: ResidualRow, nowMs: number): void {
  const drift = gate.anomalies.residuals.learned(learned)
  if (drift === null) return
  const { upstream, model, ratio, average } = drift
  const about = {
    upstream,
    model,
    ratio,
    average,
    reason: `The provider reports ${ratio.toFixed(2)} times the estimated input now, and ${average.toFixed(2)} times on the long average. Estimates follow by themselves; see whether prompts are cut, or the model behind the name has changed.`,
  }
  gate.anomalies.say('residual_drift', about, nowMs)
}
