import { pathPart } from '../../shared/addresses.ts'
import type { Config } from '../../shared/config.ts'
import { eurFromNano, nanoFromEur } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { TaskAnswer, TaskRequest } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import { sayChanges } from '../stages/place.ts'
import { isRecord } from './requests.ts'
import type { GrantAsk } from '../tasks/grants.ts'

/** What a control address about one task can do. */
export const taskActions = ['halt', 'resume', 'pause', 'charges'] as const

/** A grant to one task. */
export interface TaskGrantRequest extends GrantAsk {
  readonly task: string
}

/** Sets the ceilings of one task, before or after its first call; counters go on. */
export function setTaskCeilings(gate: Gate, request: TaskRequest): TaskAnswer {
  gate.memory.requests.set(request.id, request)
  const { plans, plan } = gate.config()
  const known = gate.memory.tasks.status(500).find((task) => task.id === request.id)
  return {
    id: request.id,
    state: known?.state ?? 'ok',
    haltGraceSeconds: plans[plan]?.task?.haltGraceSeconds ?? 30,
  }
}

/** Halts, resumes or pauses a task, and tells every window. */
export function steerTask(
  gate: Gate,
  task: string,
  action: 'halt' | 'resume' | 'pause',
): { readonly task: string; readonly state: string } {
  sayChanges(gate, gate.memory.tasks[action](task, gate.nowMs()))
  return {
    task,
    state:
      gate.memory.tasks.status(500).find((one) => one.id === task)?.state ?? (action === 'resume' ? 'ok' : 'halted'),
  }
}

/** Adds what an agent's own tool costs to its task. */
export function chargeTask(
  gate: Gate,
  task: string,
  nanoEur: NanoEur,
): { readonly task: string; readonly eur: number } {
  sayChanges(gate, gate.memory.tasks.charge(task, nanoEur, gate.nowMs()))
  return { task, eur: eurFromNano(nanoEur) }
}

/** Gives a task more room. The configured ceilings do not move; the grant is kept among the events. */
export function grantTask(gate: Gate, request: TaskGrantRequest): { readonly task: string } {
  const { task, ...room } = request
  sayChanges(gate, gate.memory.tasks.grant(task, room, gate.nowMs()))
  gate.events.emit('granted', {
    scope: 'task',
    task,
    eur: room.eur ?? 0,
    iterations: room.iterations ?? 0,
    minutes: room.minutes ?? 0,
    until: room.untilMs === null ? null : new Date(room.untilMs).toISOString(),
  })
  return { task }
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

/** Reads `POST /api/grants`; a string is what is wrong with it. */
export function readGrant(value: unknown, midnightMs: () => number): TaskGrantRequest | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"scope":"task","ref":"t1","eur":2}.'
  const { scope, ref, eur, iterations, minutes, until = null } = value
  if (scope !== 'task') return 'scope must be "task". A cap is raised with POST /api/caps.'
  if (typeof ref !== 'string' || ref === '') return 'ref must name the task.'
  for (const [name, amount] of Object.entries({ eur, iterations, minutes })) {
    if (amount !== undefined && !isAmount(amount)) return `${name} must be a number >= 0.`
  }
  if (eur === undefined && iterations === undefined && minutes === undefined) return 'Give eur, iterations or minutes.'
  const untilMs =
    until === null ? null : until === 'midnight' ? midnightMs() : typeof until === 'string' ? Date.parse(until) : NaN
  if (Number.isNaN(untilMs)) return 'until must be "midnight", an ISO time or null.'
  return {
    task: ref,
    untilMs,
    ...(isAmount(eur) ? { eur } : {}),
    ...(isAmount(iterations) ? { iterations } : {}),
    ...(isAmount(minutes) ? { minutes } : {}),
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
