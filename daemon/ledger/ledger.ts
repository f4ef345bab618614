import type { NanoEur } from '../../shared/money.ts'
import type { Usage } from '../../shared/usage.ts'
import type { CallOutcome, SettlementKind } from '../call.ts'
import type { Billing, CallRow, EventRow } from '../../shared/status.ts'
import type { TaskCeilings } from '../../shared/protocol.ts'
import type { ReportGroup } from '../../shared/report.ts'
import type { SeriesGroup } from '../../shared/series.ts'
import type { ReconciliationSummary } from '../../shared/reconciliation.ts'

/**
 * The ledger is the only place where money is counted. Its invariants (ARCHITECTURE.md, "Invariants"):
 *
 * 1. For every capped scope, at every instant, across processes: spent + reserved <= cap after each admission.
 * 2. No call is dispatched before its reservation is durable.
 * 3. Each reservation ends exactly once: settled, released, or orphaned.
 * 4. Window totals equal the sum over the calls; `check()` proves it.
 * 5. Day and month are calendar dates of the configured zone and never move backwards with the clock.
 * 6. A ledger that cannot be read is never "0 spent": every method throws LedgerUnavailable.
 */

/** What a budget is attached to, for one window. The ledger does not know what a scope means. */
export interface ScopeRef {
  readonly scope: 'user' | 'tenant' | 'project' | 'model' | 'task'
  readonly ref: string
  readonly window: 'day' | 'month' | 'life'
  /** `2026-11-30`, `2026-11` or `-` for a task's life. */
  readonly period: string
}

/** A scope with its caps; `null` is unlimited and only recorded. */
export interface CappedScope extends ScopeRef {
  readonly capNanoEur: NanoEur | null
  readonly capTokens: number | null
}

/** Totals of one window. */
export interface WindowTotals {
  readonly spentNanoEur: NanoEur
  readonly reservedNanoEur: NanoEur
  readonly spentTokens: number
  readonly reservedTokens: number
}

/** The worst case of one call as a function of its output ceiling. Linear, so that the ledger can clamp it. */
export interface ReservationAsk {
  readonly callId: string
  readonly scopes: readonly CappedScope[]
  readonly inputTokens: number
  /** Output ceiling over all choices. */
  readonly outputTokens: number
  /** Fewest output tokens that are still useful; equal to `outputTokens` where clamping is not allowed. */
  readonly minOutputTokens: number
  /** Worst case in nano-euro for an output ceiling, monotone, rounded up. */
  readonly cost: (outputTokens: number) => NanoEur
  /** The same for a call whose price is only shown and charged to no window; absent: 0. */
  readonly listPrice?: (outputTokens: number) => NanoEur
  readonly row: NewCallRow
}

/** Columns that are known when the call is reserved. */
export interface NewCallRow {
  readonly receivedAtMs: number
  readonly day: string
  readonly month: string
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly task: string | null
  readonly session: string | null
  readonly client: string
  readonly keyId: string
  readonly upstream: string
  readonly dialect: string
  readonly model: string
  readonly stream: boolean
  readonly isRetry: boolean
  readonly estimatedInputTokens: number
  readonly usdRate: number
  readonly rateAsOf: string
  readonly priced: boolean
  /** Where the price came from, with its date and unit prices; null where there is none. */
  readonly price: string | null
  /** Absent: metered. */
  readonly billing?: Billing
}

/** Answer to an ask. */
export type ReservationResult =
  | {
      readonly kind: 'admitted'
      readonly outputTokens: number
      readonly reservedNanoEur: NanoEur
      readonly reservedTokens: number
    }
  | {
      readonly kind: 'refused'
      /** `held`: it would fit once the siblings settle at nothing; `spent`: it will not fit before the window ends. */
      readonly reason: 'held' | 'spent'
      readonly scope: CappedScope
      readonly unit: 'eur' | 'tokens'
      readonly totals: WindowTotals
      /** What was asked of that scope, in its unit. */
      readonly requested: number
    }

/** The end of a call. */
export interface Settlement {
  readonly callId: string
  readonly settlement: SettlementKind
  readonly outcome: CallOutcome
  readonly usage: Usage
  readonly costNanoEur: NanoEur
  /** The price of a call that is charged to no window; absent: 0. */
  readonly listNanoEur?: NanoEur
  /** The tier that was served, as `tierName` gives it; null or absent: the ordinary one. */
  readonly tier?: string | null
  readonly status: number | null
  readonly finish: string | null
  readonly responseModel: string | null
  readonly settledAtMs: number
  readonly durationMs: number
  readonly firstByteMs: number | null
  readonly warnings: readonly string[]
}

/** A window whose totals changed, handed to the observers of a settlement (alerts, status). */
export interface WindowChange {
  readonly scope: CappedScope
  readonly totals: WindowTotals
}

/** Sums that the status shows. */
export interface SpendSummary {
  readonly spentNanoEur: NanoEur
  /** List price of subscription calls; not in `spentNanoEur`. */
  readonly listNanoEur: NanoEur
  readonly reservedNanoEur: NanoEur
  readonly tokens: {
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
  }
  readonly calls: number
  readonly unpricedCalls: number
}

/** What one model came to on a day. */
export interface ModelSums {
  readonly model: string
  readonly calls: number
  /** Calls without a known price; they are in `calls` too. */
  readonly unpricedCalls: number
  readonly nanoEur: NanoEur
  /** List price of subscription calls; not in `nanoEur`. */
  readonly listNanoEur: NanoEur
  readonly billing: Billing | 'both'
}

/** What the calls came to that were received in one hour, list prices included. */
export interface HourSum {
  /** Hours since the epoch. */
  readonly hour: number
  readonly nanoEur: NanoEur
}

/** What the settled calls of one UTC day, upstream, model, tier and exchange rate came to. */
export interface UtcDaySums {
  /** Days since the epoch. */
  readonly day: number
  readonly upstream: string
  readonly model: string
  readonly responseModel: string | null
  /** Null is the ordinary one. */
  readonly tier: string | null
  /** Euros per dollar at which each of these calls was converted. */
  readonly usdRate: number
  readonly calls: number
  readonly nanoEur: NanoEur
  /** The part of `nanoEur` that is not exact. */
  readonly estimatedNanoEur: NanoEur
  /** Cache reads and writes included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly webSearches: number
  readonly fileSearches: number
  readonly codeContainers: number
}

/** A reconciliation as it was kept. */
export interface KeptReconciliation {
  readonly atMs: number
  readonly summary: ReconciliationSummary
}

/** What a report sums up. */
export interface ReportFilter {
  readonly by: ReportGroup
  /** First and last day, both inclusive, as the calls counted for them. */
  readonly fromDay: string
  readonly toDay: string
  /** Tenant whose users are named without it; another one's are `tenant/user`. */
  readonly tenant: string
  readonly mostRows: number
}

/** Sums over calls that ended. Released ones are in none of them. */
export interface SpendSums {
  readonly calls: number
  readonly unpricedCalls: number
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly nanoEur: NanoEur
  readonly listNanoEur: NanoEur
}

/** Sums of a period by what was asked for. */
export interface SpendReport {
  /** The dearest first; by day the oldest first. A name is null for calls without a task or project. */
  readonly rows: readonly {
    readonly name: string | null
    readonly sums: SpendSums
    /** Charges of a task beside its calls, in its whole life; 0 in other reports. */
    readonly chargedNanoEur: NanoEur
  }[]
  /** Rows beyond `mostRows`; the totals have their sums. */
  readonly omittedRows: number
  readonly totals: SpendSums
  /** First day of which single calls are kept; null where none was removed. */
  readonly callsKeptSince: string | null
}

/** What a series sums up: the days of it, as the calls counted for them, and what its parts are named by. */
export interface SeriesFilter {
  readonly by: SeriesGroup
  readonly fromDay: string
  readonly toDay: string
}

/** What one name came to in one bucket. */
export interface BucketSums<Bucket> {
  readonly bucket: Bucket
  /** Null for calls without a project. */
  readonly name: string | null
  readonly sums: SpendSums
}

/** What may go, and how much work one step may be. Times are milliseconds since the epoch; null keeps everything. */
export interface UpkeepAsk {
  readonly callsBeforeMs: number | null
  readonly eventsBeforeMs: number | null
  readonly mostRows: number
}

/** What one task came to, from its first call to its last. */
export interface TaskSample {
  readonly task: string
  /** Session, client, project and key of its first call. */
  readonly session: string | null
  /** As `clientName` gives it. */
  readonly client: string
  readonly project: string | null
  readonly keyId: string
  /** Calls that reached an upstream, >= 1. */
  readonly iterations: number
  /** Cache reads and writes included. */
  readonly inputTokens: number
  /** From the first arrival to the last settlement. */
  readonly wallSeconds: number
  /** List prices included. */
  readonly costNanoEur: NanoEur
  /** A kill switch ended one of its calls. */
  readonly wasKilled: boolean
}

/** What the calls of one task, or of all tasks of a session, came to. Released calls reached no upstream and do not count. */
export interface TaskSoFar {
  /** Open ones count, >= 1. */
  readonly calls: number
  /** Cache reads and writes included; of open calls as estimated. */
  readonly inputTokens: number
  /** List prices included; of open calls the worst case. */
  readonly spentNanoEur: NanoEur
  /** When the first and the last one arrived, in milliseconds since the epoch. */
  readonly firstMs: number
  readonly lastMs: number
}

/** What a person ordered for a task, and what the books of a task or session hold beside its calls. */
export interface TaskOrder {
  readonly scope: 'task' | 'session'
  readonly ref: string
  /** When it was last changed, in milliseconds since the epoch. */
  readonly atMs: number
  readonly stop: { readonly by: 'person' | 'pause'; readonly atMs: number } | null
  /** Since when the ceilings count, where that is not the first call; null where it is. */
  readonly windowFromMs: number | null
  /** Time since then for which it was paused. */
  readonly pausedMs: number
  /** Charges beside its calls, in its whole life and since the window began. */
  readonly chargedNanoEur: NanoEur
  readonly windowChargedNanoEur: NanoEur
}

/** A switch that is on. `ref` is empty for global. */
export interface KillSwitch {
  readonly scope: 'global' | 'tenant' | 'key' | 'task'
  readonly ref: string
  readonly sinceMs: number
}

/** A cap that holds instead of the configured one until a time. */
export interface CapOverride {
  readonly field:
    | 'userDailyEur'
    | 'userDailyTokens'
    | 'tenantMonthlyEur'
    | 'tenantMonthlyTokens'
    | 'tenantDailyEur'
    | 'tenantDailyTokens'
  readonly value: number | null
  /** Milliseconds since the epoch; null holds until it is replaced. */
  readonly untilMs: number | null
}

/**
 * Room that a person gave to one task or to one window of a scope, on top of its limit, which itself never moves. What a
 * grant has nothing of is 0; iterations and wall time are for tasks only.
 */
export interface Grant extends ScopeRef {
  readonly atMs: number
  /** Who gave it, in a word: `cli`. */
  readonly by: string
  readonly nanoEur: NanoEur
  readonly tokens: number
  readonly iterations: number
  readonly wallSeconds: number
  /** Milliseconds since the epoch; null holds as long as the window lasts or the task lives. */
  readonly untilMs: number | null
}

/** A grant as the ledger has it. */
export interface KeptGrant extends Grant {
  readonly id: number
}

/** Calls whose daemon died while they ran; `costNanoEur` is what they use up of euro caps. */
export interface OrphanSums {
  readonly calls: number
  readonly costNanoEur: number
}

/** Storage of calls and budgets. */
export interface Ledger {
  /** Resolves when the reservation is durable. Asks and settlements of one turn of the event loop share a commit. */
  reserve(ask: ReservationAsk): Promise<ReservationResult>
  /** Idempotent by call id; the first settlement of a call wins. Durable with the next commit. */
  settle(settlement: Settlement): void
  /** Called after each commit with the windows that a settlement changed. */
  onSettled(listener: (callId: string, changes: readonly WindowChange[]) => void): void
  /** Called when money was given back, so that calls that wait for siblings are tried again. */
  onFreed(listener: () => void): void
  /** Forces queued settlements out; the readers below do it by themselves. */
  flush(): void
  totals(scope: ScopeRef): WindowTotals
  summary(filter: {
    readonly user?: string
    readonly tenant?: string
    readonly window: 'day' | 'month'
    readonly period: string
  }): SpendSummary
  byModel(day: string): readonly ModelSums[]
  /**
   * Hours in which settled calls were received from `fromMs` up to `toMs`. Reads every call of that span, and forces nothing
   * out.
   */
  spendByHour(fromMs: number, toMs: number): readonly HourSum[]
  /** Newest first. One `call` is looked for among all since `sinceMs`: no index knows its id. */
  calls(filter: {
    readonly sinceMs?: number
    readonly limit?: number
    readonly task?: string
    readonly call?: string
  }): readonly CallRow[]
  /**
   * Tasks that began at `sinceMs` or later, made a call that reached an upstream, and have none open; newest first, at most
   * 20,000. Reads every call since then.
   */
  taskSamples(sinceMs: number): readonly TaskSample[]
  /**
   * What a task's calls came to that arrived at `sinceMs` or later; null where there is none. It is asked while calls are
   * under way, so that it forces nothing out: a call whose settlement is still queued counts as open, at its worst case.
   */
  taskSoFar(task: string, sinceMs?: number): TaskSoFar | null
  /** The same of all tasks `<session>-<n>` of a session. */
  sessionSoFar(session: string, sinceMs?: number): TaskSoFar | null
  /** Arrival of the first call since the task was last quiet for `quietMs`; null where it never was. */
  busySinceMs(task: string, quietMs: number): number | null
  /** The highest n of the tasks `<session>-<n>` of a session; null where there is none. */
  latestTurn(session: string): number | null
  taskOrder(scope: TaskOrder['scope'], ref: string): TaskOrder | null
  /** Each takes the place of the one of the same task or session. Durable at once, all or none. */
  saveTaskOrders(orders: readonly TaskOrder[]): void
  /** Ceilings that were set for tasks in the place of their plan's: the newest, the newest last. */
  taskCeilings(most: number): readonly { readonly task: string; readonly ceilings: TaskCeilings }[]
  /** Takes the place of those of the same task. Durable at once. */
  saveTaskCeilings(task: string, ceilings: TaskCeilings, atMs: number): void
  /** Removes orders and ceilings that were last changed before a time, and all but the newest 10,000. */
  forgetTaskOrders(beforeMs: number): void
  recordEvent(event: { readonly event: string; readonly [key: string]: unknown }, atMs: number): void
  events(filter: { readonly sinceMs?: number; readonly limit?: number }): readonly EventRow[]
  /** True the first time it is called for an alert of this window. */
  claimAlert(scope: ScopeRef): boolean
  kills(): readonly KillSwitch[]
  setKill(kill: KillSwitch): void
  clearKill(scope: KillSwitch['scope'], ref: string): void
  capOverrides(): readonly CapOverride[]
  setCapOverride(override: CapOverride): void
  /** Durable when it returns: its id. */
  addGrant(grant: Grant): number
  /** Takes a grant back for good: no restart and no clock lets it count again. Durable when it returns. */
  withdrawGrant(id: number): void
  /** Grants in force, oldest first: those of the windows of these periods, and the newest 1000 of tasks. */
  grants(periods: { readonly day: string; readonly month: string }): readonly KeptGrant[]
  residuals(): readonly {
    readonly upstream: string
    readonly model: string
    readonly ratio: number
    readonly samples: number
  }[]
  saveResidual(upstream: string, model: string, ratio: number, samples: number): void
  /**
   * What metered calls came to that were received from `fromMs` up to `toMs`, by UTC day. Reads the calls of one slice of the
   * order in which they were reserved, so that a long period need not be read at once; `untilMs` null is to the end.
   */
  usageByUtcDay(
    period: { readonly fromMs: number; readonly toMs: number },
    slice: { readonly sinceMs: number; readonly untilMs: number | null },
  ): readonly UtcDaySums[]
  /** When the oldest call was received that the ledger still has; null where it has none. */
  oldestCallMs(): number | null
  /** Durable at once; of each provider and unit the newest 20 are kept. */
  saveReconciliation(summary: ReconciliationSummary, atMs: number): void
  /** The newest of each provider and unit, at most 100. */
  reconciliations(): readonly KeptReconciliation[]
  /** Settles reservations of dead processes at their worst case; called once at start. */
  settleOrphans(nowMs: number): OrphanSums
  orphanedTotal(): number
  /** The youngest day that a call was reserved for, `2026-11-30`; null where there was none. */
  newestDay(): string | null
  /** Sums of a period. Reads sums, and of a report by task the calls since the last upkeep. */
  report(filter: ReportFilter): SpendReport
  /** Sums per day (`2026-11-30`) or month (`2026-11`) and name. Reads sums. */
  series(filter: SeriesFilter & { readonly unit: 'day' | 'month' }): readonly BucketSums<string>[]
  /**
   * The same per quarter of an hour in which the calls were received, counted since the epoch. Reads the calls of one slice
   * of the order in which they were reserved; `untilMs` null is to the end.
   */
  quarters(
    filter: SeriesFilter,
    slice: { readonly sinceMs: number; readonly untilMs: number | null },
  ): readonly BucketSums<number>[]
  /** First day of which single calls are kept; null where none was removed. */
  callsKeptSince(): string | null
  /**
   * One small step of what may wait: sums of tasks, then the removal of old calls, whose sums stay, and of old events. Open
   * calls are never removed. Returns how many rows it took; 0 where nothing is left to do.
   */
  upkeep(ask: UpkeepAsk): number
  /**
   * Invariant 4: windows whose totals differ from the sum of their calls. Empty is good. A list price that differs is
   * named as the day of its user, with the two list prices for what is spent.
   */
  check(): readonly { readonly scope: ScopeRef; readonly window: WindowTotals; readonly calls: WindowTotals }[]
  close(): void
}

/** The ledger cannot be used; the call is refused with 503 `ledger_unavailable`. */
export class LedgerUnavailable extends Error {
  override name = 'LedgerUnavailable'
}
