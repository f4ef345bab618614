import { version } from '../../shared/build.ts'
import type { Cap } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { SpendStatus, Status } from '../../shared/status.ts'
import { roomOf, roomsByEnd } from '../budget/grantBook.ts'
import { tenantMonth, userDay } from '../budget/scopes.ts'
import { isoWithOffset } from '../budget/windows.ts'
import type { Gate } from '../gate.ts'
import { isRateStale } from '../money/exchange.ts'
import type { ScopeRef, SpendSummary } from '../ledger/ledger.ts'
import { driftStatus } from './reconciliationApi.ts'

const mostTasksShown = 50

/** The whole status (contract, "Control"). With a ledger that cannot be read it says so and shows no spend at all. */
export function statusReport(gate: Gate): Status {
  const nowMs = gate.nowMs()
  const config = gate.config()
  const period = gate.calendar.periods(nowMs)
  const read = readLedger(gate, period.day, period.month)
  const granted = gate.grants.inForce(nowMs)
  const spend = (summary: SpendSummary | null, cap: Cap, scope: ScopeRef): SpendStatus => {
    const room = roomOf(granted, scope)
    const resetsAt = gate.calendar.resetsAt(scope.window === 'month' ? 'month' : 'day', nowMs)
    const parts = roomsByEnd(gate.grants.of(scope, nowMs), Date.parse(resetsAt)).map((part) => ({
      eur: eurFromNano(part.nanoEur),
      tokens: part.tokens,
      until: isoWithOffset(part.untilMs, config.timezone),
    }))
    return {
      spentEur: eurFromNano(summary?.spentNanoEur ?? 0),
      listPriceEur: eurFromNano(summary?.listNanoEur ?? 0),
      reservedEur: eurFromNano(summary?.reservedNanoEur ?? 0),
      tokens: summary?.tokens ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
      calls: summary?.calls ?? 0,
      unpricedCalls: summary?.unpricedCalls ?? 0,
      capEur: cap.eur,
      capTokens: cap.tokens,
      grantedEur: eurFromNano(room.nanoEur),
      grantedTokens: room.tokens,
      grantedUntil: parts[0]?.until ?? null,
      granted: parts,
      resetsAt,
    }
  }
  const today = userDay(config.tenant, config.user, period)
  const month = tenantMonth(config.tenant, period)
  const kills = gate.kills.current()
  return {
    time: new Date(nowMs).toISOString(),
    version,
    killed: kills.some((kill) => kill.scope === 'global'),
    kills: kills.map(({ scope, ref }) => ({ scope, ref })),
    currency: config.currency.code,
    timezone: config.timezone,
    alertAt: config.budgets.alertAt,
    today: spend(read?.today ?? null, config.budgets.userDaily, today),
    month: spend(read?.month ?? null, config.budgets.tenantMonthly, month),
    models: (read?.models ?? []).map(({ model, calls, unpricedCalls, nanoEur, listNanoEur, billing }) => ({
      model,
      calls,
      unpricedCalls,
      eur: eurFromNano(nanoEur),
      listPriceEur: eurFromNano(listNanoEur),
      billing,
    })),
    pacing: gate.pacing.current(nowMs).map(({ upstream, window, usedShare, state, resetsAtMs, seenAtMs }) => ({
      upstream,
      window,
      usedShare,
      state,
      resetsAt: resetsAtMs === null ? null : isoWithOffset(resetsAtMs, config.timezone),
      seenAt: isoWithOffset(seenAtMs, config.timezone),
    })),
    tasks: gate.memory.status(mostTasksShown),
    inFlight: gate.inFlight.status(nowMs),
    counters: gate.metrics.counters(),
    integrity: {
      orphaned: read?.orphaned ?? 0,
      ledgerDrift: gate.selfCheck.last.drift.length,
      ledgerCheckedAt: isoOrNull(gate.selfCheck.last.checkedAtMs),
      ledgerAvailable: read !== null && gate.admission.isRecording,
      pricesAsOf: gate.priceBook.asOf,
      usdRateAsOf: config.currency.asOf,
      usdRateStale: isRateStale(config.currency, nowMs),
      drift: read?.drift ?? [],
      residual: Object.fromEntries(gate.residuals.snapshot().map((row) => [`${row.upstream}/${row.model}`, row.ratio])),
    },
  }
}

function readLedger(gate: Gate, day: string, month: string) {
  const { ledger } = gate
  try {
    return {
      today: ledger.summary({ window: 'day', period: day }),
      month: ledger.summary({ window: 'month', period: month }),
      models: ledger.byModel(day),
      orphaned: ledger.orphanedTotal(),
      drift: driftStatus(ledger.reconciliations()),
    }
  } catch {
    return null
  }
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
