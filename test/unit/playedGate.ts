import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { Dispatcher } from 'undici'
import { Admission } from '../../daemon/budget/admission.ts'
import { createCalendar } from '../../daemon/budget/calendar.ts'
import { GrantBook } from '../../daemon/budget/grantBook.ts'
import { RateBook } from '../../daemon/budget/rateBook.ts'
import { Configuration } from '../../daemon/config/configuration.ts'
import { loadConfig } from '../../daemon/config/load.ts'
import { EventBus } from '../../daemon/observe/eventBus.ts'
import { KillBoard } from '../../daemon/control/killBoard.ts'
import { SelfCheck } from '../../daemon/control/selfCheck.ts'
import { AnswerCache } from '../../daemon/degrade/answerCache.ts'
import { createDescriber } from '../../daemon/describeWorker.ts'
import type { Gate } from '../../daemon/gate.ts'
import { createAskJson } from '../../daemon/http/askJson.ts'
import type { Ledger, Settlement } from '../../daemon/ledger/ledger.ts'
import { unavailableLedger } from '../../daemon/ledger/unavailableLedger.ts'
import { loadBuiltInPrices } from '../../daemon/money/builtInPrices.ts'
import { PriceBook } from '../../daemon/money/priceBook.ts'
import { ContextWindows } from '../../daemon/models/contextWindows.ts'
import { CountBook } from '../../daemon/models/countBook.ts'
import { Anomalies } from '../../daemon/observe/anomalies.ts'
import { InFlight } from '../../daemon/observe/inFlight.ts'
import { createLog } from '../../daemon/observe/log.ts'
import { createMetrics } from '../../daemon/observe/metrics.ts'
import { NearCaps } from '../../daemon/observe/nearCaps.ts'
import { PacingBook } from '../../daemon/observe/pacing.ts'
import { PromptGrowth } from '../../daemon/observe/promptGrowth.ts'
import { Residuals } from '../../daemon/observe/residual.ts'
import { BoundedMap } from '../../daemon/transcript/boundedMap.ts'
import { TaskMemory } from '../../daemon/tasks/taskMemory.ts'
import { runCall } from '../../daemon/pipeline.ts'

/** What a played provider does with one request. */
export type Played = (handler: Dispatcher.DispatchHandler, controller: Dispatcher.DispatchController) => void

/** A gate made of the real parts; only the ledger, which admits everything, and the provider are played. */
export interface PlayedGate {
  readonly gate: Gate
  readonly settled: Settlement[]
  /** Requests that reached the provider. */
  readonly sent: Dispatcher.DispatchOptions[]
  /** Provider connections that were closed by the gate. */
  readonly aborted: () => number
  /** Base URL of the OpenAI upstream. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a played gate. `play` answers each request of the provider; `config` is a configuration file's content. */
export async function playedGate(play: Played, config: object = {}, change: Partial<Gate> = {}): Promise<PlayedGate> {
  const loaded = loadConfig({ text: JSON.stringify(config), env: {}, systemTimezone: 'Europe/Berlin' })
  if (!loaded.ok) throw new Error(loaded.problems.join(' '))
  const settled: Settlement[] = []
  const sent: Dispatcher.DispatchOptions[] = []
  let abortions = 0
  const ledger: Ledger = {
    ...unavailableLedger('not used here'),
    reserve: ({ inputTokens, outputTokens }) =>
      Promise.resolve({
        kind: 'admitted',
        outputTokens,
        reservedNanoEur: 700,
        reservedTokens: inputTokens + outputTokens,
      }),
    settle: (settlement) => void settled.push(settlement),
    saveResidual: () => undefined,
    recordEvent: () => undefined,
    kills: () => [],
    setKill: () => undefined,
  }
  const dispatcher = {
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      sent.push(options)
      let paused = false
      const controller: Dispatcher.DispatchController = {
        aborted: false,
        reason: null,
        get paused() {
          return paused
        },
        abort: () => void (abortions += 1),
        pause: () => void (paused = true),
        resume: () => void (paused = false),
      }
      setImmediate(() => play(handler, controller))
      return true
    },
  } as unknown as Dispatcher
  const nowMs = Date.now
  const configuration = new Configuration(loaded.config, {}, [], nowMs())
  const events = new EventBus(ledger, nowMs)
  const inFlight = new InFlight()
  const log = createLog({ write: () => undefined, nowMs, format: 'plain' })
  const metrics = createMetrics()
  const anomalies = new Anomalies({ events, metrics, startedAtMs: nowMs() })
  let calls = 0
  const gate: Gate = {
    nowMs,
    newCallId: () => `call_${(calls += 1)}`,
    config: () => configuration.current(nowMs()),
    configuration,
    localKey: 'LOCALKEY',
    token: 'TOKEN',
    port: () => 0,
    dataDir: '',
    startedAtMs: 0,
    ledger,
    admission: new Admission(ledger),
    calendar: createCalendar(() => 'Europe/Berlin'),
    grants: new GrantBook(),
    priceBook: new PriceBook(() => configuration.current(nowMs()), loadBuiltInPrices),
    residuals: new Residuals(),
    growth: new PromptGrowth(),
    describer: createDescriber('not used here'),
    inFlight,
    rates: new RateBook(),
    withoutUsageOption: new Set(),
    counts: new CountBook('salt', nowMs),
    contextWindows: new ContextWindows({ ask: createAskJson(dispatcher), nowMs }),
    counterFailures: new BoundedMap(100),
    answers: new AnswerCache(),
    nearCaps: new NearCaps(),
    pacing: new PacingBook(),
    anomalies,
    memory: new TaskMemory(sessionNames()),
    kills: new KillBoard({
      ledger,
      inFlight,
      events,
      pending: { list: () => [], keep: () => undefined, withdraw: () => 0, settle: () => undefined },
      log,
      nowMs,
    }),
    selfCheck: new SelfCheck(
      ledger,
      () => 0,
      () => undefined,
    ),
    dispatcher,
    ask: createAskJson(dispatcher),
    events,
    metrics,
    log,
    stopping: () => false,
    ...change,
  }
  const server = createServer((request, response) => {
    runCall(gate, request, response).catch(() => response.destroy())
  })
  const port = await listening(server)
  return {
    gate,
    settled,
    sent,
    aborted: () => abortions,
    url: `http://127.0.0.1:${port}/k/LOCALKEY/openai`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Plays a whole answer in the given pieces. */
export function answering(
  status: number,
  headers: Record<string, string>,
  pieces: readonly (string | Buffer)[],
): Played {
  return (handler, controller) => {
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, status, headers, '')
    for (const piece of pieces) handler.onResponseData?.(controller, Buffer.from(piece as Buffer))
    handler.onResponseEnd?.(controller, {})
  }
}

function sessionNames(): () => string {
  let count = 0
  return () => `s${(count += 1)}`
}
