import { eurFromNano } from '../../shared/money.ts'
import type { EventRow } from '../../shared/status.ts'
import type { TaskSample } from '../ledger/ledger.ts'

/**
 * Ceilings from the user's own history: the p99 of each counter over healthy tasks, times the ratio that the built-in
 * ceilings have to the traffic they were made from. Only healthy tasks count. A task that a ceiling stopped has the
 * ceiling as its figure, and a proposal made from it would raise every ceiling a little each time it is applied.
 */

/**
 * Ceiling over healthy p99 (design 3.1, plan `agent`): 25 over 9 calls, 2 M over 210 k tokens, 300 over 40 seconds, 5.00
 * over 0.70 EUR. In tenths, so that the products are whole.
 */
export const ratioTenths = { iterations: 28, inputTokens: 95, wallSeconds: 75, eur: 71 } as const

/** Lowest ceilings that are proposed; below them a task could not do anything of use. */
export const lowestCeilings: Ceilings = {
  maxIterations: 5,
  maxInputTokens: 50_000,
  maxWallSeconds: 60,
  maxEur: 0.1,
}

/** Healthy tasks that a group needs: with fewer, its p99 is one task that nobody knows to be usual. */
export const leastTasks = 20

/** Most days of history that can be asked for. */
export const mostDays = 365

/** Days as somebody wrote them, from 1 to `mostDays`; null for anything else. */
export function daysFrom(text: string): number | null {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return days >= 1 && days <= mostDays ? days : null
}

/** The four ceilings of a plan under their names in the configuration; euros are decimal. */
export interface Ceilings {
  readonly maxIterations: number
  readonly maxInputTokens: number
  readonly maxWallSeconds: number
  readonly maxEur: number
}

/** The four counters of a group's tasks at one rank; euros are decimal. */
export interface Counters {
  readonly iterations: number
  readonly inputTokens: number
  readonly wallSeconds: number
  readonly eur: number
}

/** Tasks of one client, project and plan. */
export interface CalibrationGroup {
  /** The client without its version, which changes every few days. */
  readonly client: string
  readonly project: string | null
  readonly plan: string
  /** Healthy tasks. */
  readonly tasks: number
  readonly p99: Counters
  /** Null where the group has fewer than `leastTasks`. */
  readonly proposal: Ceilings | null
}

/** What a history says about ceilings. */
export interface Calibration {
  readonly healthyTasks: number
  /** Tasks that a ceiling, a loop, a kill switch or a person stopped. */
  readonly haltedTasks: number
  /** Most tasks first. */
  readonly groups: readonly CalibrationGroup[]
  /** The largest of the groups' proposals, by the name of the plan. */
  readonly proposals: ReadonlyMap<string, Ceilings>
}

/** Tasks and sessions that were stopped. */
export interface Halted {
  readonly tasks: ReadonlySet<string>
  readonly sessions: ReadonlySet<string>
}

/** Reads out of events which tasks and sessions were halted, whoever or whatever did it, and whether or not they went on. */
export function haltedIn(events: readonly EventRow[]): Halted {
  const tasks = new Set<string>()
  const sessions = new Set<string>()
  for (const event of events) {
    const isHalt = (event.event === 'state_changed' || event.event === 'loop') && event['state'] === 'halted'
    const isKill = event.event === 'killed' && event['scope'] === 'task'
    const ref = isHalt ? event['task'] : isKill ? event['ref'] : null
    if (typeof ref !== 'string') continue
    if (event['scope'] === 'session') sessions.add(ref)
    else tasks.add(ref)
  }
  return { tasks, sessions }
}

/** Proposes ceilings. `planOf` names the plan that a key and a client fall under. */
export function calibrate(
  samples: readonly TaskSample[],
  halted: Halted,
  planOf: (keyId: string, client: string) => string,
): Calibration {
  const isHealthy = ({ task, session, wasKilled }: TaskSample): boolean =>
    !wasKilled && !halted.tasks.has(task) && !(session !== null && halted.sessions.has(session))
  const healthy = samples.filter(isHealthy)
  const byGroup = new Map<string, { readonly plan: string; readonly samples: TaskSample[] }>()
  for (const sample of healthy) {
    const plan = planOf(sample.keyId, sample.client)
    const key = JSON.stringify([productName(sample.client), sample.project, plan])
    const group = byGroup.get(key)
    if (group === undefined) byGroup.set(key, { plan, samples: [sample] })
    else group.samples.push(sample)
  }
  const groups = [...byGroup.values()]
    .map(({ plan, samples }) => groupOf(plan, samples))
    .sort((one, other) => other.tasks - one.tasks || one.client.localeCompare(other.client))
  const proposals = new Map<string, Ceilings>()
  for (const { plan, proposal } of groups) {
    if (proposal !== null) proposals.set(plan, largest(proposals.get(plan) ?? proposal, proposal))
  }
  return { healthyTasks: healthy.length, haltedTasks: samples.length - healthy.length, groups, proposals }
}

/** Nearest-rank 99th percentile of figures >= 0: the largest of fewer than a hundred, 0 of none. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.ceil((sorted.length * 99) / 100) - 1] ?? 0
}

/** `claude-cli/2.1.3` → `claude-cli`; what follows the slash stays where it is no version, as in `OpenAI/JS`. */
function productName(client: string): string {
  return client.replace(/\/v?\d.*$/, '')
}

function groupOf(plan: string, samples: readonly TaskSample[]): CalibrationGroup {
  const [first] = samples
  const at99 = {
    iterations: p99(samples.map((sample) => sample.iterations)),
    inputTokens: p99(samples.map((sample) => sample.inputTokens)),
    wallSeconds: p99(samples.map((sample) => sample.wallSeconds)),
    nanoEur: p99(samples.map((sample) => sample.costNanoEur)),
  }
  const { nanoEur, ...rest } = at99
  return {
    client: productName(first?.client ?? ''),
    project: first?.project ?? null,
    plan,
    tasks: samples.length,
    p99: { ...rest, eur: eurFromNano(nanoEur) },
    proposal: samples.length < leastTasks ? null : ceilingsFor(at99),
  }
}

/** Rounded up to what a person would write: two digits that count, ten seconds, a cent. */
function ceilingsFor(at99: Omit<Counters, 'eur'> & { readonly nanoEur: number }): Ceilings {
  return largest(lowestCeilings, {
    maxIterations: twoDigitsUp((at99.iterations * ratioTenths.iterations) / 10),
    maxInputTokens: twoDigitsUp((at99.inputTokens * ratioTenths.inputTokens) / 10),
    maxWallSeconds: Math.ceil((at99.wallSeconds * ratioTenths.wallSeconds) / 100) * 10,
    maxEur: Math.ceil((at99.nanoEur * ratioTenths.eur) / 10 / nanoPerCent) / 100,
  })
}

const nanoPerCent = 10_000_000

function twoDigitsUp(value: number): number {
  const whole = Math.ceil(value)
  const step = 10 ** Math.max(0, String(whole).length - 2)
  return Math.ceil(whole / step) * step
}

function largest(one: Ceilings, other: Ceilings): Ceilings {
  return {
    maxIterations: Math.max(one.maxIterations, other.maxIterations),
    maxInputTokens: Math.max(one.maxInputTokens, other.maxInputTokens),
    maxWallSeconds: Math.max(one.maxWallSeconds, other.maxWallSeconds),
    maxEur: Math.max(one.maxEur, other.maxEur),
  }
}
