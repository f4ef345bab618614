import { eurFromNano } from '../../shared/money.ts'
import { cappedScope, tenantMonth, userDay } from '../budget/scopes.ts'
import type { Gate } from '../gate.ts'
import type { Gauge } from '../observe/metrics.ts'
import { driftReadings } from './reconciliationApi.ts'

/** Gauges at the time of a scrape: budgets, calls in flight, the state of the ledger. */
export function gauges(gate: Gate): readonly Gauge[] {
  const nowMs = gate.nowMs()
  const { budgets, tenant, user } = gate.config()
  const period = gate.calendar.periods(nowMs)
  const { day, month } = period
  const granted = gate.grants.inForce(nowMs)
  const dayCaps = cappedScope(userDay(tenant, user, period), budgets, granted)
  const monthCaps = cappedScope(tenantMonth(tenant, period), budgets, granted)
  const list: Gauge[] = [
    { name: 'tollgate_calls_in_flight', value: gate.inFlight.size, labels: {} },
    { name: 'tollgate_calls_waiting', value: gate.admission.waiting, labels: {} },
    {
      name: 'tollgate_killed',
      value: gate.kills.current().some((kill) => kill.scope === 'global') ? 1 : 0,
      labels: {},
    },
  ]
  try {
    const windows = [
      { window: 'day', cap: dayCaps, sum: gate.ledger.summary({ window: 'day', period: day }) },
      { window: 'month', cap: monthCaps, sum: gate.ledger.summary({ window: 'month', period: month }) },
    ] as const
    for (const { window, cap, sum } of windows) {
      const tokens = sum.tokens.input + sum.tokens.cacheRead + sum.tokens.cacheWrite + sum.tokens.output
      list.push({
        name: 'tollgate_budget_spent',
        value: eurFromNano(sum.spentNanoEur),
        labels: { window, unit: 'eur' },
      })
      list.push({ name: 'tollgate_budget_spent', value: tokens, labels: { window, unit: 'tokens' } })
      list.push({
        name: 'tollgate_budget_reserved',
        value: eurFromNano(sum.reservedNanoEur),
        labels: { window, unit: 'eur' },
      })
      const { capNanoEur, capTokens } = cap
      if (capNanoEur !== null)
        list.push({ name: 'tollgate_budget_cap', value: eurFromNano(capNanoEur), labels: { window, unit: 'eur' } })
      if (capTokens !== null)
        list.push({ name: 'tollgate_budget_cap', value: capTokens, labels: { window, unit: 'tokens' } })
    }
    list.push({ name: 'tollgate_ledger_available', value: gate.admission.isRecording ? 1 : 0, labels: {} })
    list.push({ name: 'tollgate_ledger_drift', value: gate.selfCheck.last.drift.length, labels: {} })
    list.push({ name: 'tollgate_ledger_orphaned_total', value: gate.ledger.orphanedTotal(), labels: {} })
    for (const reading of driftReadings(gate.ledger.reconciliations()))
      list.push({ name: 'tollgate_price_drift', ...reading })
  } catch {
    list.push({ name: 'tollgate_ledger_available', value: 0, labels: {} })
  }
  for (const { upstream, window, usedShare } of gate.pacing.current(nowMs)) {
    if (usedShare !== null) list.push({ name: 'tollgate_pacing_used', value: usedShare, labels: { upstream, window } })
  }
  for (const { upstream, model, ratio } of gate.residuals.snapshot()) {
    list.push({ name: 'tollgate_residual', value: ratio, labels: { upstream, model } })
  }
  return list
}
