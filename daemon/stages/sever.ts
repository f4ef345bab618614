import type { Plan } from '../../shared/config.ts'
import type { Refusal } from '../call.ts'
import type { Gate } from '../gate.ts'
import type { Exchange } from '../http/exchange.ts'
import { findSocketOwner } from '../lifecycle/socketOwner.ts'
import type { Placed } from './place.ts'

/** Grace of a plan without task ceilings, whose tasks a person can halt all the same. */
const defaultGraceSeconds = 30

/**
 * The supervisor: a halted task that still calls after its grace period gets no sentence any more, its connection is closed
 * without an answer, and the process that owns it is named to the windows. True where that was done.
 */
export async function severs(
  gate: Gate,
  exchange: Exchange,
  plan: Plan,
  placed: Placed,
  refusal: Refusal,
): Promise<boolean> {
  const { task, standing, placement } = placed
  if (task === null || (refusal.code !== 'task_halted' && refusal.code !== 'loop_halted')) return false
  const isLoop = refusal.code === 'loop_halted'
  const thread = placement?.thread
  // A loop is of one conversation: its siblings in the task are not what is severed (K02).
  const ref = isLoop ? `${task}/${thread?.firstSeen ?? ''}` : (standing?.ref ?? task)
  const looping = thread === undefined ? undefined : gate.memory.loops.of(thread.firstSeen)
  const haltedAtMs = isLoop ? looping?.haltedAtMs : standing?.haltedAtMs
  if (haltedAtMs === undefined || haltedAtMs === null || standing?.stop === 'pause') return false
  const graceMs = (plan.task?.haltGraceSeconds ?? defaultGraceSeconds) * 1000
  if (gate.memory.supervisor.judge(ref, haltedAtMs, graceMs, gate.nowMs()) === 'refuse') return false
  const { socket } = exchange.request
  const owner = await findSocketOwner(socket)
  gate.metrics.refused(refusal.code)
  gate.events.emit('refused', {
    call: exchange.id,
    code: refusal.code,
    message: refusal.message,
    task,
    severed: true,
    pid: owner?.pid ?? null,
    process: owner?.name ?? null,
  })
  socket.destroy()
  return true
}
