import type { DriftStatus } from './reconciliation.ts'
import type { Usage } from './usage.ts'

/** What the daemon tells about itself: `GET /api/status`, and the first message on `/control`. Money is decimal euros. */
export interface Status {
  readonly time: string
  readonly version: string
  readonly killed: boolean
  /** All switches that are on. */
  readonly kills: readonly { readonly scope: 'global' | 'tenant' | 'key' | 'task'; readonly ref: string }[]
  readonly currency: string
  readonly timezone: string
  /** Share of a cap at which a window counts as nearly used up. */
  readonly alertAt: number
  readonly today: SpendStatus
  readonly month: SpendStatus
  readonly models: readonly ModelStatus[]
  /** How far the windows of subscriptions and rate limits are used, as the providers' answers said last; past resets are left out. */
  readonly pacing: readonly PacingStatus[]
  readonly tasks: readonly TaskStatus[]
  readonly inFlight: readonly InFlightStatus[]
  /** One counter per refusal code and per warning, since the daemon started. */
  readonly counters: Readonly<Record<string, number>>
  readonly integrity: {
    readonly orphaned: number
    /** Windows that differ from the sum of their calls, at the last self-check. */
    readonly ledgerDrift: number
    /** Null before the first self-check. */
    readonly ledgerCheckedAt: string | null
    readonly ledgerAvailable: boolean
    /** Date of the price table that holds: the built-in one, or the one that was put in its place. */
    readonly pricesAsOf: string
    /** Date of the exchange rate that holds. */
    readonly usdRateAsOf: string
    /** The rate is older than 90 days: reservations hold 2 % more until it is set anew. */
    readonly usdRateStale: boolean
    /** What the last reconciliations with the providers' invoices came to. */
    readonly drift: readonly DriftStatus[]
    readonly residual: Readonly<Record<string, number>>
  }
}

/** How calls are paid for: by the token, or with a subscription. */
export type Billing = 'metered' | 'subscription'

/** What one model did today. */
export interface ModelStatus {
  readonly model: string
  readonly calls: number
  /** Calls without a known price; they are in `calls` too. An older gate does not say it. */
  readonly unpricedCalls?: number
  /** What counts into euro caps. */
  readonly eur: number
  /** What subscription calls would have cost, as far as it is not in `eur`. */
  readonly listPriceEur: number
  readonly billing: Billing | 'both'
}

/** One window of a provider's own limits. */
export interface PacingStatus {
  readonly upstream: string
  /** Its length (`5h`, `7d`, `7d_opus`), or what is counted (`requests`, `tokens`). */
  readonly window: string
  /** 0 to 1, above where the provider lets calls pass beyond it; null where it only said how it stands. */
  readonly usedShare: number | null
  readonly state: 'allowed' | 'warning' | 'rejected' | null
  /** ISO time with the zone's offset; null where it was not said. */
  readonly resetsAt: string | null
  /** ISO time of the answer that said so. */
  readonly seenAt: string
}

/** Spend of a window against its caps. */
export interface SpendStatus {
  readonly spentEur: number
  /** What calls of subscriptions would have cost by the token; in no other amount, and in no cap. */
  readonly listPriceEur: number
  readonly reservedEur: number
  readonly tokens: {
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
  }
  readonly calls: number
  readonly unpricedCalls: number
  /** As configured: a grant does not change it. */
  readonly capEur: number | null
  readonly capTokens: number | null
  /** What people granted on top of the caps for this window, as far as it is in force; 0 where nothing is. */
  readonly grantedEur: number
  readonly grantedTokens: number
  /** ISO time, with the zone's offset, at which the first of those grants ends; null where nothing is granted. */
  readonly grantedUntil: string | null
  /** The same by when it ends, the first end first; empty where nothing is granted. An older gate does not say it. */
  readonly granted?: readonly GrantedPart[]
  /** ISO time at which the window ends, with the zone's offset. */
  readonly resetsAt: string
}

/** What was granted on top of the caps of a window and ends at one time. */
export interface GrantedPart {
  readonly eur: number
  readonly tokens: number
  /** ISO time with the zone's offset. */
  readonly until: string
}

/** A task that made calls lately. */
export interface TaskStatus {
  readonly id: string
  /** Its id was chosen: by a path, a header or a command. False for one that the gate made up, which says nothing to a person. */
  readonly named: boolean
  readonly session: string | null
  readonly project: string | null
  readonly client: string
  readonly state: 'ok' | 'warn' | 'constrained' | 'halted'
  readonly iterations: number
  readonly inputTokens: number
  readonly wallSeconds: number
  /** ISO time of its first call. */
  readonly startedAt: string
  /** Calls of subscriptions at list price. */
  readonly eur: number
  /** A call without a known price was let through since the daemon started: `eur` is a floor. */
  readonly costIncomplete: boolean
  readonly nearest: 'iterations' | 'inputTokens' | 'wallSeconds' | 'eur' | null
  readonly forecast: { readonly haltsInTurns: number; readonly eurAtHalt: number } | null
  /** Its latest conversation that is halted because it repeats itself; null where none is. `state` tells of the ceilings only. */
  readonly loop: LoopStatus | null
}

/** A conversation that repeats itself, so that its calls are refused until a person says something in it or resumes its task. */
export interface LoopStatus {
  /** The tool that repeats, as its client names it; null where none does. */
  readonly tool: string | null
  /** How often the same steps came with the same results. */
  readonly repeats: number
  /** Different steps that repeat: 1 is the same step again and again. */
  readonly cycleLength: number
  /** ISO time. */
  readonly haltedAt: string
}

/** A call whose answer is not finished. */
export interface InFlightStatus {
  readonly call: string
  readonly task: string | null
  readonly model: string
  readonly elapsedMs: number
  readonly outputTokens: number
}

/** One call as `/api/calls` shows it. */
export interface CallRow {
  readonly id: string
  readonly time: string
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly task: string | null
  readonly session: string | null
  readonly client: string
  readonly upstream: string
  readonly dialect: string
  readonly model: string
  readonly responseModel: string | null
  readonly stream: boolean
  readonly isRetry: boolean
  readonly state: 'reserved' | 'settled'
  readonly settlement: 'exact' | 'estimated' | 'partial' | 'orphaned' | 'released' | null
  readonly outcome: string | null
  readonly status: number | null
  readonly finish: string | null
  readonly usage: Usage
  readonly billing: Billing
  /** What counts into euro caps. */
  readonly eur: number
  /** What a call of a subscription would have cost; 0 where it is in `eur`. */
  readonly listPriceEur: number
  readonly reservedEur: number
  readonly estimatedInput: number
  readonly usdRate: number
  /** Date of that rate. */
  readonly rateAsOf: string
  /** Where the price came from, with its date and unit prices; null for a free upstream and an unknown price. */
  readonly price: string | null
  readonly durationMs: number | null
  readonly firstByteMs: number | null
  readonly warnings: readonly string[]
}

/** One event as `/api/events` shows it. */
export interface EventRow {
  readonly id: number
  readonly time: string
  readonly event: string
  readonly [key: string]: unknown
}
