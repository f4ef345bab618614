import type { TaskRequest } from '../../shared/protocol.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'
import { Lineage } from '../transcript/lineage.ts'
import { Supervisor } from './supervisor.ts'
import type { TaskState } from './task.ts'
import { TaskBook } from './taskBook.ts'
import { VelocityBook } from './velocity.ts'

/** Most tasks and sessions of which anything but their counters is kept. */
const mostTasks = 2048

/** How a task's repetition stood at its last call. */
export interface LoopStanding {
  readonly state: TaskState
  /** Since when it is refused; null while it is not. */
  readonly haltedAtMs: number | null
}

/** What the daemon knows of conversations and tasks while it runs: bounded, in memory, digests and counters only. */
export class TaskMemory {
  readonly tasks = new TaskBook()
  readonly velocity = new VelocityBook()
  readonly supervisor = new Supervisor()
  readonly lineage: Lineage
  /** Number of the task that is open in a session. */
  readonly turns = new BoundedMap<number>(mostTasks)
  readonly loops = new BoundedMap<LoopStanding>(mostTasks)
  /** Tasks whose transcripts are compacted, until they end. */
  readonly compacting = new BoundedMap<true>(mostTasks)
  /** Ceilings that were set for one task before its first call. */
  readonly requests = new BoundedMap<TaskRequest>(mostTasks)

  /** `createId` names a conversation that its client does not name. */
  constructor(createId: () => string) {
    this.lineage = new Lineage(createId)
  }
}
