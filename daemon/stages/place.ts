import type { TaskLimits } from '../../shared/config.ts'
import type { CallFacts, ReceivedCall } from '../call.ts'
import { clientName } from '../clientName.ts'
import type { Gate } from '../gate.ts'
import { leastCeiling } from '../guards/outputCeiling.ts'
import { stateText } from '../guards/states.ts'
import type { GuardState } from '../guards/guard.ts'
import type { LoopVerdict, StateChange, TaskStanding, TaskState } from '../tasks/task.ts'
import { compareStates, sessionLimits } from '../tasks/ceilings.ts'
import type { Placement, ProviderAnswer } from '../transcript/lineage.ts'
import { judgeLoop } from '../transcript/loops.ts'
import { responseKey } from './providerAnswer.ts'
import { accountOf, sessionOf } from './session.ts'
import type { NamedSession } from './session.ts'
import { startOf, stormState } from './starts.ts'
import { taskTurn } from './taskTurn.ts'
import { worstCase } from './terms.ts'
import type { Terms } from './terms.ts'

/** The task and session that a call belongs to, and how they stand. */
export interface Placed {
  readonly task: string | null
  readonly session: string | null
  readonly placement: Placement | null
  readonly standing: TaskStanding | null
  readonly loop: LoopVerdict | null
  /** What a task that begins here is recognised by when it is started again; null where none begins. */
  readonly start: string | null
  /** Worse of both, for the header. */
  readonly state: TaskState
}

/**
 * Finds the session of a call by the client's own id or by its transcript, and the task in it: the explicit one, else the
 * one that the last human message opened (design 3.1). Judges both before anything is reserved. Every call that was placed
 * ends in `leave`.
 */
export function place(gate: Gate, received: ReceivedCall, facts: CallFacts, terms: Terms): Placed {
  const nowMs = received.receivedAtMs
  const named = sessionOf(received, facts, gate.localKey)
  const previous = facts.hiddenInput?.previousResponseId ?? null
  const placement = gate.memory.lineage.place({
    account: accountOf(received.identity),
    explicitSession: named?.id ?? null,
    facts: facts.transcript,
    isRetry: received.isRetry,
    previousResponseId: previous === null ? null : responseKey(received, previous),
  })
  const session = placement?.session ?? named?.id ?? null
  const explicit = received.explicitTask
  const turn =
    placement === null || session === null
      ? null
      : taskTurn(gate, received, facts, placement, session, named?.isConversation === true)
  const task = explicit ?? turn
  const start = startOf(gate, received, facts, task)
  const standing = task === null ? null : ask(gate, received, facts, terms, task, session, named)
  // Whatever changes this name (a person's message, a resume) opens a fresh window for repetition.
  const window = `${task ?? ''}#${turn ?? ''}@${task === null ? '' : (gate.memory.tasks.windowStartMs(task) ?? '')}`
  const { loop: limits } = received.identity.plan
  const loop =
    placement === null || limits === null
      ? null
      : judgeLoop(placement.toolStates, gate.memory.lineage.loopWindow(placement, window), limits, placement.narration)
  sayLoop(gate, task, placement, loop, nowMs)
  return { task, session, placement, standing, loop, start, state: worse(standing?.state ?? 'ok', loop?.state ?? 'ok') }
}

/** The guards' view of a placement. */
export function placedState(gate: Gate, placed: Placed, received: ReceivedCall, terms: Terms): Partial<GuardState> {
  const currency = terms.config.currency.code
  const velocity = gate.memory.velocity.read(
    spenders(placed.task, received),
    received.identity.plan.rate.eurPerMinute,
    received.receivedAtMs,
  )
  const { plan } = received.identity
  const limits = placed.task === null ? null : taskLimits(gate, placed.task, plan.task)
  const isCapped = limits?.maxEur !== null && limits?.maxEur !== undefined
  return {
    // A ceiling of the task or of a minute is a cap in euros like that of a day (E10).
    ...((isCapped || velocity !== null) && !terms.isListPrice ? { euroCapApplies: true } : {}),
    ...(placed.standing === null
      ? {}
      : { task: { standing: placed.standing, currency, isOwn: gate.memory.requests.has(placed.standing.ref) } }),
    ...(placed.loop === null ? {} : { loop: { verdict: placed.loop, task: placed.task } }),
    ...stormState(gate, placed.start, received),
    ...(velocity === null
      ? {}
      : { velocity: { standing: velocity, worstCaseNanoEur: placed.standing?.ask.worstCaseNanoEur ?? 1, currency } }),
  }
}

/** Who a settled call is counted for in the euros of a minute. */
export function spenders(
  task: string | null,
  received: ReceivedCall,
): readonly { readonly scope: 'task' | 'key'; readonly ref: string }[] {
  const key = { scope: 'key', ref: received.identity.keyId } as const
  return task === null ? [key] : [{ scope: 'task', ref: task }, key]
}

/** The call is over: answered, failed or refused. `kept` is what the provider keeps of its answer. */
export function leave(
  gate: Gate,
  callId: string,
  placed: Placed,
  isAnswered: boolean,
  kept: ProviderAnswer | null,
): void {
  const nowMs = gate.nowMs()
  gate.memory.tasks.dropped(callId, nowMs)
  if (placed.placement !== null) gate.memory.lineage.ended(placed.placement, nowMs, isAnswered, kept)
}

/** Announces what a counter, a person or a grant changed. */
export function sayChanges(gate: Gate, changes: readonly StateChange[]): void {
  const currency = gate.config().currency.code
  for (const change of changes) {
    gate.events.emit('state_changed', {
      task: change.ref,
      scope: change.scope,
      session: change.session,
      project: change.project,
      client: change.client,
      state: change.to,
      from: change.from,
      to: change.to,
      cause: change.cause,
      counter: change.counter,
      value: change.value,
      limit: change.limit,
      message: stateText(change, currency),
    })
  }
}

/** Ceilings of a task: the plan's, with those that `tollgate run` or a script set for this one. */
export function taskLimits(gate: Gate, task: string, limits: TaskLimits | null): TaskLimits | null {
  const own = gate.memory.requests.get(task)
  if (own === undefined) return limits
  const base = limits ?? unlimited
  return {
    ...base,
    maxEur: own.eur ?? base.maxEur,
    maxIterations: own.iterations ?? base.maxIterations,
    maxWallSeconds: own.minutes === undefined ? base.maxWallSeconds : own.minutes * 60,
  }
}

const unlimited: TaskLimits = {
  maxIterations: null,
  maxInputTokens: null,
  maxWallSeconds: null,
  maxEur: null,
  warnAt: 0.7,
  constrainAt: 0.85,
  haltGraceSeconds: 30,
  sessionTimes: null,
  onConstrained: null,
}

function ask(
  gate: Gate,
  received: ReceivedCall,
  facts: CallFacts,
  terms: Terms,
  task: string,
  session: string | null,
  named: NamedSession | null,
): TaskStanding {
  const { identity } = received
  const limits = taskLimits(gate, task, identity.plan.task)
  // Without a name of the client's the transcript told the session, and that is one conversation.
  const isConversation = named?.isConversation ?? true
  // The smallest answer that is still useful: a larger ceiling is lowered to what the task has left.
  const useful = Math.max(terms.config.budgets.minOutputTokens, leastCeiling(received.dialect, facts))
  const least = facts.producesOutput ? useful * facts.choices : 0
  const asked =
    facts.requestedOutputTokens === null ? least : Math.min(least, facts.requestedOutputTokens * facts.choices)
  const { standing, changes } = gate.memory.tasks.ask(
    {
      callId: received.id,
      task,
      isNamed: received.explicitTask !== null,
      parent: null,
      session,
      lasts: { task: received.explicitTask !== null || named !== null, session: named?.isConversation ?? false },
      tenant: identity.tenant,
      project: identity.project,
      client: clientName(received.userAgent),
    },
    {
      inputTokens: terms.estimatedInputTokens,
      worstCaseNanoEur: worstCase(terms, facts, received.receivedAtMs, asked),
    },
    limits,
    isConversation ? boundOfSession(identity.plan.task, limits) : null,
    received.receivedAtMs,
  )
  sayChanges(gate, changes)
  return standing
}

/** What all tasks of a session may come to: by the plan, and not less than the task of this call was given. */
function boundOfSession(plan: TaskLimits | null, own: TaskLimits | null): TaskLimits | null {
  if (plan === null || own === null || plan.sessionTimes === null) return null
  return sessionLimits(plan, plan.sessionTimes, own)
}

function sayLoop(
  gate: Gate,
  task: string | null,
  placement: Placement | null,
  loop: LoopVerdict | null,
  nowMs: number,
): void {
  if (loop === null || task === null || placement === null) return
  if (!gate.memory.loops.judged(placement.thread.firstSeen, task, loop, nowMs)) return
  gate.events.emit('loop', {
    task,
    state: loop.state,
    tool: loop.tool,
    repeats: loop.repeats,
    cycleLength: loop.cycleLength,
    hints: loop.hints,
  })
}

function worse(left: TaskState, right: TaskState): TaskState {
  return compareStates(left, right) >= 0 ? left : right
}
