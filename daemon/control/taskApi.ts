import { pathPart } from '../../shared/addresses.ts'
import type { Config } from '../../shared/config.ts'
import { eurFromNano, nanoFromEur } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { TaskAnswer, TaskRequest } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import { sayChanges } from '../stages/place.ts'
import type { TaskState } from '../tasks/task.ts'
import { isRecord } from './requests.ts'

/** What a control address about one task can do. */
export const taskActions = ['halt', 'resume', 'pause', 'charges'] as const

/** Tasks whose own ceilings are known again after a restart. */
const mostCeilings = 2000

/** How long orders are kept after they were last changed, in milliseconds. */
const keptOrdersMs = 30 * 86_400_000

/** Lets the ceilings count again that were set for single tasks. Once, at start; other orders come back with their task. */
export function restoreOrders(gate: Gate): void {
  const { ledger, memory } = gate
  writeDown(gate, () => ledger.forgetTaskOrders(gate.nowMs() - keptOrdersMs))
  for (const { task, ceilings } of ledger.taskCeilings(mostCeilings))
    memory.requests.set(task, { id: task, ...ceilings })
}

/** Sets the ceilings of one task, before or after its first call; counters go on. They hold over a restart. */
export function setTaskCeilings(gate: Gate, request: TaskRequest): TaskAnswer {
  const { id, ...ceilings } = request
  const nowMs = gate.nowMs()
  gate.memory.requests.set(id, request)
  writeDown(gate, () => gate.ledger.saveTaskCeilings(id, ceilings, nowMs))
  const { plans, plan } = gate.config()
  return {
    id,
    state: gate.memory.tasks.statusOf(id, nowMs)?.state ?? 'ok',
    haltGraceSeconds: plans[plan]?.task?.haltGraceSeconds ?? 30,
  }
}

/** Answer to a halt, a pause or a resume. */
export interface SteeredTask {
  readonly task: string
  readonly state: TaskState
  /** After a halt or a pause: the book was asked, and would refuse the next call. */
  readonly confirmed?: true
}

/**
 * Halts, resumes or pauses a task, and tells every window. It holds over a restart. Throws where a task that was stopped
 * would not be refused, so that nobody is told of a stop that is none (A19).
 */
export function steerTask(gate: Gate, task: string, action: 'halt' | 'resume' | 'pause'): SteeredTask {
  const { tasks } = gate.memory
  const nowMs = gate.nowMs()
  const changes = action === 'resume' ? gate.memory.resume(task, nowMs) : tasks[action](task, nowMs)
  const isStop = action !== 'resume'
  if (isStop && tasks.nextStop(task, nowMs) === null) throw new Error('a task that was stopped would not be refused')
  writeDown(gate, () => gate.ledger.saveTaskOrders(tasks.orders(task, nowMs)))
  sayChanges(gate, changes)
  return { task, state: tasks.statusOf(task, nowMs)?.state ?? 'ok', ...(isStop ? { confirmed: true } : {}) }
}

/** Adds what an agent's own tool costs to its task. It stays counted over a restart. */
export function chargeTask(
  gate: Gate,
  task: string,
  nanoEur: NanoEur,
): { readonly task: string; readonly eur: number } {
  const { tasks } = gate.memory
  const nowMs = gate.nowMs()
  const changes = tasks.charge(task, nanoEur, nowMs)
  writeDown(gate, () => gate.ledger.saveTaskOrders(tasks.orders(task, nowMs)))
  sayChanges(gate, changes)
  return { task, eur: eurFromNano(nanoEur) }
}

/** A broken disk must not turn an order that has worked into a fault; it then holds until the daemon ends. */
function writeDown(gate: Gate, write: () => void): void {
  try {
    write()
  } catch (fault) {
    if (!(fault instanceof LedgerUnavailable)) throw fault
    gate.log.error('an order could not be written down, so it ends with the daemon', { problem: fault.message })
  }
}

/** Reads `POST /api/tasks`; a string is what is wrong with it. */
export function readTaskRequest(value: unknown): TaskRequest | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"id":"t1","eur":2}.'
  const { id, eur, iterations, minutes } = value
  if (typeof id !== 'string' || !pathPart.test(id)) return 'id must be 1 to 128 letters, digits, "-" or "_".'
  if (eur !== undefined && !isAmount(eur)) return 'eur must be a number >= 0.'
  if (iterations !== undefined && !(isAmount(iterations) && Number.isSafeInteger(iterations) && iterations >= 1))
    return 'iterations must be a whole number >= 1.'
  if (minutes !== undefined && !(isAmount(minutes) && minutes > 0)) return 'minutes must be a number > 0.'
  return {
    id,
    ...(eur === undefined ? {} : { eur }),
    ...(iterations === undefined ? {} : { iterations }),
    ...(minutes === undefined ? {} : { minutes }),
  }
}

/** Reads a charge into nano-euro: by the configured price of a tool, or as euros; a string is what is wrong with it. */
export function readCharge(value: unknown, charges: Config['toolCharges']): NanoEur | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"tool":"search","units":31} or {"eur":0.155}.'
  const { tool, units = 1, seconds, eur } = value
  if (eur !== undefined) return isAmount(eur) ? nanoFromEur(eur) : 'eur must be a number >= 0.'
  if (typeof tool !== 'string') return 'Give a tool of toolCharges, or eur.'
  const price = Object.hasOwn(charges, tool) ? charges[tool] : undefined
  if (price === undefined)
    return `toolCharges has no tool ${JSON.stringify(tool.slice(0, 40))}. Known: ${Object.keys(charges).join(', ') || 'none'}.`
  if ('eur' in price)
    return isAmount(units) ? Math.round(nanoFromEur(price.eur) * units) : 'units must be a number >= 0.'
  return isAmount(seconds) ? Math.round(nanoFromEur(price.eurPerSecond) * seconds) : 'seconds must be a number >= 0.'
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
