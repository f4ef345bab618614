import { LedgerUnavailable } from './ledger.ts'
import type { Ledger } from './ledger.ts'

/**
 * Stands in where the ledger's file cannot be opened: every call is refused with the reason, and nothing is ever answered
 * as "0 spent" (invariant 6). The daemon runs on, because a client that is told why is better off than one that meets a
 * closed port.
 */
export function unavailableLedger(reason: string): Ledger {
  const fail = (): never => {
    throw new LedgerUnavailable(reason)
  }
  return {
    reserve: () => Promise.reject(new LedgerUnavailable(reason)),
    settle: () => undefined,
    onSettled: () => undefined,
    onFreed: () => undefined,
    flush: () => undefined,
    totals: fail,
    summary: fail,
    byModel: fail,
    spendByHour: fail,
    calls: fail,
    taskSamples: fail,
    // Whatever these say, the call is refused.
    taskSoFar: () => null,
    sessionSoFar: () => null,
    busySinceMs: () => null,
    latestTurn: () => null,
    taskOrder: () => null,
    saveTaskOrders: () => undefined,
    taskCeilings: () => [],
    saveTaskCeilings: () => undefined,
    forgetTaskOrders: () => undefined,
    recordEvent: () => undefined,
    events: () => [],
    claimAlert: () => false,
    // A switch that cannot be read counts as off only because every call is refused anyway. One that is set has to be kept
    // elsewhere: it must be on once the ledger is there again.
    kills: () => [],
    setKill: fail,
    clearKill: () => undefined,
    capOverrides: () => [],
    setCapOverride: fail,
    addGrant: fail,
    withdrawGrant: fail,
    // As for switches: every call is refused anyway.
    grants: () => [],
    residuals: () => [],
    saveResidual: () => undefined,
    usageByUtcDay: fail,
    oldestCallMs: fail,
    saveReconciliation: fail,
    reconciliations: () => [],
    settleOrphans: () => ({ calls: 0, costNanoEur: 0 }),
    orphanedTotal: fail,
    newestDay: () => null,
    report: fail,
    series: fail,
    quarters: fail,
    callsKeptSince: fail,
    upkeep: () => 0,
    check: fail,
    close: () => undefined,
  }
}
