import type { TaskLimits } from '../../shared/config.ts'
import type { CallFacts, ReceivedCall } from '../call.ts'
import { clientName } from '../clientName.ts'
import type { Gate } from '../gate.ts'
import { stateText } from '../guards/states.ts'
import type { GuardState } from '../guards/guard.ts'
import type { LoopVerdict, StateChange, TaskStanding, TaskState } from '../tasks/task.ts'
import { isStart } from '../tasks/storm.ts'
import { compareStates } from '../tasks/ceilings.ts'
import { humanOpensTask } from '../transcript/humanTurn.ts'
import type { Placement } from '../transcript/lineage.ts'
import { judgeLoop } from '../transcript/loops.ts'
import { sessionOf } from './session.ts'
import { worstCase } from './terms.ts'
import type { Terms } from './terms.ts'

/** The task and session that a call belongs to, and how they stand. */
export interface Placed {
  readonly task: string | null
  readonly session: string | null
  readonly placement: Placement | null
  readonly standing: TaskStanding | null
  readonly loop: LoopVerdict | null
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
  const placement = gate.memory.lineage.place({
    explicitSession: named,
    facts: facts.transcript,
    isRetry: received.isRetry,
    previousResponseId: facts.hiddenInput?.previousResponseId ?? null,
  })
  const session = placement?.session ?? named
  const explicit = received.explicitTask
  const turn =
    placement === null || session === null ? null : taskTurn(gate, received, facts, placement, session, named !== null)
  const task = explicit ?? turn
  const standing = task === null ? null : ask(gate, received, facts, terms, task, session)
  // Whatever changes this name (a person's message, a resume) opens a fresh window for repetition.
  const window = `${task ?? ''}#${turn ?? ''}@${task === null ? '' : (gate.memory.tasks.windowStartMs(task) ?? '')}`
  const { loop: limits } = received.identity.plan
  const loop =
    placement === null || limits === null
      ? null
      : judgeLoop(
          facts.transcript.toolStates,
          gate.memory.lineage.loopWindow(placement, window),
          limits,
          facts.transcript.narration,
        )
  sayLoop(gate, task, loop, nowMs)
  return { task, session, placement, standing, loop, state: worse(standing?.state ?? 'ok', loop?.state ?? 'ok') }
}

/** The guards' view of a placement. */
export function placedState(gate: Gate, placed: Placed, received: ReceivedCall, terms: Terms): Partial<GuardState> {
  const currency = terms.config.currency.code
  const velocity = gate.memory.velocity.read(
    spenders(placed.task, received),
    received.identity.plan.rate.eurPerMinute,
    received.receivedAtMs,
  )
  return {
    ...(placed.standing === null
      ? {}
      : { task: { standing: placed.standing, currency, isOwn: gate.memory.requests.has(placed.standing.ref) } }),
    ...(placed.loop === null ? {} : { loop: { verdict: placed.loop, task: placed.task } }),
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

/** The call is over: answered, failed or refused. */
export function leave(
  gate: Gate,
  callId: string,
  placed: Placed,
  isAnswered: boolean,
  responseId: string | null,
): void {
  const nowMs = gate.nowMs()
  gate.memory.tasks.dropped(callId, nowMs)
  if (placed.placement !== null) gate.memory.lineage.ended(placed.placement, nowMs, isAnswered, responseId)
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
): TaskStanding {
  const { identity } = received
  // The smallest answer that is still useful: a larger ceiling is lowered to what the task has left.
  const least = facts.producesOutput ? terms.config.budgets.minOutputTokens * facts.choices : 0
  const asked =
    facts.requestedOutputTokens === null ? least : Math.min(least, facts.requestedOutputTokens * facts.choices)
  const { standing, changes } = gate.memory.tasks.ask(
    {
      callId: received.id,
      task,
      parent: null,
      session,
      tenant: identity.tenant,
      project: identity.project,
      client: clientName(received.userAgent),
    },
    {
      inputTokens: terms.estimatedInputTokens,
      worstCaseNanoEur: worstCase(terms, facts, received.receivedAtMs, asked),
    },
    taskLimits(gate, task, identity.plan.task),
    null,
    received.receivedAtMs,
  )
  sayChanges(gate, changes)
  return standing
}

/**
 * The task of a session that the latest human message opened. Where only the transcript tells sessions apart, a request
 * that begins a conversation always opens one: the same prompt that is sent again after a failure, or an hour later, must
 * not meet the counters of its first try.
 */
function taskTurn(
  gate: Gate,
  received: ReceivedCall,
  facts: CallFacts,
  placement: Placement,
  session: string,
  isNamed: boolean,
): string {
  const opens = humanOpensTask({
    humans: facts.transcript.humans,
    newFrom: placement.newFrom,
    arrivedAtMs: received.receivedAtMs,
    previousAnswerEndedAtMs: placement.previousAnswerEndedAtMs,
    bySubAgent: received.isSubAgent,
  })
  const begins = !isNamed && isStart(facts.transcript)
  const number = (gate.memory.turns.get(session) ?? 0) + (opens || begins ? 1 : 0) || 1
  gate.memory.turns.set(session, number)
  return `${session}-${number}`
}

function sayLoop(gate: Gate, task: string | null, loop: LoopVerdict | null, nowMs: number): void {
  if (loop === null || task === null) return
  const before = gate.memory.loops.get(task)
  if (loop.state === 'ok') {
    if (before !== undefined) gate.memory.loops.set(task, { state: 'ok', haltedAtMs: null })
    return
  }
  if (before?.state === loop.state) return
  gate.memory.loops.set(task, { state: loop.state, haltedAtMs: loop.state === 'halted' ? nowMs : null })
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
