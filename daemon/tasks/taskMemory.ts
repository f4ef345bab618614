import type { TaskRequest } from '../../shared/protocol.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'
import { Lineage } from '../transcript/lineage.ts'
import type { Thread } from '../transcript/threads.ts'
import { CostGrowth } from './costGrowth.ts'
import { noHistory } from './past.ts'
import type { TaskHistory } from './past.ts'
import { StormBook } from './storm.ts'
import { Supervisor } from './supervisor.ts'
import type { TaskState } from './task.ts'
import { TaskBook } from './taskBook.ts'
import { VelocityBook } from './velocity.ts'

/** Most tasks and sessions of which anything but their counters is kept. */
const mostTasks = 2048

/** How the repetition of a conversation stood at its last call. */
export interface LoopStanding {
  readonly state: TaskState
  /** Since when it is refused; null while it is not. */
  readonly haltedAtMs: number | null
}

/** What the daemon knows of conversations and tasks while it runs: bounded, in memory, digests and counters only. */
export class TaskMemory {
  readonly tasks: TaskBook
  readonly velocity = new VelocityBook()
  readonly storm = new StormBook()
  readonly supervisor = new Supervisor()
  readonly lineage: Lineage
  /** Number of the task that is open in a session. */
  readonly turns = new BoundedMap<number>(mostTasks)
  /** By conversation: the sub-agents of a task have that in common and not what they repeat (K02). */
  readonly loops = new WeakMap<Thread, LoopStanding>()
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
}
