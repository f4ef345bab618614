import type Database from 'better-sqlite3'
import { BatchWriter } from './batch.ts'
import { LedgerCheck } from './check.ts'
import { openLedgerDatabase, type DatabaseOptions } from './database.ts'
import type { Ledger } from './ledger.ts'
import { OrderBook } from './orderBook.ts'
import { LedgerReaders } from './readers.ts'
import { ReportReader } from './reportReader.ts'
import { ReconciliationBook } from './reconciliationBook.ts'
import { SeriesReader } from './seriesReader.ts'
import { LedgerSwitches } from './switches.ts'
import { TaskReaders } from './taskReaders.ts'
import { ledgerUnavailable } from './unavailable.ts'
import { LedgerUpkeep } from './upkeep.ts'
import { WriteQueue } from './writeQueue.ts'

/** What a ledger on SQLite needs from its process. */
export interface SqliteLedgerOptions extends DatabaseOptions {
  readonly nowMs: () => number
  /** The name of this process as the owner of its reservations; a new one at each start. */
  readonly epoch: string
  readonly log: (line: string) => void
}

/** Opens or makes the ledger of a data directory. Throws LedgerUnavailable for a file that cannot be used. */
export function openSqliteLedger(options: SqliteLedgerOptions): Ledger {
  const database = openLedgerDatabase(options)
  try {
    return ledgerOn(database, options)
  } catch (fault) {
    // A damaged list of tables: the file opens, and a column is not there.
    database.close()
    throw ledgerUnavailable(fault, options.path)
  }
}

/** The ledger on a database that is open. `close` closes the database. */
export function ledgerOn(database: Database.Database, options: SqliteLedgerOptions): Ledger {
  const { path, epoch, nowMs, log } = options
  const unavailable = (fault: unknown): ReturnType<typeof ledgerUnavailable> => ledgerUnavailable(fault, path)
  const writer = new BatchWriter(database, epoch)
  const queue = new WriteQueue({ writer, unavailable, log })
  const readers = new LedgerReaders(database)
  const tasks = new TaskReaders(database)
  const orders = new OrderBook(database)
  const switches = new LedgerSwitches(database)
  const reconciliations = new ReconciliationBook(database)
  const check = new LedgerCheck(database)
  const reports = new ReportReader(database)
  const overTime = new SeriesReader(database)
  const keeper = new LedgerUpkeep(database)

  const guarded = <Result>(body: () => Result): Result => {
    try {
      return body()
    } catch (fault) {
      throw unavailable(fault)
    }
  }
  /** What is queued is written before it is read. */
  const upToDate = <Result>(body: () => Result): Result =>
    guarded(() => {
      queue.flush()
      return body()
    })

  return {
    reserve: (ask) => queue.reserve(ask),
    settle: (settlement) => queue.settle(settlement),
    onSettled: (listener) => queue.onSettled(listener),
    onFreed: (listener) => queue.onFreed(listener),
    flush: () => queue.flush(),
    totals: (scope) => upToDate(() => readers.totals(scope)),
    summary: (filter) => upToDate(() => readers.summary(filter)),
    byModel: (day) => upToDate(() => readers.byModel(day)),
    spendByHour: (fromMs, toMs) => guarded(() => readers.spendByHour(fromMs, toMs)),
    calls: (filter) => upToDate(() => readers.calls(filter)),
    taskSamples: (sinceMs) => upToDate(() => readers.taskSamples(sinceMs)),
    taskSoFar: (task, sinceMs) => guarded(() => tasks.taskSoFar(task, sinceMs)),
    sessionSoFar: (session, sinceMs) => guarded(() => tasks.sessionSoFar(session, sinceMs)),
    busySinceMs: (task, quietMs) => guarded(() => tasks.busySinceMs(task, quietMs)),
    latestTurn: (session) => guarded(() => tasks.latestTurn(session)),
    taskOrder: (scope, ref) => guarded(() => orders.read(scope, ref)),
    saveTaskOrders: (changed) => guarded(() => orders.save(changed)),
    taskCeilings: (most) => guarded(() => orders.ceilings(most)),
    saveTaskCeilings: (task, ceilings, atMs) => guarded(() => orders.saveCeilings(task, ceilings, atMs)),
    forgetTaskOrders: (beforeMs) => guarded(() => orders.forget(beforeMs)),
    recordEvent: ({ event, ...fields }, atMs) => queue.record({ event, atMs, body: JSON.stringify(fields) }),
    events: (filter) => upToDate(() => readers.events(filter)),
    claimAlert: (scope) =>
      guarded(() => {
        const first = switches.claimAlert(scope)
        if (first) writer.forgetWindows()
        return first
      }),
    kills: () => guarded(() => readers.kills()),
    setKill: (kill) => guarded(() => switches.setKill(kill)),
    clearKill: (scope, ref) => guarded(() => switches.clearKill(scope, ref)),
    capOverrides: () => guarded(() => readers.capOverrides(nowMs())),
    setCapOverride: (override) => guarded(() => switches.setCapOverride(override)),
    addGrant: (grant) => guarded(() => switches.addGrant(grant)),
    withdrawGrant: (id) => guarded(() => switches.withdrawGrant(id)),
    grants: (periods) => guarded(() => readers.grants(periods, nowMs())),
    residuals: () => upToDate(() => readers.residuals()),
    saveResidual: (upstream, model, ratio, samples) => queue.saveResidual({ upstream, model, ratio, samples }),
    usageByUtcDay: (period, slice) => upToDate(() => reconciliations.usage(period, slice)),
    oldestCallMs: () => guarded(() => reconciliations.oldestCallMs()),
    saveReconciliation: (summary, atMs) => guarded(() => reconciliations.save(summary, atMs)),
    reconciliations: () => guarded(() => reconciliations.newest()),
    settleOrphans: (atMs) => guarded(() => writer.settleOrphans(atMs)),
    orphanedTotal: () => guarded(() => readers.orphanedTotal()),
    newestDay: () => guarded(() => readers.newestDay()),
    report: (filter) => upToDate(() => reports.report(filter)),
    series: (filter) => upToDate(() => overTime.series(filter)),
    quarters: (filter, slice) => upToDate(() => overTime.quarters(filter, slice)),
    callsKeptSince: () => guarded(() => overTime.callsKeptSince()),
    upkeep: (ask) => guarded(() => keeper.step(ask)),
    check: () => upToDate(() => check.run()),
    close: () => {
      queue.close()
      guarded(() => database.close())
    },
  }
}
