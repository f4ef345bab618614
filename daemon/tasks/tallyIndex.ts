import { freshOpening, openingOf } from './past.ts'
import type { TaskHistory } from './past.ts'
import { RecentMap } from './recentMap.ts'
import { Tally } from './tally.ts'
import type { TaskCall } from './task.ts'

const mostTasks = 500
const mostSessions = 500
/** Sub-agents of sub-agents that are followed upwards. */
const mostLevels = 8

/** A task and what stands above it; there is always the task itself. */
export type TallyLine = [Tally, ...Tally[]]

/**
 * Tallies of the tasks and sessions that were in use lately, and who works for whom. One that is made goes on with what is
 * known of it from before.
 */
export class TallyIndex {
  readonly #tasks = new RecentMap<Tally>(mostTasks, mayLeave)
  readonly #sessions = new RecentMap<Tally>(mostSessions, mayLeave)
  readonly #history: TaskHistory

  constructor(history: TaskHistory) {
    this.#history = history
  }

  /** The tally of a task, made where it is not known. */
  task(taskId: string, nowMs: number): Tally {
    return this.#tasks.use(taskId, () => this.#make('task', taskId, true, nowMs))
  }

  /** The tally of a task that is known. */
  peek(taskId: string): Tally | undefined {
    return this.#tasks.peek(taskId)
  }

  /** The tally of a task that is known here or from before, to read; nothing begins by it. */
  look(taskId: string, nowMs: number): Tally | null {
    const known = this.#tasks.peek(taskId)
    if (known !== undefined) return known
    const past = this.#history('task', taskId)
    return past === null ? null : new Tally(ownerOf('task', taskId), openingOf('task', past, nowMs))
  }

  /** The latest first. */
  tasks(): readonly Tally[] {
    return this.#tasks.recent()
  }

  /** Tasks, then sessions. */
  all(): readonly Tally[] {
    return [...this.#tasks.recent(), ...this.#sessions.recent()]
  }

  /** The task of a call and those above it, the topmost last. */
  lineOf(call: TaskCall, nowMs: number): TallyLine {
    const own = this.#tasks.use(call.task, () => this.#make('task', call.task, call.lasts.task, nowMs))
    own.parent = call.parent === call.task ? null : call.parent
    const line = this.#above(own, nowMs)
    describe(own, call)
    // Known by its sub-agent only, until it calls itself.
    for (const tally of line) if (tally.owner.tenant === '') describe(tally, call)
    return line
  }

  /** The session of a call; null where the client names none. */
  sessionOf(call: TaskCall, nowMs: number): Tally | null {
    const { session } = call
    if (session === null) return null
    const tally = this.#sessions.use(session, () => this.#make('session', session, call.lasts.session, nowMs))
    describe(tally, call)
    return tally
  }

  /** Everything that a task's spending counts in. */
  chargedWith(taskId: string, nowMs: number): TallyLine {
    const line = this.#above(this.task(taskId, nowMs), nowMs)
    const session = this.#sessions.peek(line[0].owner.session ?? '')
    return withSession(line, session ?? null)
  }

  /** What holds the ceilings of a task: the topmost task and the session. */
  bounding(taskId: string, nowMs: number): readonly Tally[] {
    const all = this.chargedWith(taskId, nowMs)
    const root = all.findLast((tally) => tally.owner.scope === 'task')
    return all.filter((tally) => tally === root || tally.owner.scope === 'session')
  }

  /** Nobody is asked for a name that was made up by this process. */
  #make(scope: 'task' | 'session', ref: string, lasts: boolean, nowMs: number): Tally {
    const opening = lasts ? openingOf(scope, this.#history(scope, ref), nowMs) : freshOpening(nowMs)
    return new Tally(ownerOf(scope, ref), opening)
  }

  #above(own: Tally, nowMs: number): TallyLine {
    const line: TallyLine = [own]
    let parent = own.parent
    while (parent !== null && line.length < mostLevels) {
      const tally = this.task(parent, nowMs)
      // Two tasks that name each other have nobody above them.
      if (line.includes(tally)) break
      line.push(tally)
      parent = tally.parent
    }
    return line
  }
}

/** A line with the session behind it. */
export function withSession(line: TallyLine, session: Tally | null): TallyLine {
  return session === null ? line : [...line, session]
}

/** An id that came without a call was given by a person, who knows it. */
function ownerOf(scope: 'task' | 'session', ref: string): Tally['owner'] {
  const session = scope === 'session' ? ref : null
  return { scope, ref, session, tenant: '', project: null, client: '', isNamed: true }
}

function describe(tally: Tally, call: TaskCall): void {
  const { owner } = tally
  owner.session = call.session
  owner.tenant = call.tenant
  owner.project = call.project
  owner.client = call.client
  if (owner.ref === call.task) owner.isNamed = call.isNamed
}

/** What is in use or was stopped stays: a forgotten halt would let its task go on. */
function mayLeave(tally: Tally): boolean {
  return tally.inFlight === 0 && tally.halted === null
}
