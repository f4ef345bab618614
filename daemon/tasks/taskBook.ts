import type { TaskLimits } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'
import { totalInput } from '../../shared/usage.ts'
import type { AdmittedCall, SettledCall } from '../call.ts'
import { clientName } from '../clientName.ts'
import type { TaskOrder } from '../ledger/ledger.ts'
import { compareStates } from './ceilings.ts'
import { GrantsByTask } from './grants.ts'
import type { GrantAsk } from './grants.ts'
import { noHistory } from './past.ts'
import type { TaskHistory } from './past.ts'
import type { Judgement, Tally, TallyDelta, TallyStatus } from './tally.ts'
import { TallyIndex, withSession } from './tallyIndex.ts'
import type { StateChange, TaskAsk, TaskCall, TaskStanding, TaskStop, Turn } from './task.ts'

/**
 * Counters of the tasks and sessions that made calls lately. Invariant: from the moment at which a call is let through, its
 * worst case counts in its task, in every task above it and in its session, so that calls made at the same time see each
 * other, and a sub-agent runs under the limits of the task that it works for (K17). Bounded, in memory; time is passed in.
 * A task or session that is not known is asked for in the history, once: a restart gives nobody fresh counters.
 */

/** A call that is counted and not over. */
interface Hold {
  /** The task itself, those above it, its session. */
  readonly tallies: readonly Tally[]
  inputTokens: number
  nanoEur: NanoEur
  started: boolean
}

interface Judged {
  readonly tally: Tally
  readonly judgement: Judgement
}

/** A halted task or session whose client has not stopped calling. */
export interface StillCalling {
  readonly scope: 'task' | 'session'
  readonly ref: string
  readonly session: string | null
  readonly client: string
  readonly haltedAtMs: number
  readonly lastCallMs: number
  /** Calls that were refused since the halt. */
  readonly calls: number
}

/** What came of a call's question. */
export interface Asked {
  readonly standing: TaskStanding
  readonly changes: readonly StateChange[]
}

/** See the head of the file. Methods that can change a state return the changes that have to be told. */
export class TaskBook {
  readonly #index: TallyIndex
  readonly #holds = new Map<string, Hold>()
  readonly #grants = new GrantsByTask()

  constructor(history: TaskHistory = noHistory) {
    this.#index = new TallyIndex(history)
  }

  /**
   * Judges a call before anything is reserved for it and, where it may go on, counts it as in flight: each such call ends
   * in `settled` or `dropped`. `sessionLimits` are those of its session; null is no bound. Throws what the history throws,
   * and then nothing is counted.
   */
  ask(call: TaskCall, ask: TaskAsk, limits: TaskLimits | null, sessionLimits: TaskLimits | null, nowMs: number): Asked {
    const line = this.#index.lineOf(call, nowMs)
    const session = this.#index.sessionOf(call, nowMs)
    // One limit for all that work for a task: per-agent counters are a view (K17).
    for (const tally of line) tally.limits = tally === line.at(-1) ? limits : null
    if (session !== null) session.limits = sessionLimits
    const tallies = withSession(line, session)
    const changes: StateChange[] = []
    for (const { owner } of line) changes.push(...this.#applyGrants(owner.ref, nowMs))
    const judge = (tally: Tally): Judged => {
      const judged = tally.judge(ask, nowMs)
      changes.push(...judged.changes)
      return { tally, judgement: judged.judgement }
    }
    let worst = judge(tallies[0])
    for (const other of tallies.slice(1)) {
      const judged = judge(other)
      if (weighsMore(judged.judgement, worst.judgement)) worst = judged
    }
    const { tally, judgement } = worst
    const standing: TaskStanding = {
      scope: tally.owner.scope,
      ref: tally.owner.ref,
      task: call.task,
      state: tally.state,
      verdict: judgement.verdict,
      stop: judgement.stop,
      totals: tally.totals(nowMs),
      ask,
      roomNanoEur: leastRoom(tallies, nowMs),
      haltedAtMs: tally.halted?.atMs ?? null,
    }
    if (judgement.stop === null) this.#hold(call.callId, tallies, ask, nowMs)
    else if (tally.halted !== null && tally.halted.by !== 'pause') tally.refused(nowMs)
    return { standing, changes }
  }

  /** A call goes to an upstream: one iteration. What it asked for is replaced by what was reserved. */
  started(call: AdmittedCall): void {
    const nowMs = call.receivedAtMs
    if (!this.#holds.has(call.id)) {
      if (call.task === null) return
      const about = taskCallOf(call, call.task)
      this.#hold(
        call.id,
        withSession(this.#index.lineOf(about, nowMs), this.#index.sessionOf(about, nowMs)),
        nothing,
        nowMs,
      )
    }
    const hold = this.#holds.get(call.id)
    if (hold === undefined) return
    hold.started = true
    this.#count(
      hold,
      {
        iterations: 0,
        inputTokens: call.estimatedInputTokens - hold.inputTokens,
        spentNanoEur: 0,
        reservedNanoEur: call.reservedNanoEur - hold.nanoEur,
      },
      nowMs,
    )
    hold.inputTokens = call.estimatedInputTokens
    hold.nanoEur = call.reservedNanoEur
    if (call.isRetry) for (const tally of hold.tallies) tally.retries += 1
  }

  /** A call's reservation is replaced by what it used. One that never reached the upstream is no iteration. */
  settled(call: SettledCall): readonly StateChange[] {
    const hold = this.#release(call.id)
    if (hold === undefined) return []
    const inputTokens = totalInput(call.usage)
    this.#count(
      hold,
      {
        iterations: call.settlement === 'released' ? -1 : 0,
        inputTokens: inputTokens - hold.inputTokens,
        spentNanoEur: call.costNanoEur,
        reservedNanoEur: -hold.nanoEur,
      },
      call.settledAtMs,
    )
    // What has no price added nothing, so that the sum is a floor and has to say so (E10).
    if (!call.priced && call.settlement !== 'released') for (const tally of hold.tallies) tally.costIncomplete = true
    if (inputTokens > 0) {
      const turn = turnOf(call)
      for (const tally of hold.tallies) tally.addTurn(turn)
    }
    return hold.tallies.flatMap((tally) => tally.judgeSpent(call.settledAtMs))
  }

  /**
   * A call ends without a settlement. Before it was started nothing was sent and its hold is given back; after that its
   * reservation stays spent, as it does in the ledger. Does nothing for a call that is over: it may stand in a `finally`.
   */
  dropped(callId: string, nowMs: number): void {
    const hold = this.#release(callId)
    if (hold === undefined) return
    this.#count(
      hold,
      {
        iterations: hold.started ? 0 : -1,
        inputTokens: hold.started ? 0 : -hold.inputTokens,
        spentNanoEur: hold.started ? hold.nanoEur : 0,
        reservedNanoEur: -hold.nanoEur,
      },
      nowMs,
    )
  }

  /** Euros that a task spent beside its tokens (a search, a sandbox). Counted even for a task that is not known yet. */
  charge(taskId: string, nanoEur: NanoEur, nowMs: number): readonly StateChange[] {
    return this.#index.chargedWith(taskId, nowMs).flatMap((tally) => {
      tally.charge(nanoEur, nowMs)
      return tally.judgeSpent(nowMs)
    })
  }

  /**
   * Adds room to a task, for its life or until a time; a sub-agent's grant goes to the task that it works for, and the
   * session gets the same, or its own ceiling would take the grant back. A task that has not called yet gets it with its
   * first call. Throws a RangeError for amounts below 0.
   */
  grant(taskId: string, ask: GrantAsk, nowMs: number): readonly StateChange[] {
    this.#grants.add(taskId, ask, nowMs)
    return this.#index.peek(taskId) === undefined ? [] : this.#applyGrants(taskId, nowMs)
  }

  /** A person halts a task, known or not: its next call is refused (A19). */
  halt(taskId: string, nowMs: number): readonly StateChange[] {
    return this.#index.task(taskId, nowMs).stopBy('person', nowMs)
  }

  /** A person stops a task for a while: its wall clock stands still and no supervisor severs it. */
  pause(taskId: string, nowMs: number): readonly StateChange[] {
    return this.#index.task(taskId, nowMs).stopBy('pause', nowMs)
  }

  /**
   * A person says go on. After a halt the ceilings bound a fresh window, the session's too where it was at its own; totals
   * go on. A ceiling's halt of the task above is lifted with it, another person's halt of that task is not. `isLooping`: it
   * was halted by its repetition, wherever its counters stand.
   */
  resume(taskId: string, nowMs: number, isLooping = false): readonly StateChange[] {
    const own = this.#index.task(taskId, nowMs)
    return [
      ...own.resume(nowMs, isLooping),
      ...this.#index
        .bounding(taskId, nowMs)
        .filter((tally) => tally !== own && tally.halted?.by === 'ceiling')
        .flatMap((tally) => tally.resume(nowMs)),
    ]
  }

  /**
   * Why the next call of a task would be refused, however small it is; null where it would not. Nothing is counted: by this
   * a halt is confirmed before anybody is told of it (A19).
   */
  nextStop(taskId: string, nowMs: number): TaskStop | null {
    const stops = this.#index.chargedWith(taskId, nowMs).map((tally) => tally.preview(nothing, nowMs).stop)
    return stops.find((stop) => stop !== null) ?? null
  }

  /** What has to be written down after a person or a charge changed a task: of itself, those above it and its session. */
  orders(taskId: string, nowMs: number): readonly TaskOrder[] {
    return this.#index.chargedWith(taskId, nowMs).map((tally) => tally.order(nowMs))
  }

  /** Halted tasks and sessions that were called after their grace period, and within the last one. */
  stillCalling(nowMs: number, graceMs: number): readonly StillCalling[] {
    return this.#index.all().flatMap((tally) => {
      const { halted, lastRefusedMs } = tally
      if (halted === null || halted.by === 'pause' || lastRefusedMs === null) return []
      if (lastRefusedMs < halted.atMs + graceMs || lastRefusedMs < nowMs - graceMs) return []
      return [
        {
          scope: tally.owner.scope,
          ref: tally.owner.ref,
          session: tally.owner.session,
          client: tally.owner.client,
          haltedAtMs: halted.atMs,
          lastCallMs: lastRefusedMs,
          calls: tally.refusedSinceHalt,
        },
      ]
    })
  }

  /** When a task's window began: earlier steps are no part of a loop. Null for a task that is not known. */
  windowStartMs(taskId: string): number | null {
    return this.#index.peek(taskId)?.windowStartMs ?? null
  }

  /** When the latest call or charge of a task came, in milliseconds since the epoch; null for a task that is not known. */
  lastCallMs(taskId: string): number | null {
    return this.#index.peek(taskId)?.lastMs ?? null
  }

  /** The latest turns of a task, oldest first. */
  turns(taskId: string): readonly Turn[] {
    return this.#index.peek(taskId)?.turns ?? []
  }

  /** Calls of a task that its client's SDK said to be repeats; each is an iteration too (L02). */
  retries(taskId: string): number {
    return this.#index.peek(taskId)?.retries ?? 0
  }

  /** Status of one task, a sub-agent's too; null for one that nothing is known of, from before a restart neither. */
  statusOf(taskId: string, nowMs: number): TallyStatus | null {
    return this.#index.look(taskId, nowMs)?.status() ?? null
  }

  /** Latest first. Sub-agents stand in the row of the task that they work for. */
  status(most: number): TallyStatus[] {
    return this.#index
      .tasks()
      .filter((tally) => tally.parent === null)
      .slice(0, most)
      .map((tally) => tally.status())
  }

  /** Lets the grants of a task count that do not yet: one is added to a task and a session once. */
  #applyGrants(taskId: string, nowMs: number): readonly StateChange[] {
    const asks = this.#grants.of(taskId)
    if (asks.length === 0) return []
    return this.#index.bounding(taskId, nowMs).flatMap((tally) => {
      const added = asks.map((ask) => tally.grants.add(ask))
      return added.includes(true) ? tally.roomMade(nowMs) : []
    })
  }

  #hold(callId: string, tallies: readonly Tally[], ask: TaskAsk, nowMs: number): void {
    const hold: Hold = { tallies, inputTokens: ask.inputTokens, nanoEur: ask.worstCaseNanoEur, started: false }
    this.#holds.set(callId, hold)
    for (const tally of tallies) tally.inFlight += 1
    this.#count(
      hold,
      { iterations: 1, inputTokens: hold.inputTokens, spentNanoEur: 0, reservedNanoEur: hold.nanoEur },
      nowMs,
    )
  }

  #release(callId: string): Hold | undefined {
    const hold = this.#holds.get(callId)
    if (hold === undefined) return undefined
    this.#holds.delete(callId)
    for (const tally of hold.tallies) tally.inFlight -= 1
    return hold
  }

  #count(hold: Hold, delta: TallyDelta, nowMs: number): void {
    for (const tally of hold.tallies) tally.add(delta, nowMs)
  }
}

/** Euros that are left in all of them. */
function leastRoom(tallies: readonly Tally[], nowMs: number): NanoEur | null {
  const rooms = tallies.map((tally) => tally.room(nowMs)).filter((room) => room !== null)
  return rooms.length === 0 ? null : Math.min(...rooms)
}

const nothing: TaskAsk = { inputTokens: 0, worstCaseNanoEur: 0 }

const stopWeight = { ceiling: 2, held: 1, person: 4, pause: 3 } as const

function weighsMore(one: Judgement, other: Judgement): boolean {
  const weight = (judgement: Judgement): number => (judgement.stop === null ? 0 : stopWeight[judgement.stop])
  if (weight(one) !== weight(other)) return weight(one) > weight(other)
  const order = compareStates(one.verdict.state, other.verdict.state)
  return order > 0 || (order === 0 && one.verdict.share > other.verdict.share)
}

function taskCallOf(call: AdmittedCall, task: string): TaskCall {
  return {
    callId: call.id,
    task,
    isNamed: call.explicitTask !== null,
    parent: null,
    session: call.session,
    lasts: { task: false, session: false },
    tenant: call.identity.tenant,
    project: call.identity.project,
    client: clientName(call.userAgent),
  }
}

function turnOf({ usage, costNanoEur, settledAtMs }: SettledCall): Turn {
  return {
    newInputTokens: totalInput(usage) - usage.cacheRead,
    cachedInputTokens: usage.cacheRead,
    outputTokens: usage.output,
    nanoEur: costNanoEur,
    atMs: settledAtMs,
  }
}
