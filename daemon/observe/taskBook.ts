import { eurFromNano } from '../../shared/money.ts'
import type { TaskStatus } from '../../shared/status.ts'
import { totalInput } from '../../shared/usage.ts'
import type { AdmittedCall, SettledCall } from '../call.ts'

const mostTasks = 500

interface Entry {
  readonly id: string
  session: string | null
  project: string | null
  client: string
  iterations: number
  inputTokens: number
  nanoEur: number
  firstMs: number
  lastMs: number
}

/** Counters of the tasks that made calls lately. A call that names no task belongs to none. */
export class TaskBook {
  readonly #tasks = new Map<string, Entry>()

  /** One iteration is one call that goes to an upstream. */
  started(call: AdmittedCall): void {
    if (call.task === null) return
    const entry: Entry = this.#tasks.get(call.task) ?? {
      id: call.task,
      session: null,
      project: null,
      client: '',
      iterations: 0,
      inputTokens: 0,
      nanoEur: 0,
      firstMs: call.receivedAtMs,
      lastMs: call.receivedAtMs,
    }
    entry.session = call.session
    entry.project = call.identity.project
    entry.client = call.userAgent.split(' ')[0]?.slice(0, 60) ?? ''
    entry.iterations += 1
    this.#tasks.delete(call.task)
    this.#tasks.set(call.task, entry)
    if (this.#tasks.size > mostTasks) {
      const [oldest] = this.#tasks.keys()
      if (oldest !== undefined) this.#tasks.delete(oldest)
    }
  }

  settled(call: SettledCall): void {
    const entry = call.task === null ? undefined : this.#tasks.get(call.task)
    if (entry === undefined) return
    entry.inputTokens += totalInput(call.usage)
    entry.nanoEur += call.costNanoEur
    entry.lastMs = Math.max(entry.lastMs, call.settledAtMs)
  }

  /** Latest first. */
  status(most: number): TaskStatus[] {
    return [...this.#tasks.values()]
      .reverse()
      .slice(0, most)
      .map((task) => ({
        id: task.id,
        session: task.session,
        project: task.project,
        client: task.client,
        state: 'ok',
        iterations: task.iterations,
        inputTokens: task.inputTokens,
        wallSeconds: Math.max(0, (task.lastMs - task.firstMs) / 1000),
        eur: eurFromNano(task.nanoEur),
        nearest: null,
        forecast: null,
      }))
  }
}
