import type { LoopVerdict } from '../tasks/task.ts'
import type { Guard } from './guard.ts'
import { resumeOf } from './goOn.ts'
import { allow } from './guard.ts'
import { shown } from './modelAllowlist.ts'

/** What the guard has to know about the steps of the call's task. */
export interface LoopGuardState {
  readonly verdict: LoopVerdict
  /** Id of the task, null where the call belongs to none. */
  readonly task: string | null
}

/**
 * Refuses the next call of a task that repeats itself. The verdict comes from the transcript alone, so it is the same in all
 * dialects (K11) and the refused call adds nothing to it (K09). A plan whose action is `warn` only says it.
 */
export const loop: Guard = {
  name: 'loop',
  judge: ({ received }, state) => {
    const { plan, planName } = received.identity
    if (state.loop === undefined || plan.loop === null || plan.loop.action === 'warn') return allow
    const { verdict, task } = state.loop
    if (verdict.state !== 'halted') return allow
    const resume =
      task === null
        ? 'It goes on with a new message from a person.'
        : `It goes on with a new message from a person, with ${resumeOf(task)}.`
    const message = `The task repeats itself: ${stepText(verdict)}, and plan ${planName} allows ${plan.loop.maxRepeats} (plans.${planName}.loop.maxRepeats). This call was not sent. ${resume}`
    return {
      kind: 'refuse',
      refusal: {
        code: 'loop_halted',
        message,
        scope: 'task',
        ...(task === null ? {} : { scopeRef: task }),
        window: 'task',
        unit: 'calls',
        limit: plan.loop.maxRepeats,
        spent: verdict.repeats,
      },
    }
  },
}

/** Tool names come from a client: quoted and cut. */
function stepText({ tool, repeats, cycleLength }: LoopVerdict): string {
  const name = tool === null ? 'the same step' : `the tool ${shown(tool)}`
  return cycleLength > 1
    ? `a round of ${cycleLength} steps with ${name} came ${repeats} times with the same arguments and the same results`
    : `${name} was called ${repeats} times with the same arguments and gave the same result`
}
