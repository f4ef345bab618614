import { pathPart } from '../../shared/addresses.ts'
import type { Status } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import type { Figures } from './figures.ts'
import { isUnnamed, labelOfTask, shortId } from './taskName.ts'
import type { TaskToName } from './taskName.ts'

/** An id up to this length is shown whole where its ends do not tell it from another one. */
const mostWholeIdLetters = 60

/**
 * The tasks of a list so that no two of them are called alike. Of those that would be, one without a name is called by the second
 * in which it began, and one with a name by its whole id; where that is the same as well, they are numbered in the order in which
 * they began. A task that no other resembles is left as it is, so that what is usual stays short.
 */
export function toldApart<Task extends TaskToName>(
  tasks: readonly Task[],
  nowMs: number,
  text: Text,
  figures: Figures,
): readonly Task[] {
  const marks = new Map<string, string>()
  for (const alike of groups(tasks, (task) => labelOfTask(task, nowMs, text, figures)).values()) {
    if (alike.length === 1) continue
    for (const [closer, twins] of groups(alike, (task) => closerLook(task, nowMs, figures))) {
      const inOrder = [...twins].sort(byBeginning)
      for (const [index, { id }] of inOrder.entries())
        marks.set(id, twins.length === 1 ? closer : `${closer} #${figures.whole(index + 1)}`)
    }
  }
  if (marks.size === 0) return tasks
  return tasks.map((task) => {
    const mark = marks.get(task.id)
    return mark === undefined ? task : { ...task, mark }
  })
}

/** A status whose tasks are told apart. */
export function withTasksApart(status: Status, nowMs: number, text: Text, figures: Figures): Status {
  return { ...status, tasks: toldApart(status.tasks, nowMs, text, figures) }
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = found.get(key)
    if (group === undefined) found.set(key, [item])
    else group.push(item)
  }
  return found
}

function closerLook(task: TaskToName, nowMs: number, figures: Figures): string {
  if (isUnnamed(task) && task.startedAt !== undefined) return figures.whenExactly(task.startedAt, nowMs)
  const { id } = task
  return id.length <= mostWholeIdLetters && pathPart.test(id) ? id : shortId(id)
}

function byBeginning(left: TaskToName, right: TaskToName): number {
  const beganMs = ({ startedAt }: TaskToName): number => Date.parse(startedAt ?? '') || 0
  return beganMs(left) - beganMs(right) || (left.id < right.id ? -1 : 1)
}
