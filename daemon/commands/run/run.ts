import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { DiscoveryRecord, TaskAnswer, TaskRequest } from '../../../shared/protocol.ts'
import type { CallRow, Status } from '../../../shared/status.ts'
import { programName } from '../../lifecycle/socketOwnerParsers.ts'
import { moneyOfCap, plural } from '../amounts.ts'
import type { RunAsk } from './runArguments.ts'
import { CommandFailure, control, findDaemon } from '../daemonClient.ts'
import { foreignServer, runEnvironment, shellProject } from './runEnvironment.ts'
import { openLink } from './runLink.ts'
import type { CommandGroup } from './runProcess.ts'
import { StartFailure, forwardSignals, startGroup } from './runProcess.ts'
import { exitCodeOf, runSummary } from './runSummary.ts'
import { RunTally } from './runTally.ts'
import { RunWatch, isState } from './runWatch.ts'
import type { Terminal } from '../terminal.ts'

/** Most calls that one list of the daemon holds. */
const listLength = 1000

/** Calls after which the list is read, so that none is longer than what the daemon gives. */
const readEveryCalls = listLength / 4

/** How long the last calls may take to be settled after the command has ended, in milliseconds. */
const settleWaitMs = 3000
const settleLookMs = 100

const defaultGraceSeconds = 30

/**
 * `tollgate run`: runs a command as one task with ceilings of its own, stops it with everything that it started when the task
 * is halted and goes on calling, and says on stderr what it has cost. Resolves with the command's exit code, 128 and the signal's
 * number where one ended it, 126 or 127 where it cannot be started. Throws a CommandFailure, and starts nothing, where no
 * daemon guards it.
 */
export async function runTask(dataDir: string, ask: RunAsk, terminal: Terminal): Promise<number> {
  const foreign = foreignServer(terminal.env)
  if (foreign !== null) {
    throw new CommandFailure(
      `${foreign.variable} points to ${foreign.host}, and the gate would send its calls and key to an upstream of the configuration instead: unset ${foreign.variable}, or name that server in upstreams and point the command at it.`,
    )
  }
  const record = await findDaemon(dataDir)
  const task = ask.task ?? `run-${randomBytes(4).toString('hex')}`
  const answer = await register(record, task, ask)
  const graceSeconds = answer.haltGraceSeconds ?? defaultGraceSeconds
  const watch = new RunWatch(task, answer.state ?? 'ok', graceSeconds * 1000)
  const startedAtMs = Date.now()
  const book = new Book(record, task, startedAtMs)
  const command: Command = { group: null, stopping: null }

  const link = await openLink(dataDir, record, {
    onMessage: (message) => {
      const mustStop = watch.hear(message)
      if (message.event === 'status') book.currency = message.status.currency
      if (message.event === 'call_settled' && message['task'] === task) book.settled()
      if (mustStop) command.stopping ??= command.group?.stop() ?? null
    },
    onReturn: (current) => {
      watch.missed()
      book.record = current
      // A daemon that has started anew may not know the ceilings any more.
      register(current, task, ask).catch(() => undefined)
    },
  })
  try {
    const project = ask.project ?? shellProject(terminal.env)
    const env = runEnvironment(terminal.env, { origin: record.url, key: record.key, project, task })
    // Said before the start: to open stderr later would set a pipe that the command shares to non-blocking (libuv).
    terminal.err(`${startText(task, ask, watch.state, book.currency)}\n`)
    const group = await startGroup({ words: ask.words, env, platform: terminal.platform })
    command.group = group
    const stopForwarding = forwardSignals(group)
    const end = await group.ended
    const stoppedBy = await command.stopping
    const durationMs = Date.now() - startedAtMs
    const last = await book.close()
    if (last !== null) watch.hear({ event: 'status', status: last })
    stopForwarding()
    terminal.err(
      runSummary({
        task,
        program: programName(ask.words[0]),
        end,
        durationMs,
        totals: book.tally.totals(),
        refusals: watch.refusals,
        lastRefusal: watch.lastRefusal,
        state: watch.state,
        halt: watch.halt,
        stoppedBy,
        graceSeconds,
        capEur: ask.eur,
        capIterations: ask.iterations,
        currency: book.currency,
        isComplete: last !== null,
      }),
    )
    return exitCodeOf(end)
  } catch (failure) {
    if (!(failure instanceof StartFailure)) throw failure
    terminal.err(`${failure.message}\n`)
    return failure.exitCode
  } finally {
    link.close()
  }
}

/** The command once it runs, and its end once that is asked for. */
interface Command {
  group: CommandGroup | null
  stopping: ReturnType<CommandGroup['stop']> | null
}

async function register(record: DiscoveryRecord, task: string, ask: RunAsk): Promise<Partial<TaskAnswer>> {
  const body: TaskRequest = {
    id: task,
    ...(ask.eur === null ? {} : { eur: ask.eur }),
    ...(ask.iterations === null ? {} : { iterations: ask.iterations }),
    ...(ask.minutes === null ? {} : { minutes: ask.minutes }),
  }
  const value = (await control(record, { method: 'POST', path: '/api/tasks', body })) as Record<string, unknown> | null
  const { state, haltGraceSeconds } = value ?? {}
  return {
    ...(isState(state) ? { state } : {}),
    ...(typeof haltGraceSeconds === 'number' && haltGraceSeconds >= 0 ? { haltGraceSeconds } : {}),
  }
}

/** `Task run-1a2b3c4d: at most €2.00, 40 calls, 10 minutes.` */
function startText(task: string, ask: RunAsk, state: RunWatch['state'], currency: string): string {
  const limits: string[] = []
  if (ask.eur !== null) limits.push(moneyOfCap(ask.eur, null, currency))
  if (ask.iterations !== null) limits.push(plural(ask.iterations, 'call'))
  if (ask.minutes !== null) limits.push(plural(ask.minutes, 'minute'))
  const text = `Task ${task}: ${limits.length === 0 ? 'the ceilings of the plan' : `at most ${limits.join(', ')}`}.`
  return state === 'halted' ? `${text} It is halted, so that its calls are refused until it is resumed.` : text
}

/** Collects the calls of the task from the daemon. */
class Book {
  readonly tally: RunTally
  /** The daemon that is asked: another one after a restart. */
  record: DiscoveryRecord
  currency = 'EUR'
  readonly #task: string
  #settledCalls = 0

  constructor(record: DiscoveryRecord, task: string, startedAtMs: number) {
    this.record = record
    this.tally = new RunTally(startedAtMs)
    this.#task = task
  }

  settled(): void {
    this.#settledCalls += 1
    if (this.#settledCalls % readEveryCalls === 0) this.#read().catch(() => undefined)
  }

  /** Reads what is left, once the last calls are settled or that takes too long. Null where the daemon does not answer. */
  async close(): Promise<Status | null> {
    const endMs = performance.now() + settleWaitMs
    try {
      await this.#read()
      while (this.tally.totals().openCalls > 0 && performance.now() < endMs) {
        await wait(settleLookMs)
        await this.#read()
      }
      return (await control(this.record, { method: 'GET', path: '/api/status' })) as Status
    } catch (failure) {
      if (!(failure instanceof CommandFailure)) throw failure
      return null
    }
  }

  async #read(): Promise<void> {
    const path = `/api/calls?task=${this.#task}&since=${this.tally.sinceMs}&limit=${listLength}`
    const { calls } = (await control(this.record, { method: 'GET', path })) as { readonly calls: readonly CallRow[] }
    this.tally.add(calls)
  }
}
