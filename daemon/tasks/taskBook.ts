import type { TaskLimits } from '../../shared/config.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { TaskStatus } from '../../shared/status.ts'
import { totalInput } from '../../shared/usage.ts'
import type { AdmittedCall, SettledCall } from '../call.ts'
import { compareStates, sessionLimits } from './ceilings.ts'
import type { GrantAsk } from './grants.ts'
import { RecentMap } from './recentMap.ts'
import type { Judgement, TallyDelta } from './tally.ts'
import { Tally } from './tally.ts'
import type { StateChange, TaskAsk, TaskCall, TaskStanding, Turn } from './task.ts'

/**
 * Counters of the tasks and sessions that made calls lately. Invariant: from the moment at which a call is let through, its
 * worst case counts in its task, in every task above it and in its session, so that calls made at the same time see each
 * other, and a sub-agent runs under the limits of the task that it works for (K17). Bounded, in memory; time is passed in.
 */

const mostTasks = 500
const mostSessions = 500
/** Sub-agents of sub-agents that are followed upwards. */
const mostLevels = 8

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
  readonly #tasks = new RecentMap<Tally>(mostTasks, mayLeave)
  readonly #sessions = new RecentMap<Tally>(mostSessions, mayLeave)
  readonly #holds = new Map<string, Hold>()

  /**
   * Judges a call before anything is reserved for it and, where it may go on, counts it as in flight: each such call ends
   * in `settled` or `dropped`. `sessionTimes` is how many times a task's ceilings its session may take; null is no bound.
   */
  ask(call: TaskCall, ask: TaskAsk, limits: TaskLimits | null, sessionTimes: number | null, nowMs: number): Asked {
    const line = this.#lineOf(call, nowMs)
    const session = this.#sessionOf(call, nowMs)
    // One limit for all that work for a task: per-agent counters are a view (K17).
    for (const tally of line) tally.limits = tally === line.at(-1) ? limits : null
    if (session !== null) {
      session.limits = limits === null || sessionTimes === null ? null : sessionLimits(limits, sessionTimes)
    }
    const [own, ...others] = withSession(line, session)
    const changes: StateChange[] = []
    const judge = (tally: Tally): Judged => {
      const judged = tally.judge(ask, nowMs)
      changes.push(...judged.changes)
      return { tally, judgement: judged.judgement }
    }
    let worst = judge(own)
    for (const other of others) {
      const judged = judge(other)
      if (weighsMore(judged.judgement, worst.judgement)) worst = judged
    }
    const { tally, judgement } = worst
    const standing: TaskStanding = {
      scope: tally.owner.scope,
      ref: tally.owner.ref,
      state: tally.state,
      verdict: judgement.verdict,
      stop: judgement.stop,
      totals: tally.totals(nowMs),
      ask,
      haltedAtMs: tally.halted?.atMs ?? null,
    }
    if (judgement.stop === null) this.#hold(call.callId, [own, ...others], ask, nowMs)
    else if (tally.halted !== null && tally.halted.by !== 'pause') tally.refused(nowMs)
    return { standing, changes }
  }

  /** A call goes to an upstream: one iteration. What it asked for is replaced by what was reserved. */
  started(call: AdmittedCall): void {
    const nowMs = call.receivedAtMs
    if (!this.#holds.has(call.id)) {
      if (call.task === null) return
      const about = taskCallOf(call, call.task)
      this.#hold(call.id, withSession(this.#lineOf(about, nowMs), this.#sessionOf(about, nowMs)), nothing, nowMs)
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
    const delta: TallyDelta = { iterations: 0, inputTokens: 0, spentNanoEur: nanoEur, reservedNanoEur: 0 }
    return this.#aboveAnd(taskId, nowMs).flatMap((tally) => {
      tally.add(delta, nowMs)
      return tally.judgeSpent(nowMs)
    })
  }

  /**
   * Adds room to a task, for its life or until a time; a sub-agent's grant goes to the task that it works for, and the
   * session gets the same, or its own ceiling would take the grant back. Throws a RangeError for amounts below 0.
   */
  grant(taskId: string, ask: GrantAsk, nowMs: number): readonly StateChange[] {
    return this.#bounding(taskId, nowMs).flatMap((tally) => {
      tally.grants.add(ask)
      return tally.roomMade(nowMs)
    })
  }

  /** A person halts a task, known or not: its next call is refused (A19). */
  halt(taskId: string, nowMs: number): readonly StateChange[] {
    return this.#tally(taskId, nowMs).stopBy('person', nowMs)
  }

  /** A person stops a task for a while: its wall clock stands still and no supervisor severs it. */
  pause(taskId: string, nowMs: number): readonly StateChange[] {
    return this.#tally(taskId, nowMs).stopBy('pause', nowMs)
  }

  /**
   * A person says go on. After a halt the ceilings bound a fresh window, the session's too where it was at its own; totals
   * go on. A ceiling's halt of the task above is lifted with it, another person's halt of that task is not.
   */
  resume(taskId: string, nowMs: number): readonly StateChange[] {
    const own = this.#tally(taskId, nowMs)
    return [
      ...own.resume(nowMs),
      ...this.#bounding(taskId, nowMs)
        .filter((tally) => tally !== own && tally.halted?.by === 'ceiling')
        .flatMap((tally) => tally.resume(nowMs)),
    ]
  }

  /** Halted tasks and sessions that were called after their grace period, and within the last one. */
  stillCalling(nowMs: number, graceMs: number): readonly StillCalling[] {
    return [...this.#tasks.recent(), ...this.#sessions.recent()].flatMap((tally) => {
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
    return this.#tasks.peek(taskId)?.windowStartMs ?? null
  }

  /** The latest turns of a task, oldest first. */
  turns(taskId: string): readonly Turn[] {
    return this.#tasks.peek(taskId)?.turns ?? []
  }

  /** Calls of a task that its client's SDK said to be repeats; each is an iteration too (L02). */
  retries(taskId: string): number {
    return this.#tasks.peek(taskId)?.retries ?? 0
  }

  /** Latest first. Sub-agents stand in the row of the task that they work for. */
  status(most: number): TaskStatus[] {
    return this.#tasks
      .recent()
      .filter((tally) => tally.parent === null)
      .slice(0, most)
      .map((tally) => tally.status())
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

  #tally(taskId: string, nowMs: number): Tally {
    return this.#tasks.use(taskId, () => new Tally(ownerOf('task', taskId), nowMs))
  }

  /** The task and those above it, the topmost last. */
  #above(own: Tally, nowMs: number): [Tally, ...Tally[]] {
    const line: [Tally, ...Tally[]] = [own]
    let parent = own.parent
    while (parent !== null && line.length < mostLevels) {
      const tally = this.#tally(parent, nowMs)
      // A task that names itself above itself has nobody above it.
      if (line.includes(tally)) break
      line.push(tally)
      parent = tally.parent
    }
    return line
  }

  #lineOf(call: TaskCall, nowMs: number): [Tally, ...Tally[]] {
    const own = this.#tally(call.task, nowMs)
    own.parent = call.parent === call.task ? null : call.parent
    const line = this.#above(own, nowMs)
    describe(own, call)
    // Known by its sub-agent only, until it calls itself.
    for (const tally of line) if (tally.owner.tenant === '') describe(tally, call)
    return line
  }

  #sessionOf(call: TaskCall, nowMs: number): Tally | null {
    const { session } = call
    if (session === null) return null
    const tally = this.#sessions.use(session, () => new Tally(ownerOf('session', session), nowMs))
    describe(tally, call)
    return tally
  }

  #aboveAnd(taskId: string, nowMs: number): readonly Tally[] {
    const line = this.#above(this.#tally(taskId, nowMs), nowMs)
    const session = this.#sessions.peek(line[0].owner.session ?? '')
    return withSession(line, session ?? null)
  }

  /** What holds the ceilings of a task: the topmost task and the session. */
  #bounding(taskId: string, nowMs: number): readonly Tally[] {
    const all = this.#aboveAnd(taskId, nowMs)
    const root = all.findLast((tally) => tally.owner.scope === 'task')
    return all.filter((tally) => tally === root || tally.owner.scope === 'session')
  }
}

function withSession(line: [Tally, ...Tally[]], session: Tally | null): [Tally, ...Tally[]] {
  return session === null ? line : [...line, session]
}

const nothing: TaskAsk = { inputTokens: 0, worstCaseNanoEur: 0 }

function ownerOf(scope: 'task' | 'session', ref: string): Tally['owner'] {
  return { scope, ref, session: scope === 'session' ? ref : null, tenant: '', project: null, client: '' }
}

function describe(tally: Tally, call: TaskCall): void {
  const { owner } = tally
  owner.session = call.session
  owner.tenant = call.tenant
  owner.project = call.project
  owner.client = call.client
}

/** What is in use or was stopped stays: a forgotten halt would let its task go on. */
function mayLeave(tally: Tally): boolean {
  return tally.inFlight === 0 && tally.halted === null
}

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
    parent: null,
    session: call.session,
    tenant: call.identity.tenant,
    project: call.identity.project,
    client: call.userAgent.split(' ')[0]?.slice(0, 60) ?? '',
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
