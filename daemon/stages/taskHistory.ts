import type { Ledger } from '../ledger/ledger.ts'
import { freshWindowMs } from '../tasks/past.ts'
import type { TaskHistory } from '../tasks/past.ts'

type Books = Pick<Ledger, 'taskSoFar' | 'sessionSoFar' | 'busySinceMs' | 'taskOrder'>

/**
 * What the ledger knows of tasks and sessions. The calls of a window are those since a person resumed the task, or since it
 * was last quiet for an hour, whichever is later. Throws LedgerUnavailable: a task that cannot be looked up is not a new one.
 */
export function taskHistory(ledger: Books): TaskHistory {
  return (scope, ref) => {
    const order = ledger.taskOrder(scope, ref)
    const soFar = (sinceMs?: number) =>
      scope === 'task' ? ledger.taskSoFar(ref, sinceMs) : ledger.sessionSoFar(ref, sinceMs)
    const life = soFar()
    if (life === null) {
      return order === null ? null : { life, window: null, windowFromMs: order.windowFromMs ?? order.atMs, order }
    }
    const mayHavePaused = scope === 'task' && life.lastMs - life.firstMs >= freshWindowMs
    const busySinceMs = mayHavePaused ? ledger.busySinceMs(ref, freshWindowMs) : null
    const windowFromMs = Math.max(order?.windowFromMs ?? 0, busySinceMs ?? life.firstMs)
    return { life, window: windowFromMs <= life.firstMs ? life : soFar(windowFromMs), windowFromMs, order }
  }
}
