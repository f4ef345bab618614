import type { TaskRequest } from '../../shared/protocol.ts'
import type { TaskStatus } from '../../shared/status.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'
import { Lineage } from '../transcript/lineage.ts'
import { CostGrowth } from './costGrowth.ts'
import { LoopBook } from './loopBook.ts'
import { noHistory } from './past.ts'
import type { TaskHistory } from './past.ts'
import { StormBook } from './storm.ts'
import { Supervisor } from './supervisor.ts'
import type { StateChange } from './task.ts'
import { TaskBook } from './taskBook.ts'
import { VelocityBook } from './velocity.ts'

/** Most tasks and sessions of which anything but their counters is kept. */
const mostTasks = 2048

/** What the daemon knows of conversations and tasks while it runs: bounded, in memory, digests and counters only. */
export class TaskMemory {
  readonly tasks: TaskBook
  readonly velocity = new VelocityBook()
  readonly storm = new StormBook()
  readonly supervisor = new Supervisor()
  readonly lineage: Lineage
  /** Number of the task that is open in a session. */
  readonly turns = new BoundedMap<number>(mostTasks)
  readonly loops = new LoopBook()
  /** Tasks whose transcripts are compacted, until they end. */
  readonly compacting = new BoundedMap<true>(mostTasks)
  /** When the speed of a spender was announced last. */
  readonly velocitySaid = new BoundedMap<number>(mostTasks)
  readonly costGrowth = new CostGrowth()
  /** When a storm of a key was announced last. */
  readonly stormsSaid = new BoundedMap<number>(mostTasks)
  /** Ceilings that were set for one task before its first call. */
  readonly requests = new BoundedMap<TaskRequest>(mostTasks)

  /** `createId` names a conversation that its client does not name; `history` knows the others from before. */
  constructor(createId: () => string, history: TaskHistory = noHistory) {
    this.lineage = new Lineage(createId)
    this.tasks = new TaskBook(history)
  }

  /** The latest tasks as windows see them, latest first: counters and repetition. */
  status(most: number): TaskStatus[] {
    return this.tasks.status(most).map((task) => ({ ...task, loop: this.#loopOf(task.id) }))
  }

  /** A person says go on. Where that opens a fresh window, repetition is looked for anew too (K09). */
  resume(taskId: string, nowMs: number): readonly StateChange[] {
    const windowBeforeMs = this.tasks.windowStartMs(taskId)
    const changes = this.tasks.resume(taskId, nowMs, this.#loopOf(taskId) !== null)
    if (this.tasks.windowStartMs(taskId) !== windowBeforeMs) this.loops.resumed(taskId)
    return changes
  }

  #loopOf(taskId: string): TaskStatus['loop'] {
    return this.loops.haltOf(taskId, this.tasks.lastCallMs(taskId) ?? 0)
  }
}
