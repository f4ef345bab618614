import { eurFromNano, formatEur } from '../../shared/money.ts'
import type { TaskLimits } from '../../shared/config.ts'
import type { Refusal } from '../call.ts'
import type { TaskCounter, TaskStanding } from '../tasks/task.ts'
import type { Guard } from './guard.ts'
import { resumeOf } from './goOn.ts'
import { allow } from './guard.ts'
import { amountOf } from './states.ts'

/** What the guard has to know about the call's task; null for a call that belongs to none. */
export interface TaskGuardState {
  readonly standing: TaskStanding
  /** Code of the currency of all amounts. */
  readonly currency: string
  /** The ceilings were set for this task, by `tollgate run` or a script, and not by its plan. */
  readonly isOwn?: boolean
}

/** The field of a plan's `task` that holds a counter's ceiling. */
const fields = {
  iterations: 'maxIterations',
  inputTokens: 'maxInputTokens',
  wallSeconds: 'maxWallSeconds',
  eur: 'maxEur',
} as const satisfies Readonly<Record<TaskCounter, keyof TaskLimits>>

/**
 * Refuses a call that would take its task or session over a ceiling, and every call of one that was halted. All is decided
 * before the call, so that the breaching one is never paid for (A21, A22, K15, K17).
 */
export const taskCeilings: Guard = {
  name: 'taskCeilings',
  judge: ({ received }, { task }) => {
    if (task === undefined) return allow
    const { standing, currency } = task
    const { stop } = standing
    if (stop === null) return allow
    const { planName } = received.identity
    // An explicit task holds all calls that carry its name, whoever's message they answer.
    const goOn = resumeText(standing, planName, received.explicitTask === null)
    switch (stop) {
      case 'person':
        return refuse(standing, `${title(standing)} was halted by a person. ${goOn}`)
      case 'pause':
        return refuse(standing, `${title(standing)} is paused by a person. ${goOn}`)
      case 'held':
        return refuse(standing, heldText(standing, currency))
      case 'ceiling': {
        const field = task.isOwn === true ? null : planFieldOf(standing, received.identity.plan.task)
        return refuse(standing, `${ceilingText(standing, currency, field === null ? null : planName, field)} ${goOn}`)
      }
    }
  },
}

/** The plan's field that holds the ceiling; null where a grant has raised it, so that the field says less. */
function planFieldOf({ verdict }: TaskStanding, limits: TaskLimits | null): string | null {
  if (verdict.nearest === null || limits === null) return null
  const field = fields[verdict.nearest]
  return verdict.limit > (limits[field] ?? Infinity) ? null : field
}

function ceilingText(standing: TaskStanding, currency: string, planName: string | null, field: string | null): string {
  const { nearest, value, limit } = standing.verdict
  if (nearest === null) return `${title(standing)} has reached its ceiling.`
  const reached =
    nearest === 'wallSeconds'
      ? `it has run for ${amountOf(nearest, value, currency)}`
      : `with this call it comes to ${amountOf(nearest, value, currency)}`
  const ceiling = amountOf(nearest, limit, currency)
  if (standing.scope === 'session') {
    return `${title(standing)} has reached its ceiling: ${reached}, and all its tasks together may take ${ceiling}.`
  }
  if (planName === null) return `${title(standing)} has reached its ceiling: ${reached}, and it was given ${ceiling}.`
  return `${title(standing)} has reached its ceiling: ${reached}, and plan ${planName} allows ${ceiling} (plans.${planName}.task.${field ?? ''}).`
}

function heldText(standing: TaskStanding, currency: string): string {
  const { spentNanoEur, reservedNanoEur } = standing.totals
  return (
    `Running calls hold what is left of ${named(standing)}: ${formatEur(spentNanoEur)} spent and ` +
    `${formatEur(reservedNanoEur)} reserved of ${standing.verdict.limit.toFixed(2)} ${currency}; this call needs up to ` +
    `${formatEur(standing.ask.worstCaseNanoEur)}. Wait for them to end, or lower the output ceiling.`
  )
}

function resumeText(standing: TaskStanding, planName: string, byMessage: boolean): string {
  const resume = resumeOf(standing.scope === 'task' ? standing.ref : standing.task)
  if (standing.scope === 'session') {
    return (
      `A new message does not help: it goes on with a grant to task ${standing.task}, with a higher ` +
      `plans.${planName}.task.sessionTimes, with ${resume}. A new session begins at 0.`
    )
  }
  return byMessage && standing.stop === 'ceiling'
    ? `It goes on with a new message from a person, with ${resume}.`
    : `It goes on with ${resume}.`
}

function named({ scope, ref }: TaskStanding): string {
  return `${scope} ${ref}`
}

function title(standing: TaskStanding): string {
  return standing.scope === 'task' ? `Task ${standing.ref}` : `Session ${standing.ref}`
}

function refuse(standing: TaskStanding, message: string): { readonly kind: 'refuse'; readonly refusal: Refusal } {
  const { scope, ref, stop } = standing
  const about = { code: 'task_halted', message, scope, scopeRef: ref, window: 'task' } as const
  if (stop === 'person' || stop === 'pause') return { kind: 'refuse', refusal: about }
  return { kind: 'refuse', refusal: { ...about, kind: stop === 'held' ? 'held' : 'spent', ...figures(standing) } }
}

/** Limit and what would come to it, in the unit of the counter. Seconds have no unit in a refusal. */
function figures({ verdict, totals, ask }: TaskStanding): Partial<Refusal> {
  const { limit } = verdict
  switch (verdict.nearest) {
    case 'iterations':
      return { unit: 'calls', limit, spent: totals.iterations, requested: 1 }
    case 'inputTokens':
      return { unit: 'tokens', limit, spent: totals.inputTokens, requested: ask.inputTokens }
    case 'wallSeconds':
      return { limit, spent: totals.wallSeconds }
    case 'eur':
      return {
        unit: 'eur',
        limit,
        spent: eurFromNano(totals.spentNanoEur),
        reserved: eurFromNano(totals.reservedNanoEur),
        requested: eurFromNano(ask.worstCaseNanoEur),
      }
    case null:
      return {}
  }
}
