import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { spentOf } from './costText.ts'
import type { Figures } from './figures.ts'
import { besideLabel, labelOfTask } from './taskName.ts'
import { toldApart } from './toldApart.ts'

/** One task of a list from which a person picks one. */
export interface TaskEntry {
  readonly label: string
  readonly description: string
  readonly id: string
}

/** The tasks of the status that may be picked, each called as everywhere else. */
export function taskEntries(
  tasks: readonly TaskStatus[],
  mayBePicked: (task: TaskStatus) => boolean,
  nowMs: number,
  text: Text,
  figures: Figures,
): readonly TaskEntry[] {
  return toldApart(tasks, nowMs, text, figures)
    .filter(mayBePicked)
    .map((task) => ({
      label: labelOfTask(task, nowMs, text, figures),
      description: `${besideLabel(task)} · ${spentOf(task.eur, task.costIncomplete, text, figures)}`,
      id: task.id,
    }))
}
