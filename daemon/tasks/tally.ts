import type { TaskLimits } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { TaskOrder } from '../ledger/ledger.ts'
import type { TaskStatus } from '../../shared/status.ts'
import { ceilingOf, compareStates, judgeTask, roomNanoEur } from './ceilings.ts'
import { forecastHalt } from './forecast.ts'
import { GrantList } from './grants.ts'
import type { Counted, Opening } from './past.ts'
import type { StateChange, TaskAsk, TaskCounter, TaskState, TaskStop, TaskTotals, TaskVerdict, Turn } from './task.ts'

/** Turns that are kept for the forecast and the dashboard. */
const mostTurns = 200

/** Who a tally belongs to. */
export interface TallyOwner {
  readonly scope: 'task' | 'session'
  readonly ref: string
  session: string | null
  tenant: string
  project: string | null
  client: string
  /** Whether somebody chose `ref`, of a task; see `TaskCall`. */
  isNamed: boolean
}

/** Changes of the counters by one call. */
export interface TallyDelta {
  readonly iterations: number
  readonly inputTokens: number
  readonly spentNanoEur: NanoEur
  readonly reservedNanoEur: NanoEur
}

/** What a call is judged with: the verdict, and why it may not go out. */
export interface Judgement {
  readonly verdict: TaskVerdict
  readonly stop: TaskStop | null
}

interface Halt {
  readonly by: 'ceiling' | 'person' | 'pause'
  readonly verdict: TaskVerdict
  readonly atMs: number
}

/** What the counters say of a task; its repetition is known elsewhere. */
export type TallyStatus = Omit<TaskStatus, 'loop'>

const calm: TaskVerdict = { state: 'ok', nearest: null, share: 0, limit: 0, value: 0 }
const nothing: TaskAsk = { inputTokens: 0, worstCaseNanoEur: 0 }

/**
 * The counters of one task or session. Totals are of its whole life; the ceilings bound the window since it began or was
 * last resumed. A halt stays: calls that would still fit are refused too, so that a parent hears the same as its sub-agent
 * (A21). It ends when a person resumes, or when the ceiling that was met has been raised.
 */
export class Tally {
  readonly owner: TallyOwner
  readonly grants = new GrantList()
  /** Parent task of a sub-agent's. */
  parent: string | null = null
  limits: TaskLimits | null = null
  inFlight = 0
  retries = 0
  /** A call without a known price was let through: `spentNanoEur` is a floor. */
  costIncomplete = false
  /** When the window began that the ceilings bound: loops are looked for from here on too. */
  windowStartMs: number
  lastMs: number
  refusedSinceHalt = 0
  lastRefusedMs: number | null = null
  readonly #firstMs: number
  #iterations: number
  #inputTokens: number
  #spentNanoEur: number
  #reservedNanoEur = 0
  /** Part of what is spent: euros beside the calls. */
  #chargedNanoEur: number
  /** Totals at the start of the window. */
  #base: Counted
  #pausedMs: number
  #halt: Halt | null = null
  #state: TaskState = 'ok'
  /** The highest state that was told in this window. */
  #told: TaskState = 'ok'
  #nearest: TaskCounter | null = null
  #turns: Turn[] = []

  constructor(owner: TallyOwner, { life, base, stop, ...times }: Opening) {
    this.owner = owner
    this.#iterations = life.iterations
    this.#inputTokens = life.inputTokens
    this.#spentNanoEur = life.spentNanoEur
    this.#chargedNanoEur = life.chargedNanoEur
    this.#base = base
    this.#firstMs = times.firstMs
    this.windowStartMs = times.windowStartMs
    this.lastMs = times.lastMs
    this.#pausedMs = times.pausedMs
    if (stop === null) return
    this.#halt = { ...stop, verdict: { ...calm, state: 'halted' } }
    this.#told = 'halted'
  }

  get state(): TaskState {
    return this.#halt === null ? this.#state : 'halted'
  }

  get halted(): { readonly by: Halt['by']; readonly atMs: number } | null {
    return this.#halt
  }

  get turns(): readonly Turn[] {
    return this.#turns
  }

  /** Counters of the window. */
  totals(nowMs: number): TaskTotals {
    return {
      iterations: Math.max(0, this.#iterations - this.#base.iterations),
      inputTokens: Math.max(0, this.#inputTokens - this.#base.inputTokens),
      wallSeconds: Math.max(0, (nowMs - this.windowStartMs - this.#pausedSoFar(nowMs)) / 1000),
      spentNanoEur: Math.max(0, this.#spentNanoEur - this.#base.spentNanoEur),
      reservedNanoEur: this.#reservedNanoEur,
    }
  }

  /**
   * Judges a call and keeps what it says of the task. Where only the reservations of running calls stand in its way it is
   * `held`: refused, or let wait, while the task goes on.
   */
  judge(ask: TaskAsk, nowMs: number): { readonly judgement: Judgement; readonly changes: readonly StateChange[] } {
    const changes = this.#liftIfRaised(nowMs)
    const judgement = this.preview(ask, nowMs)
    const { verdict, stop } = judgement
    if (this.#halt !== null || this.limits === null || stop === 'held') return { judgement, changes }
    const noted = stop === null ? this.#note(verdict, nowMs) : this.#stop('ceiling', verdict, nowMs)
    return { judgement, changes: [...changes, ...noted] }
  }

  /** What `judge` would say to a call; keeps nothing. */
  preview(ask: TaskAsk, nowMs: number): Judgement {
    const halt = this.#halt
    if (halt !== null && !this.#isRaised(halt, nowMs)) return { verdict: halt.verdict, stop: halt.by }
    if (this.limits === null) return { verdict: calm, stop: null }
    const totals = this.totals(nowMs)
    const grant = this.grants.at(nowMs)
    const verdict = judgeTask(totals, ask, this.limits, grant)
    if (verdict.state !== 'halted') return { verdict, stop: null }
    const alone = judgeTask({ ...totals, reservedNanoEur: 0 }, ask, this.limits, grant)
    return { verdict, stop: alone.state === 'halted' ? 'ceiling' : 'held' }
  }

  /** Euros that are left for a call; null where they are not limited. */
  room(nowMs: number): NanoEur | null {
    return this.limits === null ? null : roomNanoEur(this.totals(nowMs), this.limits, this.grants.at(nowMs))
  }

  /** Judges what has been spent, without a next call. */
  judgeSpent(nowMs: number): readonly StateChange[] {
    if (this.limits === null || this.#halt !== null) return []
    const verdict = this.#spentVerdict(this.limits, this.totals(nowMs), nowMs)
    if (verdict.state !== 'halted') return this.#note(verdict, nowMs)
    const alone = this.#spentVerdict(this.limits, { ...this.totals(nowMs), reservedNanoEur: 0 }, nowMs)
    return alone.state === 'halted' ? this.#stop('ceiling', verdict, nowMs) : []
  }

  add(delta: TallyDelta, nowMs: number): void {
    this.#iterations += delta.iterations
    this.#inputTokens += delta.inputTokens
    this.#spentNanoEur += delta.spentNanoEur
    this.#reservedNanoEur += delta.reservedNanoEur
    this.lastMs = Math.max(this.lastMs, nowMs)
  }

  /** Euros beside its calls. */
  charge(nanoEur: NanoEur, nowMs: number): void {
    this.#chargedNanoEur += nanoEur
    this.add({ iterations: 0, inputTokens: 0, spentNanoEur: nanoEur, reservedNanoEur: 0 }, nowMs)
  }

  addTurn(turn: Turn): void {
    this.#turns.push(turn)
    if (this.#turns.length > mostTurns) this.#turns.shift()
  }

  /** A call that came although the task is halted. */
  refused(nowMs: number): void {
    this.refusedSinceHalt += 1
    this.lastRefusedMs = nowMs
  }

  /** A person halts or pauses. */
  stopBy(by: 'person' | 'pause', nowMs: number): readonly StateChange[] {
    return this.#stop(by, { ...calm, state: 'halted' }, nowMs)
  }

  /**
   * A person says go on. After a pause the window goes on, after a halt a fresh one begins (K09). Told where something was
   * halted: its counters, or by `isLooping` what it repeats.
   */
  resume(nowMs: number, isLooping = false): readonly StateChange[] {
    const halt = this.#halt
    if (halt?.by === 'pause') this.#pausedMs = this.#pausedSoFar(nowMs)
    else {
      this.#base = {
        iterations: this.#iterations,
        inputTokens: this.#inputTokens,
        spentNanoEur: this.#spentNanoEur,
        chargedNanoEur: this.#chargedNanoEur,
      }
      this.windowStartMs = nowMs
      this.#pausedMs = 0
    }
    this.#turnOn()
    if (halt === null && !isLooping) return []
    return [this.#change('halted', this.#state, 'resume', calm, nowMs)]
  }

  /** After a grant: ends a halt at a ceiling that is higher now, and lets lower states be told again. */
  roomMade(nowMs: number): readonly StateChange[] {
    if (this.#halt !== null) return this.#liftIfRaised(nowMs)
    if (this.limits === null) return []
    const verdict = this.#spentVerdict(this.limits, this.totals(nowMs), nowMs)
    if (compareStates(verdict.state, this.#told) >= 0) return []
    const from = this.#told
    this.#state = verdict.state
    this.#told = verdict.state
    return [this.#change(from, verdict.state, 'room', verdict, nowMs)]
  }

  status(): TallyStatus {
    const totals = this.totals(this.lastMs)
    const limits = this.limits
    const grant = this.grants.at(this.lastMs)
    return {
      id: this.owner.ref,
      named: this.owner.isNamed,
      session: this.owner.session,
      project: this.owner.project,
      client: this.owner.client,
      state: this.state,
      iterations: this.#iterations,
      inputTokens: this.#inputTokens,
      wallSeconds: Math.max(0, (this.lastMs - this.#firstMs) / 1000),
      startedAt: new Date(this.#firstMs).toISOString(),
      eur: eurFromNano(this.#spentNanoEur),
      costIncomplete: this.costIncomplete,
      nearest: this.#nearest,
      forecast: limits === null || this.state === 'halted' ? null : forecastHalt(this.#turns, totals, limits, grant),
    }
  }

  /** What its calls do not say and a restart must not forget. A halt at a ceiling comes back from the counters. */
  order(nowMs: number): TaskOrder {
    const halt = this.#halt
    return {
      scope: this.owner.scope,
      ref: this.owner.ref,
      atMs: nowMs,
      stop: halt === null || halt.by === 'ceiling' ? null : { by: halt.by, atMs: halt.atMs },
      windowFromMs: this.windowStartMs > this.#firstMs ? this.windowStartMs : null,
      pausedMs: this.#pausedMs,
      chargedNanoEur: this.#chargedNanoEur,
      windowChargedNanoEur: this.#chargedNanoEur - this.#base.chargedNanoEur,
    }
  }

  /** Where the counters are without a next call. Wall time is left out: a task that ended in time grows no older. */
  #spentVerdict(limits: TaskLimits, totals: TaskTotals, nowMs: number): TaskVerdict {
    const before = { ...totals, iterations: totals.iterations - 1 }
    return judgeTask(before, nothing, { ...limits, maxWallSeconds: null }, this.grants.at(nowMs))
  }

  #pausedSoFar(nowMs: number): number {
    return this.#pausedMs + (this.#halt?.by === 'pause' ? Math.max(0, nowMs - this.#halt.atMs) : 0)
  }

  #note(verdict: TaskVerdict, nowMs: number): readonly StateChange[] {
    this.#state = verdict.state
    this.#nearest = verdict.nearest
    if (compareStates(verdict.state, this.#told) <= 0) return []
    const from = this.#told
    this.#told = verdict.state
    return [this.#change(from, verdict.state, 'ceiling', verdict, nowMs)]
  }

  #stop(by: Halt['by'], verdict: TaskVerdict, nowMs: number): readonly StateChange[] {
    const before = this.#halt
    if (before !== null) {
      // A person's halt takes the place of a ceiling's or a pause: no grant lifts it.
      if (by !== 'person' || before.by === 'person') return []
      this.#pausedMs = this.#pausedSoFar(nowMs)
      this.#halt = { by, verdict, atMs: before.by === 'pause' ? nowMs : before.atMs }
      return []
    }
    const from = this.#told
    this.#halt = { by, verdict, atMs: nowMs }
    this.#told = 'halted'
    this.#nearest = verdict.nearest ?? this.#nearest
    this.refusedSinceHalt = 0
    this.lastRefusedMs = null
    return [this.#change(from, 'halted', by, verdict, nowMs)]
  }

  /** The ceiling that was met is higher now. */
  #isRaised({ by, verdict }: Halt, nowMs: number): boolean {
    const counter = verdict.nearest
    if (by !== 'ceiling' || counter === null) return false
    const ceiling = this.limits === null ? null : ceilingOf(counter, this.limits, this.grants.at(nowMs))
    return ceiling === null || (counter === 'eur' ? eurFromNano(ceiling) : ceiling) > verdict.limit
  }

  #liftIfRaised(nowMs: number): readonly StateChange[] {
    const halt = this.#halt
    if (halt === null || !this.#isRaised(halt, nowMs)) return []
    this.#turnOn()
    if (this.limits === null) return [this.#change('halted', 'ok', 'room', halt.verdict, nowMs)]
    const verdict = this.#spentVerdict(this.limits, this.totals(nowMs), nowMs)
    this.#state = verdict.state
    this.#told = verdict.state
    this.#nearest = verdict.nearest
    return [this.#change('halted', verdict.state, 'room', verdict, nowMs)]
  }

  #turnOn(): void {
    this.#halt = null
    this.refusedSinceHalt = 0
    this.lastRefusedMs = null
    this.#state = 'ok'
    this.#told = 'ok'
    this.#nearest = null
  }

  #change(
    from: TaskState,
    to: TaskState,
    cause: StateChange['cause'],
    verdict: TaskVerdict,
    atMs: number,
  ): StateChange {
    const { nearest: counter, value, limit } = verdict
    return { ...this.owner, from, to, cause, counter, value, limit, atMs }
  }
}
