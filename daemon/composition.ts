import { randomBytes } from 'node:crypto'
import type { Config } from '../shared/config.ts'
import { eurFromNano } from '../shared/money.ts'
import { Admission } from './budget/admission.ts'
import { createCalendar } from './budget/calendar.ts'
import { GrantBook } from './budget/grantBook.ts'
import { RateBook } from './budget/rateBook.ts'
import type { Configuration } from './config/configuration.ts'
import { restoreGrants } from './control/grantApi.ts'
import { Housekeeping } from './control/housekeeping.ts'
import { KillBoard } from './control/killBoard.ts'
import { pendingStops, removeStaleDrafts } from './control/pendingStops.ts'
import { followPrices, sayAges } from './control/priceUpdates.ts'
import { SelfCheck } from './control/selfCheck.ts'
import { SpendWatch } from './control/spendWatch.ts'
import { restoreOrders } from './control/taskApi.ts'
import { AnswerCache } from './degrade/answerCache.ts'
import { createDescriber } from './describeWorker.ts'
import type { Gate } from './gate.ts'
import { Agent } from './http/agent.ts'
import { createAskJson } from './http/askJson.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Secrets } from './lifecycle/discovery.ts'
import { ContextWindows } from './models/contextWindows.ts'
import { CountBook } from './models/countBook.ts'
import { loadBuiltInPrices } from './money/builtInPrices.ts'
import { PriceBook } from './money/priceBook.ts'
import { sayAlerts } from './observe/alerts.ts'
import { Anomalies } from './observe/anomalies.ts'
import { EventBus } from './observe/eventBus.ts'
import { InFlight } from './observe/inFlight.ts'
import type { Log } from './observe/log.ts'
import { createMetrics } from './observe/metrics.ts'
import { NearCaps } from './observe/nearCaps.ts'
import { PacingBook } from './observe/pacing.ts'
import { PromptGrowth } from './observe/promptGrowth.ts'
import { Residuals } from './observe/residual.ts'
import { taskHistory } from './stages/taskHistory.ts'
import { TaskMemory } from './tasks/taskMemory.ts'
import { BoundedMap } from './transcript/boundedMap.ts'

/** What a gate is made of that was there before it. */
export interface CompositionParts {
  readonly nowMs: () => number
  readonly dataDir: string
  readonly secrets: Secrets
  readonly ledger: Ledger
  readonly configuration: Configuration
  readonly log: Log
  /** The bundle that the worker for large bodies is started from. */
  readonly programFile: string
  /** The port once it is bound; 0 before. */
  readonly port: () => number
  readonly stopping: () => boolean
}

/** A gate, and what runs beside it while it is open. */
export interface Composition {
  readonly gate: Gate
  /** Begins what is done from time to time: self-check, upkeep of the ledger, a look at the spending. */
  start(): void
  /** Ends it. */
  stop(): void
}

/** Events of earlier daemons that are read at the start: more than a day of refusals and warnings. */
const mostRestoredEvents = 5000

/** Puts the pieces together. Nothing is read or written yet but the ledger's memory of events and residuals. */
export function compose(parts: CompositionParts): Composition {
  const { nowMs, ledger, configuration, secrets, log } = parts
  const config = (): Config => configuration.current(nowMs())
  const events = new EventBus(ledger, nowMs)
  events.restore(ledger.events({ limit: mostRestoredEvents }).toReversed())
  const inFlight = new InFlight()
  const metrics = createMetrics()
  const anomalies = new Anomalies({ events, metrics, startedAtMs: nowMs() })
  anomalies.restore(events.list({ sinceMs: 0, limit: 1000 }))
  // The gate's own limits of time are the only ones (G07).
  const dispatcher = new Agent({
    connect: { timeout: 0 },
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    connections: null,
  })
  const ask = createAskJson(dispatcher)
  const selfCheck = new SelfCheck(
    ledger,
    () => inFlight.size,
    (count) => {
      log.error('windows of the ledger differ from the sum of their calls', { count })
      anomalies.say('ledger_drift', { windows: count }, nowMs())
    },
  )
  const gate: Gate = {
    nowMs,
    newCallId: countedIds('call_'),
    config,
    configuration,
    localKey: secrets.key,
    token: secrets.token,
    port: parts.port,
    dataDir: parts.dataDir,
    startedAtMs: nowMs(),
    ledger,
    admission: new Admission(ledger),
    calendar: createCalendar(() => config().timezone, ledger.newestDay()),
    grants: new GrantBook(),
    priceBook: new PriceBook(config, loadBuiltInPrices),
    residuals: new Residuals(ledger.residuals()),
    growth: new PromptGrowth(),
    describer: createDescriber(parts.programFile),
    inFlight,
    rates: new RateBook(),
    withoutUsageOption: new Set(),
    memory: new TaskMemory(countedIds('s'), taskHistory(ledger)),
    kills: new KillBoard({ ledger, inFlight, events, pending: pendingStops(parts.dataDir), log, nowMs }),
    counts: new CountBook(randomBytes(16).toString('hex'), nowMs),
    contextWindows: new ContextWindows({ ask, nowMs }),
    counterFailures: new BoundedMap(100),
    answers: new AnswerCache(),
    nearCaps: new NearCaps(),
    pacing: new PacingBook(),
    anomalies,
    selfCheck,
    dispatcher,
    ask,
    events,
    metrics,
    log,
    stopping: parts.stopping,
  }
  const housekeeping = new Housekeeping({ ledger, config, nowMs, elapsedMs: () => performance.now() })
  const spendWatch = new SpendWatch({ ledger, anomalies, currency: () => config().currency.code, nowMs })
  return {
    gate,
    start() {
      // Whoever asked for a stop after `takeUp` and did not find this daemon yet finds it from now on.
      gate.kills.takeUpPending(true)
      selfCheck.schedule(nowMs)
      housekeeping.schedule()
      spendWatch.start()
    },
    stop() {
      selfCheck.stop()
      housekeeping.stop()
      spendWatch.stop()
    },
  }
}

/** What was left behind counts: stops that wait, open reservations, orders, grants, a price table of one's own. */
export function takeUp(gate: Gate): void {
  const { ledger, log } = gate
  gate.kills.takeUpPending(true)
  removeStaleDrafts(gate.dataDir, gate.nowMs())
  const orphans = ledger.settleOrphans(gate.nowMs())
  if (orphans.calls > 0) {
    log.warn('calls of a daemon that died were settled at their worst case', { count: orphans.calls })
    gate.events.emit('orphaned', { calls: orphans.calls, eur: eurFromNano(orphans.costNanoEur) })
  }
  followPrices(gate.dataDir, gate.priceBook, log)
  sayAges(gate.priceBook.asOf, gate.config().currency, gate.nowMs(), log)
  restoreOrders(gate)
  restoreGrants(gate)
  ledger.onSettled((_, changes) => {
    sayAlerts(ledger, gate.events, gate.config().budgets, gate.grants.inForce(gate.nowMs()), changes)
    gate.nearCaps.noted(changes)
  })
}

/** Ids of calls and sessions: ordered in time within a process, and random enough not to meet those of another. */
function countedIds(kind: string): () => string {
  const prefix = kind + randomBytes(5).toString('hex')
  let count = 0
  return () => `${prefix}${(count += 1).toString(36).padStart(6, '0')}`
}
