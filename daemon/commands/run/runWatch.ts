import type { ControlMessage } from '../../../shared/protocol.ts'
import type { TaskStatus } from '../../../shared/status.ts'
import { judgeHaltedCall } from '../../tasks/supervisor.ts'
import type { HaltedCalls } from '../../tasks/supervisor.ts'

/** A task's graded state. */
export type RunState = TaskStatus['state']

/** The latest refusal of a call of the task. */
export interface RunRefusal {
  readonly code: string
  readonly message: string
}

/** Codes with which a halted task's calls are refused. */
const haltingCodes: ReadonlySet<unknown> = new Set(['task_halted', 'loop_halted'])

/**
 * Hears what the daemon says about one task and decides when its command has to be stopped: once it is halted and still calls
 * past the grace period, by the same judgement as the daemon's own. Times are those of the daemon's messages, so that
 * nothing here looks at a clock.
 */
export class RunWatch {
  readonly #task: string
  readonly #graceMs: number
  #state: RunState
  #haltedAtMs: number | null = null
  #calls: HaltedCalls | null = null
  #refusals = 0
  #lastRefusal: RunRefusal | null = null
  #halt: RunRefusal | null = null

  constructor(task: string, state: RunState, graceMs: number) {
    this.#task = task
    this.#state = state
    this.#graceMs = graceMs
  }

  get state(): RunState {
    return this.#state
  }

  /** Calls that were refused, for whatever reason. */
  get refusals(): number {
    return this.#refusals
  }

  get lastRefusal(): RunRefusal | null {
    return this.#lastRefusal
  }

  /** What the calls of the halted task were told; null while it is not halted. */
  get halt(): RunRefusal | null {
    return this.#halt
  }

  /** True when the command has to be stopped. */
  hear(message: ControlMessage): boolean {
    if (message.event === 'status') {
      const task = message.status.tasks.find(({ id }) => id === this.#task)
      // A refusal says more: a task that repeats itself is halted wherever its counters stand.
      if (task !== undefined && this.#halt === null) this.#state = task.state
      return false
    }
    if (message['task'] !== this.#task) return false
    if (message.event === 'state_changed') {
      this.#change(message['state'], Date.parse(message.time))
      return false
    }
    return message.event === 'refused' && this.#refused(message['code'], message['message'], Date.parse(message.time))
  }

  /**
   * The connection was lost for a while. What happened meanwhile is not known, so that a halt that was seen before counts from
   * its next refusal: the task may have been resumed and halted again.
   */
  missed(): void {
    this.#haltedAtMs = null
    this.#calls = null
  }

  #change(state: unknown, atMs: number): void {
    if (!isState(state)) return
    this.#state = state
    if (state !== 'halted') {
      this.missed()
      this.#halt = null
    } else this.#haltedAtMs ??= Number.isNaN(atMs) ? null : atMs
  }

  #refused(code: unknown, message: unknown, atMs: number): boolean {
    const refusal = { code: textOf(code), message: textOf(message) }
    this.#refusals += 1
    this.#lastRefusal = refusal
    if (!haltingCodes.has(code) || Number.isNaN(atMs)) return false
    this.#state = 'halted'
    this.#halt = refusal
    this.#haltedAtMs ??= atMs
    const { action, calls } = judgeHaltedCall(this.#calls, this.#haltedAtMs, this.#graceMs, atMs)
    this.#calls = calls
    return action === 'sever'
  }
}

/** A state from a message or an answer. */
export function isState(value: unknown): value is RunState {
  return value === 'ok' || value === 'warn' || value === 'constrained' || value === 'halted'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
